import { type ErrorReason, LandmarkError, messageOf } from '../../util/errors';
import { type FailedFile, FAILURE_KINDS, type FailureKind, type FileFailure } from '../types';

/** @param path relative to the folder */
export function failedFile(path: string, failure: FileFailure): FailedFile {
  return { path, reason: failureSentence(path, failure), failure };
}

const KIND_OF: Readonly<Partial<Record<ErrorReason, FailureKind>>> = {
  'not-found': 'gone',
  'no-permission': 'no-permission',
  'not-a-file': 'not-a-file',
  'invalid-argument': 'grew',
};

/** What reading a file threw, as a failure of that file. */
export function failureOf(error: unknown): FileFailure {
  if (!(error instanceof LandmarkError)) return { kind: 'unreadable', detail: messageOf(error) };
  const kind = KIND_OF[error.reason];
  return kind === undefined ? { kind: 'unreadable', detail: messageOf(error.cause ?? error) } : { kind };
}

/** In English: one sentence that names the file and, where there is one, the way out. */
export function failureSentence(path: string, { kind, detail = '' }: FileFailure): string {
  switch (kind) {
    case 'no-permission':
      return `${path} cannot be read with your rights: change its permissions.`;
    case 'gone':
      return `${path} is gone, or is reached through a link: a file is read under its own path only.`;
    case 'not-a-file':
      return `${path} is not a regular file: only files can be read.`;
    case 'grew':
      return `${path} grew beyond the limit for files of its kind while it was read: try again.`;
    case 'unreadable':
      return `${path} cannot be read (${detail}): try again.`;
    case 'bad-name':
      return `${path} is left out because its name is not valid UTF-8: rename it.`;
    case 'rules-unread':
      return `${path} cannot be read with your rights, so its ignore rules do not count.`;
    case 'too-slow':
      return `${path} took longer than ${detail} s to read into the index and is left out until the next update of the folder.`;
    case 'internal':
      return `${path} could not be read into the index: ${detail}`;
    case 'model':
      return `The model failed on the text of ${path}, which is found by its words alone. ${detail}`.trim();
  }
}

/** As it stands in the catalogue: the kind and, after a space, the detail. */
export function packFailure({ kind, detail }: FileFailure): string {
  return detail === undefined ? kind : `${kind} ${detail}`;
}

/** What `packFailure` wrote; a sentence, as earlier versions stored it, is kept as the detail. */
export function unpackFailure(text: string): FileFailure {
  const space = text.indexOf(' ');
  const word = space < 0 ? text : text.slice(0, space);
  const kind = FAILURE_KINDS.find(known => known === word);
  if (kind === undefined) return { kind: 'unreadable', detail: text };
  return space < 0 ? { kind } : { kind, detail: text.slice(space + 1) };
}
