/** Gives a sentence in the user's language; `{0}`, `{1}` … stand for the arguments. */
export type Translate = (message: string, ...args: (string | number)[]) => string;

/** Until the editor has said its language, and in tests: English. */
let translate: Translate = fill;
let language = 'en';

/** Called once, when the extension is activated: the language of a running editor does not change. */
export function useLanguage(of: { readonly translate: Translate; readonly language: string }): void {
  translate = of.translate;
  language = of.language;
}

/** True where the engine's own sentences, which are English, can be shown as they are. */
export function isEnglish(): boolean {
  return /^en\b/i.test(language);
}

/**
 * A sentence for the user. The English text is the key of the translations in l10n/, so it has to be written out at the
 * call: test/unit/translations.test.ts reads it from there.
 */
export function t(message: string, ...args: (string | number)[]): string {
  return translate(message, ...args);
}

/** A count with the language's own separators. */
export function numberText(value: number): string {
  return new Intl.NumberFormat(language).format(value);
}

/** The name of a language, by its code. */
export function languageName(code: string): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code;
}

/** A size, with one digit after the point below ten. */
export function bytesText(bytes: number): string {
  const units = ['kilobyte', 'megabyte', 'gigabyte'];
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  const maximumFractionDigits = value < 10 && unit > 0 ? 1 : 0;
  return new Intl.NumberFormat(language, { style: 'unit', unit: units[unit]!, maximumFractionDigits }).format(value);
}

/** The time of a day, with the date when it is another day than `now`. */
export function timeText(at: Date, now: Date): string {
  const isToday = at.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(
    language,
    isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
  )
    .format(at)
    .replaceAll('\u202f', ' ');
}

/** A length of time, rounded to what one wants to know before a long wait. */
export function durationText(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  const unit = (value: number, name: 'minute' | 'hour'): string =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit: name,
      unitDisplay: 'long',
      maximumFractionDigits: 1,
    }).format(value);
  return minutes < 90 ? unit(minutes, 'minute') : unit(Math.round(minutes / 30) / 2, 'hour');
}

function fill(message: string, ...args: (string | number)[]): string {
  return message.replace(/\{(\d+)\}/g, (whole, index: string) => String(args[Number(index)] ?? whole));
}
