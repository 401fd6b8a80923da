// What an environment needs of the machine: nothing is installed by itself.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const machine = {
  isRoot: () => process.getuid?.() === 0,
  isThere: existsSync,
  // Programs for root lie where the path of a user does not lead.
  folders: [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'],
};

/** @returns what is not there, each in words with the way to it. */
export function missing(needs, { isRoot, isThere, folders } = machine) {
  return needs.flatMap(({ root, file, program, debianPackage }) => {
    if (root) return isRoot() ? [] : ['root'];
    if (file !== undefined) return isThere(file) ? [] : [file];
    return folders.some(folder => isThere(join(folder, program)))
      ? []
      : [`the program ${program} (apt-get install ${debianPackage})`];
  });
}
