import type { IndexStats } from '../../engine/types';
import { bytesText, numberText, t, timeText } from './l10n';
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
    const counts = t(
      '{0}: {1} files, {2} sections, {3} landmarks',
      name,
      numberText(stats.files),
      numberText(stats.windows),
      numberText(stats.landmarks),
    );
    const share = stats.complete < 1 ? [t('{0} % indexed', percent(stats.complete))] : [];
    const time = updated === undefined ? [] : [t('updated {0}', timeText(updated, now))];
    return [counts, ...share, ...time].join(', ');
  });
  const bytes = (part: string): number => details.reduce((sum, { stats }) => sum + (stats.bytes[part] ?? 0), 0);
  const total = ['catalog', 'windows', 'windowGraph', 'snapshot'].reduce((sum, part) => sum + bytes(part), 0);
  const [first] = details;
  if (first === undefined) return [];
  return [
    ...lines,
    t(
      'On disk: {0} (words {1}, vectors {2}, graph {3}, snapshot {4})',
      bytesText(total),
      bytesText(bytes('catalog')),
      bytesText(bytes('windows')),
      bytesText(bytes('windowGraph')),
      bytesText(bytes('snapshot')),
    ),
    t('Model: {0}', first.stats.model.id),
  ];
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
