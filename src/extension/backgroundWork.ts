import { availableParallelism } from 'node:os';
import * as vscode from 'vscode';
import type { IndexProgress, IndexReport } from '../engine/types';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import type { Logger } from '../util/logger';
import { GoodGuest } from './goodGuest';
import type { IndexController } from './indexController';
import { LongRunGate } from './longRunGate';
import type { LongRun } from './model/indexState';
import { t } from './model/l10n';
import { speedOf, USUAL_SPEED } from './model/longRun';
import { longRunText } from './model/statusView';
import type { WorkspaceRoot } from './openRoot';
import { readEngineSettings, readGuestSettings } from './settings';
import { systemProbe } from './systemProbe';

const SPEED_KEY = 'sectionsPerSecond';
const ANSWER_KEY = 'longRun:';

/** The manners of indexing: it asks before a long first run and makes way for the battery and for other programs. */
export class BackgroundWork implements Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #logger: Logger;
  readonly #store = new DisposableStore();
  readonly #gate: LongRunGate;
  #controller: IndexController | undefined;
  #guest: GoodGuest | undefined;

  constructor(context: vscode.ExtensionContext, logger: Logger) {
    this.#context = context;
    this.#logger = logger;
    const { globalState, workspaceState } = context;
    this.#gate = new LongRunGate({
      controller: () => this.#running(),
      memory: {
        get: path => workspaceState.get(ANSWER_KEY + path),
        set: (path, answer) => void workspaceState.update(ANSWER_KEY + path, answer),
      },
      isWanted: asksBeforeLongRun,
      speed: () => globalState.get<number>(SPEED_KEY) ?? USUAL_SPEED * readEngineSettings().threads,
      ask: askForLongRun,
      logger,
    });
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('landmark.askBeforeLongRun') && !asksBeforeLongRun()) this.#gate.allowAll();
      }),
    );
  }

  /** Begins to look after an index. */
  attach(controller: IndexController): void {
    this.#controller = controller;
    const probe = systemProbe(process.platform, readEngineSettings().threads, availableParallelism());
    this.#guest = this.#store.add(
      new GoodGuest({ controller, probe, settings: readGuestSettings, logger: this.#logger }),
    );
  }

  noteProgress(root: WorkspaceRoot, progress: IndexProgress): void {
    this.#gate.note(root, progress);
  }

  noteReport(report: IndexReport): void {
    const speed = speedOf(report);
    if (speed !== undefined) void this.#context.globalState.update(SPEED_KEY, speed);
  }

  /** The user wants indexing to go on, whatever it waits for. */
  goOn(): void {
    const controller = this.#running();
    if (controller.state.paused) controller.setPaused(false);
    else {
      this.#guest?.overrule();
      this.#gate.allowAll();
    }
  }

  dispose(): void {
    this.#store.dispose();
  }

  #running(): IndexController {
    if (this.#controller === undefined) throw new Error('The index is not there yet.');
    return this.#controller;
  }
}

function asksBeforeLongRun(): boolean {
  return vscode.workspace.getConfiguration('landmark').get('askBeforeLongRun') !== false;
}

async function askForLongRun(name: string, run: LongRun): Promise<boolean | undefined> {
  const now = t('Index Now');
  const later = t('Not Now');
  const answer = await vscode.window.showInformationMessage(`${name}: ${longRunText(run)}`, now, later);
  return answer === undefined ? undefined : answer === now;
}
