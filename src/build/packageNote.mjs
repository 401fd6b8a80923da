import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the package of a platform has to say about itself, as the last section of its own listing. */
export function packageNote(target, parts) {
  const part = name => parts.find(each => each.name === name);
  const runtime = part('onnxruntime-node');
  return [
    '## This package',
    '',
    `- It is made for \`${target}\` and holds native files of that platform only.`,
    runtime === undefined
      ? '- The model is not run: its runtime, ONNX Runtime, has no build for this platform. Words, names and history answer alone, and the item in the status bar says so.'
      : `- The model is run by ONNX Runtime ${versionOf(runtime)}.`,
    part('hnswlib-node') === undefined
      ? '- The library for nearest neighbours is not in it, since it has to be compiled on the platform itself. Vectors are compared one by one: the same answers, but slower in folders of many thousand files.'
      : `- Nearest neighbours are found by hnswlib-node ${versionOf(part('hnswlib-node'))}.`,
    '',
  ].join('\n');
}

function versionOf({ folder }) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}
