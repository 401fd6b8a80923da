import type * as vscode from 'vscode';
import type { IndexState } from './model/indexState';
import { Services } from './services';

/** What other extensions, and the tests in the extension host, can read. */
export interface LandmarkApi {
  readonly state: IndexState;
}

let services: Services | undefined;

/** Called by the editor once it has started: connects the parts and begins to index in processes of their own. */
export function activate(context: vscode.ExtensionContext): LandmarkApi {
  const started = new Services(context);
  services = started;
  context.subscriptions.push(started);
  return {
    get state() {
      return started.state;
    },
  };
}

/** Called by the editor when the window closes. */
export async function deactivate(): Promise<void> {
  await services?.stop();
  services = undefined;
}
