import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the package of a platform has to say about itself, as the last section of its own listing. */
export function packageNote(target, parts) {
  const part = name => parts.find(each => each.name === name);
  const web = part('onnxruntime-web');
  return [
    '## This package',
    '',
    `- It is made for \`${target}\` and holds native files of that platform only.`,
    web === undefined
      ? `- The model is run by ONNX Runtime ${versionOf(part('onnxruntime-node'))}.`
      : `- The model is run by ONNX Runtime ${versionOf(web)} as WebAssembly, since it has no native build for this platform: the same answers, at a quarter of the speed.`,
    part('hnswlib-node') === undefined
      ? '- The library for nearest neighbours is not in it, since it has to be compiled on the platform itself. Vectors are compared one by one: the same answers, but slower in folders of many thousand files.'
      : `- Nearest neighbours are found by hnswlib-node ${versionOf(part('hnswlib-node'))}.`,
    '',
  ].join('\n');
}

function versionOf({ folder }) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}
