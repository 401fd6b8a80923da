import { availableParallelism } from 'node:os';
import * as vscode from 'vscode';
import { CONFIGURATION_SECTION } from './ids';
import { rulesFromGlobs } from './model/excludeRules';
import type { GuestSettings } from './model/guestRules';
import type { EngineSettings, FolderSettings, RawSettings } from './model/settingsValues';
import { engineSettings, folderSettings, guestSettings } from './model/settingsValues';

/** What the search process is started with. */
export function readEngineSettings(): EngineSettings {
  return engineSettings(readRaw(undefined), availableParallelism());
}

/** What a folder is indexed with, the editor's own exclude settings included. */
export function readFolderSettings(folder: vscode.Uri): FolderSettings {
  const own = folderSettings(readRaw(folder));
  const globs = ['files', 'search'].flatMap(section => rulesFromGlobs(editorExcludes(section, folder)));
  return { ...own, exclude: [...new Set([...globs, ...own.exclude])] };
}

/** The editor's own setting; of a folder that is not trusted only what the user set, since the editor does not see to that. */
function editorExcludes(section: string, folder: vscode.Uri): Record<string, unknown> | undefined {
  const configuration = vscode.workspace.getConfiguration(section, folder);
  if (vscode.workspace.isTrusted) return configuration.get('exclude');
  const set = configuration.inspect<Record<string, unknown>>('exclude');
  return { ...set?.defaultValue, ...set?.globalValue };
}

/** When indexing makes way for others; read at every look, so that a change counts at once. */
export function readGuestSettings(): GuestSettings {
  const section = vscode.workspace.getConfiguration(CONFIGURATION_SECTION);
  return guestSettings({ pauseOnBattery: section.get('pauseOnBattery'), pauseWhenBusy: section.get('pauseWhenBusy') });
}

/** True when a change may alter how folders are indexed; whether it does shows when the values are compared. */
export function concernsFolders(event: vscode.ConfigurationChangeEvent): boolean {
  const keys = ['landmark.exclude', 'landmark.maxFileSize', 'files.exclude', 'search.exclude'];
  return keys.some(key => event.affectsConfiguration(key));
}

/** True when the search process has to be started anew. */
export function concernsEngine(event: vscode.ConfigurationChangeEvent): boolean {
  const keys = ['threads', 'memoryLimit', 'modelPath', 'dataFolder'];
  return keys.some(key => event.affectsConfiguration(`${CONFIGURATION_SECTION}.${key}`));
}

function readRaw(scope: vscode.Uri | undefined): RawSettings {
  const section = vscode.workspace.getConfiguration(CONFIGURATION_SECTION, scope);
  return {
    exclude: section.get('exclude'),
    maxFileSize: section.get('maxFileSize'),
    threads: section.get('threads'),
    memoryLimit: section.get('memoryLimit'),
    modelPath: section.get('modelPath'),
    dataFolder: section.get('dataFolder'),
  };
}
