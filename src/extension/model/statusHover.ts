import type { IndexStats } from '../../engine/types';
import { filesCount, landmarksCount, sectionsCount } from './counts';
import { bytesText, t, timeText } from './l10n';
import type { StatusAction } from './statusActions';
import { percent } from './indexProgress';

/** What is known of a folder's index besides its state. */
export interface IndexDetails {
  /** The folder's name in the workspace. */
  readonly name: string;
  readonly stats: IndexStats;
  /** When the index was last brought up to date in this window. */
  readonly updated?: Date;
}

/** Lines about the indexes of the open folders: counts, last update, sizes by part, model. */
export function detailLines(details: readonly IndexDetails[], now: Date): string[] {
  const lines = details.map(({ name, stats, updated }) => {
    const parts = [filesCount(stats.files), sectionsCount(stats.windows), landmarksCount(stats.landmarks)];
    const counts = t('{0}: {1}', name, parts.join(', '));
    const share = stats.complete < 1 ? [t('{0} % indexed', percent(stats.complete))] : [];
    const time = updated === undefined ? [] : [t('updated {0}', timeText(updated, now))];
    return [counts, ...share, ...time].join(', ');
  });
  const [first] = details;
  if (first === undefined) return [];
  return [...lines, sizeLine(details), t('Model: {0}', first.stats.model.id)];
}

/** What lies on disk, by part; a small folder has no snapshot, a new one no graph. */
function sizeLine(details: readonly IndexDetails[]): string {
  const bytes = (part: string): number => details.reduce((sum, { stats }) => sum + (stats.bytes[part] ?? 0), 0);
  const [words, vectors] = [bytes('catalog'), bytes('windows')];
  const [graph, snapshot] = [bytes('windowGraph'), bytes('snapshot')];
  const parts = [
    ...(words > 0 ? [t('words {0}', bytesText(words))] : []),
    ...(vectors > 0 ? [t('vectors {0}', bytesText(vectors))] : []),
    ...(graph > 0 ? [t('graph {0}', bytesText(graph))] : []),
    ...(snapshot > 0 ? [t('snapshot {0}', bytesText(snapshot))] : []),
  ];
  const total = t('On disk: {0}', bytesText(words + vectors + graph + snapshot));
  return parts.length === 0 ? total : `${total} (${parts.join(', ')})`;
}

/** Markdown of the hover; what comes from outside is shown as it is and never read as Markdown. */
export function hoverMarkdown(
  reason: string,
  lines: readonly string[],
  actions: readonly (Pick<StatusAction, 'label' | 'icon'> & { readonly command: string })[],
): string {
  const links = actions.map(({ label, icon, command }) => `[$(${icon}) ${escapeMarkdown(label)}](command:${command})`);
  const parts = [escapeMarkdown(reason), lines.map(escapeMarkdown).join('  \n'), links.join(' &nbsp; ')];
  return parts.filter(part => part !== '').join('\n\n');
}

export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-!~<>|$&]/g, '\\$&').replace(/\s*\n\s*/g, ' ');
}
