import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';

/** Instructions that decide how fast the model runs. */
const FEATURES = ['avx2', 'avx_vnni', 'avx512f', 'avx512_vnni', 'amx_int8', 'asimddp', 'i8mm'];

export interface Machine {
  readonly system: string;
  readonly processor: string;
  readonly processors: number;
  /** Of `FEATURES`, as far as the system tells. */
  readonly features: readonly string[];
  readonly memoryGb: number;
  readonly node: string;
}

export function thisMachine(): Machine {
  return {
    system: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    processors: availableParallelism(),
    features: processorFeatures(),
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
  };
}

function processorFeatures(): string[] {
  if (!existsSync('/proc/cpuinfo')) return [];
  const line = /^(flags|Features)\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'));
  const present = new Set(line?.[2]?.trim().split(/\s+/));
  return FEATURES.filter(feature => present.has(feature));
}
