import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { EngineClient } from '../host/engineClient';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import type { LandmarkApi } from './api';
import { BackgroundWork } from './backgroundWork';
import { registerCommands } from './commands';
import type { Engine } from './controllerParts';
import type { Manifest } from './copyDiagnostics';
import { fileFolders } from './fileFolders';
import { EXTENSION_NAME } from './ids';

import { IndexController } from './indexController';
import { dataFolder, expandHome } from './model/dataFolder';
import type { IndexState } from './model/indexState';
import { useLanguage } from './model/l10n';
import { ProblemMemory } from './model/recentProblems';
import type { Question } from './model/resultSet';
import { nestedRootRules } from './model/roots';
import { isUntitled } from './model/unsavedTexts';
import type { WorkspaceRoot } from './openRoot';
import { outputLogger } from './outputLogger';
import { publicApi } from './publicApi';
import { QueryHistory } from './queryHistory';
import { registerRegionDocuments } from './regionDiff';
import { RegularLook } from './regularLook';
import type { ResultPickParts } from './resultPick';
import { ResultsView } from './resultsView';
import { registerSearchTool } from './searchTool';
import { concernsEngine, concernsFolders, readEngineSettings, readFolderSettings } from './settings';
import { createStatusItem } from './statusItem';
import { unsavedTexts } from './unsavedTexts';
import { WorkspaceWatcher } from './workspaceWatcher';

const PAUSED_KEY = 'paused';
/** The model that comes with the extension. */
const DEFAULT_MODEL = 'landmark-minilm-r2';

/** Creates the parts of the extension and connects them; nothing else does. */
export class Services implements Disposable {
  readonly #store = new DisposableStore();
  readonly #context: vscode.ExtensionContext;
  readonly #controller: IndexController;
  readonly #watcher: WorkspaceWatcher;
  readonly #logger: Logger;
  /** For other extensions. */
  readonly api: LandmarkApi;

  constructor(context: vscode.ExtensionContext) {
    const begin = performance.now();
    this.#context = context;
    const log = this.#store.add(vscode.window.createOutputChannel(EXTENSION_NAME, { log: true }));
    useLanguage({ translate: vscode.l10n.t, language: vscode.env.language });
    const problems = new ProblemMemory();
    const logger = problems.listenTo(outputLogger(log));
    this.#logger = logger;
    const background = this.#store.add(new BackgroundWork(context, logger));
    const controller = this.#store.add(
      new IndexController({
        startEngine: () => this.#startEngine(),
        pausedMemory: {
          get: () => context.workspaceState.get(PAUSED_KEY) === true,
          set: paused => void context.workspaceState.update(PAUSED_KEY, paused),
        },
        unsavedTexts,
        onProgress: (root, progress) => background.noteProgress(root, progress),
        onReport: report => background.noteReport(report),
        logger,
      }),
    );
    this.#controller = controller;
    background.attach(controller);
    const watcher = this.#store.add(new WorkspaceWatcher({ apply: batches => controller.applyChanges(batches) }));
    this.#watcher = watcher;
    this.#store.add(
      new RegularLook({
        look: () => watcher.lookAtAll(),
        isFocused: () => vscode.window.state.focused,
        onFocus: listener => vscode.window.onDidChangeWindowState(({ focused }) => focused && listener()),
      }),
    );
    const fileOf: ResultPickParts['fileOf'] = ({ folder, path }) =>
      isUntitled(path) ? vscode.Uri.parse(path) : vscode.Uri.file(join(controller.reader.workspacePath(folder), path));
    const onMissing: ResultPickParts['onMissing'] = target => watcher.note(fileOf(target));
    this.api = publicApi({ controller, fileOf, own: item => this.#store.add(item) });
    this.#store.add(registerSearchTool(controller));
    this.#store.add(createStatusItem(controller, logger));
    const state = context.workspaceState;
    const results = this.#store.add(new ResultsView({ controller, logger, state, fileOf, onMissing }));
    const history = new QueryHistory(state);
    const showInView = (question: Question): void => {
      void results.focus();
      void results.ask(question);
    };
    const pickParts = { controller, history, logger, fileOf, onMissing, showInView };
    this.#store.add(registerRegionDocuments());
    const report = { manifest: context.extension.packageJSON as Manifest, problems: problems.problems };
    const lookAgain = (file: vscode.Uri): void => watcher.note(file);
    const shown = { pickParts, history, results };
    this.#store.add(registerCommands({ controller, ...shown, background, lookAgain, report, log, logger }));
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#updateRoots()));
    this.#store.add(vscode.workspace.onDidChangeConfiguration(event => this.#applySettings(event)));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#updateRoots()));
    this.#updateRoots();
    logger.info(`Activated in ${Math.round(performance.now() - begin)} ms.`);
  }

  get state(): IndexState {
    return this.#controller.state;
  }

  /** Ends the search process; resolves within a second. */
  async stop(): Promise<void> {
    this.#store.dispose();
    await this.#controller.stop();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #updateRoots(): void {
    const folders = fileFolders();
    const paths = folders.map(({ uri }) => uri.fsPath);
    const roots = folders.map(({ uri, name }): WorkspaceRoot => {
      const { exclude, maxFileSize } = readFolderSettings(uri);
      // What lies in a folder that is open by itself is found there.
      const rules = [...nestedRootRules(uri.fsPath, paths), ...exclude];
      return { path: uri.fsPath, name, options: { access: 'write', exclude: rules, maxFileSize } };
    });
    this.#watcher.setRoots(paths);
    this.#controller.setRoots(roots);
  }

  #applySettings(event: vscode.ConfigurationChangeEvent): void {
    if (concernsEngine(event)) void this.#controller.restart();
    if (concernsFolders(event)) this.#updateRoots();
  }

  #startEngine(): Engine {
    const { threads, memoryLimitMb, modelPath, dataFolder: folder } = readEngineSettings();
    const program = (name: string): string => this.#context.asAbsolutePath(join('dist', name));
    const home = homedir();
    return EngineClient.start({
      searchMain: program('search.js'),
      logger: this.#logger,
      config: {
        dataDir: dataFolder(folder, { platform: process.platform, home, env: process.env }),
        modelDir:
          modelPath === '' ? this.#context.asAbsolutePath(join('models', DEFAULT_MODEL)) : expandHome(modelPath, home),
        embedderMain: program('embedder.js'),
        threads,
        memoryLimitMb,
      },
    });
  }
}
