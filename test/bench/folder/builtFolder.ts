import { say } from '../bench';
import { runChild } from '../child';
import type { Built } from './buildMain';
import { generatedFolder, type GeneratedFolder } from './generatedFolder';

/** A generated folder with its index, both made when they are not there. */
export async function builtFolder(cache: string, files: number): Promise<GeneratedFolder> {
  const started = performance.now();
  const folder = generatedFolder(cache, files);
  const { embeddedWindows } = await runChild<GeneratedFolder, Built>('folder/buildMain', folder);
  const seconds = Math.round((performance.now() - started) / 1000);
  say(`  ${files} files are indexed (${seconds} s, ${embeddedWindows} new windows).`);
  return folder;
}
