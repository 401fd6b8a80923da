import { numberText, t } from './l10n';

export function filesCount(count: number): string {
  return count === 1 ? t('1 file') : t('{0} files', numberText(count));
}

export function placesCount(count: number): string {
  return count === 1 ? t('1 place') : t('{0} places', numberText(count));
}

export function sectionsCount(count: number): string {
  return count === 1 ? t('1 section') : t('{0} sections', numberText(count));
}

export function landmarksCount(count: number): string {
  return count === 1 ? t('1 landmark') : t('{0} landmarks', numberText(count));
}
