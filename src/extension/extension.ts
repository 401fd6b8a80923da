import type * as vscode from 'vscode';
import { Services } from './services';

let services: Services | undefined;

/** Called by the editor once it has started: connects the parts and begins to index in processes of their own. */
export function activate(context: vscode.ExtensionContext): void {
  services = new Services(context);
  context.subscriptions.push(services);
}

/** Called by the editor when the window closes. */
export async function deactivate(): Promise<void> {
  await services?.stop();
  services = undefined;
}
