import type { GuestSettings } from './guestRules';

/** The settings as the user's files have them: nothing is certain about their types. */
export interface RawSettings {
  readonly exclude: unknown;
  readonly maxFileSize: unknown;
  readonly threads: unknown;
  readonly memoryLimit: unknown;
  readonly modelPath: unknown;
  readonly dataFolder: unknown;
}

export interface FolderSettings {
  readonly exclude: readonly string[];
  /** Bytes. */
  readonly maxFileSize: number;
}

export interface EngineSettings {
  readonly threads: number;
  readonly memoryLimitMb: number;
  /** Empty: the model that comes with the extension. */
  readonly modelPath: string;
  /** Empty: the cache folder. */
  readonly dataFolder: string;
}

/** Least, greatest and default value of a numeric setting; the manifest says the same. */
export const RANGES = {
  maxFileSize: { least: 1, greatest: 102_400, default: 1024 },
  threads: { least: 0, greatest: 64, default: 0 },
  memoryLimit: { least: 500, greatest: 32_768, default: 1500 },
} as const;

export function folderSettings(raw: RawSettings): FolderSettings {
  const exclude = Array.isArray(raw.exclude)
    ? raw.exclude.filter(rule => typeof rule === 'string' && rule.trim() !== '')
    : [];
  return { exclude: exclude as string[], maxFileSize: Math.round(numberIn('maxFileSize', raw.maxFileSize) * 1024) };
}

/** @param cores of the machine: half of them index unless the setting says otherwise. */
export function engineSettings(raw: RawSettings, cores: number): EngineSettings {
  const threads = Math.round(numberIn('threads', raw.threads));
  return {
    threads: threads === 0 ? Math.max(1, Math.floor(cores / 2)) : Math.min(threads, Math.max(1, cores)),
    memoryLimitMb: Math.round(numberIn('memoryLimit', raw.memoryLimit)),
    modelPath: textOf(raw.modelPath),
    dataFolder: textOf(raw.dataFolder),
  };
}

/** What is none of the choices becomes the default. */
export function guestSettings(raw: {
  readonly pauseOnBattery: unknown;
  readonly pauseWhenBusy: unknown;
}): GuestSettings {
  const { pauseOnBattery: battery } = raw;
  return {
    pauseOnBattery: battery === 'always' || battery === 'never' ? battery : 'saver',
    pauseWhenBusy: raw.pauseWhenBusy !== false,
  };
}

/** What is no number becomes the default, what is out of range the nearest end. */
function numberIn(name: keyof typeof RANGES, value: unknown): number {
  const range = RANGES[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) return range.default;
  return Math.max(range.least, Math.min(range.greatest, value));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
