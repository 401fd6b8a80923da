import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from '../../util/errors';
import { createFolder } from './createFolder';
import { ownIdentity, parseIdentity, type ProcessIdentity, processState } from './processIdentity';

/** A marker file of some process: `<role>-<unique>.json`. Its name is never used again, so removing it is always safe. */
export interface Marker {
  readonly path: string;
  /** Undefined when its writer was interrupted before it had written its name. */
  readonly identity: ProcessIdentity | undefined;
  /** Its process has ended for sure. */
  readonly ended: boolean;
  /** Not ended, and not too old. */
  readonly alive: boolean;
}

/** A process writes its name into its marker at once; a marker that is still without one belongs to nobody. */
const UNNAMED_MS = 2000;

/** A file that has not been touched for this long counts as left behind, whatever its process does. */
export interface MarkerLimits {
  readonly staleMs: number;
}

const NOBODY: ProcessIdentity = { pid: 0, machine: '', started: '' };

export type Claim = { readonly path: string } | { readonly heldBy: ProcessIdentity };

/**
 * Mutual exclusion between processes by marker files alone. Each claimant creates a file of its own and then looks at
 * the others: of two that overlap at least one sees the other, so two never win together. Who sees another claimant
 * takes its claim back and tries again after a random pause; who sees a holder gives up. No file is ever taken over,
 * which is where lock files with one fixed name go wrong.
 * @param kind of the marker that is won: the role, or a name that begins with it and a hyphen.
 */
export async function claimExclusive(
  dir: string,
  role: string,
  limits: MarkerLimits,
  kind: string = role,
): Promise<Claim> {
  const claims = `${role}.claim`;
  for (;;) {
    const holder = (await markers(dir, role, limits)).find(marker => marker.alive);
    if (holder) return { heldBy: holder.identity ?? NOBODY };
    const claim = await createMarker(dir, claims);
    const rivals = (await markers(dir, claims, limits)).some(marker => marker.alive && marker.path !== claim);
    const held = (await markers(dir, role, limits)).some(marker => marker.alive);
    if (!rivals && !held) {
      const path = join(dir, markerName(kind));
      await rename(claim, path);
      await removeDead(dir, claims, limits);
      return { path };
    }
    await removeMarker(claim);
    if (!held) await delay(1 + Math.random() * 25);
  }
}

/** Creates a marker of this process in an existing or new folder, durably. */
export async function createMarker(dir: string, role: string): Promise<string> {
  await createFolder(dir);
  const path = join(dir, markerName(role));
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(ownIdentity()));
    await file.sync();
  } catch (error) {
    // Without a name in it (a full disk) it would keep everybody waiting until it is stale.
    await removeMarker(path);
    throw error;
  } finally {
    await file.close();
  }
  await syncFolder(dir);
  return path;
}

/** All markers of a role, living and dead; none when the folder is absent. */
export async function markers(dir: string, role: string, limits: MarkerLimits): Promise<Marker[]> {
  const found: Marker[] = [];
  for (const name of await namesIn(dir)) {
    if (!name.startsWith(`${role}-`) || !name.endsWith('.json')) continue;
    const path = join(dir, name);
    try {
      const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
      const identity = parseIdentity(text);
      const ended = identity !== undefined && processState(identity) === 'ended';
      const patience = identity === undefined ? Math.min(UNNAMED_MS, limits.staleMs) : limits.staleMs;
      found.push({ path, identity, ended, alive: !ended && Date.now() - mtimeMs <= patience });
    } catch (error) {
      // Removed since the folder was listed.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
  return found;
}

export async function removeDead(dir: string, role: string, limits: MarkerLimits): Promise<void> {
  for (const marker of await markers(dir, role, limits)) if (!marker.alive) await removeMarker(marker.path);
}

/** For who holds a role: whatever else has its markers was found dead when the role was won. */
export async function removeOthers(dir: string, role: string, own: string, limits: MarkerLimits): Promise<void> {
  for (const marker of await markers(dir, role, limits)) if (marker.path !== own) await removeMarker(marker.path);
}

export async function removeMarker(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

const atExit = new Set<string>();
let listening = false;

/** Removes the marker when this process ends by itself; a killed or crashed process leaves it behind. */
export function removeAtExit(path: string): () => void {
  atExit.add(path);
  if (!listening) {
    listening = true;
    process.once('exit', () => {
      for (const left of atExit) {
        try {
          unlinkSync(left);
        } catch {
          // It is gone, or will count as left behind.
        }
      }
    });
  }
  return () => atExit.delete(path);
}

/** Makes a rename or a new name durable. Windows has no such call and needs none. */
export async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function markerName(role: string): string {
  return `${role}-${process.pid}-${randomBytes(6).toString('hex')}.json`;
}

/** Names of what a folder holds; none where it is not there. */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
