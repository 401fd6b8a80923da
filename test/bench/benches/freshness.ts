import type { Bench, BenchOptions } from '../bench';
import { runChild } from '../child';
import { builtFolder } from '../folder/builtFolder';
import type { Freshness, FreshnessInput } from '../freshness/freshnessMain';
import type { Findings } from '../report';
import { median, percentile } from '../statistics';

const USUAL_FILES = 5000;
const OPENINGS = 3;
const SAVES = 40;
const CHANGED_ON_BRANCH = 300;
const SHORT = { files: 200, openings: 1, saves: 3, changed: 30 };
/** How long the editor's watcher waits for quiet (src/extension/workspaceWatcher.ts). */
const EDITOR_WAITS_MS = 250;

export const freshness: Bench = {
  name: 'freshness',
  title: 'How the index follows saves, reopening and checkouts',
  run,
};

async function run({ cache, prepare, profile, sizes, short }: BenchOptions): Promise<Findings | undefined> {
  const usual = { files: sizes?.[0] ?? USUAL_FILES, openings: OPENINGS, saves: SAVES, changed: CHANGED_ON_BRANCH };
  const effort = short ? SHORT : usual;
  const { files } = effort;
  const folder = await builtFolder(cache, files);
  const measure = (what: FreshnessInput['what'], count = 0): Promise<Freshness> =>
    runChild<FreshnessInput, Freshness>('freshness/freshnessMain', { folder, what, count }, profile);
  if (prepare) return undefined;
  const openings: Freshness[] = [];
  for (let at = 0; at < effort.openings; at++) openings.push(await measure('reopen'));
  const { saveMs } = await measure('save', effort.saves);
  const { embeddedByCheckout, checkoutMs } = await measure('checkout', effort.changed);
  const [, back = NaN, again = NaN] = embeddedByCheckout;
  const at = `${files.toLocaleString('en')} files`;
  const withWait = 'with the 250 ms that the editor waits for more';
  return {
    parameters: {
      files,
      openings: effort.openings,
      saves: effort.saves,
      'files that differ between branches': effort.changed,
    },
    figures: [
      {
        name: `${at}: reopened unchanged`,
        value: median(openings.map(({ openMs }) => openMs)) / 1000,
        unit: 's',
        goal: { atMost: 2 },
        note: 'opened and looked through',
      },
      {
        name: `${at}: windows embedded when reopened unchanged`,
        value: Math.max(...openings.map(({ embeddedOnOpening }) => embeddedOnOpening)),
        unit: '',
        goal: { atMost: 0 },
      },
      { name: 'saved until found, p50', value: median(saveMs) + EDITOR_WAITS_MS, unit: 'ms', note: withWait },
      {
        name: 'saved until found, p95',
        value: percentile(saveMs, 0.95) + EDITOR_WAITS_MS,
        unit: 'ms',
        goal: { atMost: 1000 },
        note: withWait,
      },
      {
        name: 'windows embedded by going back to a branch',
        value: back,
        unit: '',
        goal: { atMost: 0 },
      },
      {
        name: 'windows embedded by a branch seen before',
        value: again,
        unit: '',
        goal: { atMost: 0 },
      },
      { name: 'checkout of a branch seen before, until followed', value: checkoutMs.at(-1) ?? null, unit: 'ms' },
    ],
  };
}
