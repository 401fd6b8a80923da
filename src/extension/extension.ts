import type * as vscode from 'vscode';
import type { LandmarkApi } from './api';
import type { IndexState } from './model/indexState';
import { Services } from './services';

/** The interface for other extensions, and what the tests in the extension host look at besides. */
export interface LandmarkExports extends LandmarkApi {
  readonly state: IndexState;
}

let services: Services | undefined;

/** Called by the editor once it has started: connects the parts and begins to index in processes of their own. */
export function activate(context: vscode.ExtensionContext): LandmarkExports {
  const started = new Services(context);
  services = started;
  context.subscriptions.push(started);
  return Object.defineProperty(started.api, 'state', { get: () => started.state }) as LandmarkExports;
}

/** Called by the editor when the window closes. */
export async function deactivate(): Promise<void> {
  await services?.stop();
  services = undefined;
}
