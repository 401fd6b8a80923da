import * as vscode from 'vscode';
import { CoalescedRun, debounce } from '../util/async';
import type { Disposable } from '../util/lifecycle';
import { DisposableStore } from '../util/lifecycle';
import { gitFolderOf } from './gitHead';
import type { ChangeBatch } from './model/changeQueue';
import { ChangeQueue, isInsideGitFolder } from './model/changeQueue';
import { deepestRoot } from './model/roots';

/** Changes are handed over when it has been quiet for so long, in milliseconds: a checkout or a build is one batch. */
const QUIET_MS = 250;

export interface WorkspaceWatcherParts {
  /** Resolves when the changes are in the index; changes that come meanwhile are one batch more. */
  readonly apply: (batches: readonly ChangeBatch[]) => Promise<void>;
}

/**
 * Collects what happens to files: saves, the editor's own file operations, and what other programs do. An event only
 * says where to look; what happened there is for the engine to see on disk.
 */
export class WorkspaceWatcher implements Disposable {
  readonly #store = new DisposableStore();
  readonly #queue = new ChangeQueue();
  readonly #flush: CoalescedRun;
  readonly #flushSoon: Disposable & { request(): void };
  #roots: readonly string[] = [];
  #watchers = this.#store.add(new DisposableStore());

  constructor({ apply }: WorkspaceWatcherParts) {
    this.#flush = new CoalescedRun(async () => {
      // Taken before anything is waited for.
      const batches = this.#queue.take();
      if (batches.length > 0) await apply(batches);
    });
    this.#flushSoon = this.#store.add(debounce(() => void this.#flush.request(), QUIET_MS));
    const { workspace } = vscode;
    this.#store.add(workspace.onDidSaveTextDocument(document => this.#note(document.uri)));
    this.#store.add(workspace.onDidCreateFiles(({ files }) => files.forEach(file => this.#note(file))));
    this.#store.add(workspace.onDidDeleteFiles(({ files }) => files.forEach(file => this.#note(file))));
    this.#store.add(
      workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) {
          this.#note(oldUri);
          this.#note(newUri);
        }
      }),
    );
  }

  /** Watches these folders instead of those before. */
  setRoots(roots: readonly string[]): void {
    this.#roots = roots;
    this.#store.delete(this.#watchers);
    const watchers = this.#store.add(new DisposableStore());
    this.#watchers = watchers;
    for (const root of roots) {
      this.#watch(watchers, new vscode.RelativePattern(vscode.Uri.file(root), '**'), uri => this.#note(uri));
      void gitFolderOf(root).then(gitFolder => {
        if (gitFolder === undefined) return;
        const pattern = new vscode.RelativePattern(vscode.Uri.file(gitFolder), '{HEAD,logs/HEAD}');
        this.#watch(watchers, pattern, () => this.#noteAll(root));
      });
    }
  }

  /** Looks at a file again, for another reason than an event. */
  note(uri: vscode.Uri): void {
    this.#note(uri);
  }

  /** Looks at all folders as a whole; resolves when the index has what was found. Asks for nothing without folders. */
  lookAtAll(): Promise<void> {
    for (const root of this.#roots) this.#queue.addAll(root);
    return this.#flush.request();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #watch(owner: DisposableStore, pattern: vscode.RelativePattern, listener: (uri: vscode.Uri) => void): void {
    const watcher = owner.add(vscode.workspace.createFileSystemWatcher(pattern));
    owner.add(watcher.onDidCreate(listener));
    owner.add(watcher.onDidChange(listener));
    owner.add(watcher.onDidDelete(listener));
  }

  #note(uri: vscode.Uri): void {
    if (uri.scheme !== 'file') return;
    const place = deepestRoot(uri.fsPath, this.#roots);
    if (place === undefined || isInsideGitFolder(place.path) || place.path === '.git') return;
    this.#queue.add(place.root, place.path);
    this.#flushSoon.request();
  }

  #noteAll(root: string): void {
    this.#queue.addAll(root);
    this.#flushSoon.request();
  }
}
