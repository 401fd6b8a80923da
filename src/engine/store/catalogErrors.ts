import { LandmarkError } from '../../util/errors';

/** @param folder as the sentence names it. */
export function notIndexed(folder?: string): LandmarkError {
  const sentence = `${folder ?? 'This folder'} has not been indexed yet: run ${indexCommand(folder)} first.`;
  return new LandmarkError('not-indexed', sentence);
}

export function otherModel(folder?: string): LandmarkError {
  const what = `${folder ?? 'This folder'} was indexed with another model or version`;
  return new LandmarkError('not-indexed', `${what}: run ${indexCommand(folder)} to index it again.`);
}

function indexCommand(folder = '<folder>'): string {
  return `"landmark index ${/\s/.test(folder) ? `'${folder}'` : folder}"`;
}
