import type { ErrorCode } from '../errors.ts';
import { languages } from './languages.ts';
import { createMessages, findText, type LanguageTexts, type Messages } from './messages.ts';
import type { TextValues } from './text.ts';

/** One language, ready to use. */
export interface Translator {
  /** BCP 47 tag of the messages and formats. */
  readonly locale: string;
  readonly messages: Messages;
  /** The text of a key that is known at run time alone, such as `sites.instagram`; undefined where there is none. */
  find(key: string, values?: TextValues): string | undefined;
  /**
   * The sentence for an error: of its variants, such as `not_found_item`, the one for `what` and `reason` among the values. `about`
   * names the sentences to look among first. `wait` is a ready phrase such as "in 20 seconds".
   */
  error(code: ErrorCode, values?: TextValues, about?: keyof Messages['osuErrors']): string;
  number(value: number): string;
  /** With at most that many digits behind the comma, and at least so many. */
  decimal(value: number, most: number, least?: number): string;
  /** `1.2K` in the reader's way. */
  compact(value: number): string;
  /** 0.9834 as `98.34%`. */
  percent(share: number): string;
  /** `0:42`, `1:02:03`. */
  duration(ms: number): string;
  /** The day of a moment (unix milliseconds), in UTC. */
  date(at: number): string;
  /** "in 20 seconds", "in 2 minutes". */
  wait(ms: number): string;
}

export interface Language {
  /** BCP 47 base tag. */
  readonly tag: string;
  /** In the language itself. */
  readonly name: string;
}

export const LANGUAGES: readonly Language[] = Object.entries<LanguageTexts>(languages).map(
  ([tag, { languageName }]) => ({
    tag,
    name: languageName,
  }),
);

// Intl formatters cost milliseconds to make, so each language is made once, on first use.
const translators = new Map<string, Translator>();

/**
 * The best language for someone who prefers `locales`, best first: an exact match of a tag, else its base language, else
 * English. Tags of any shape are accepted; unreadable ones are passed over.
 */
export function createTranslator(locales: readonly string[]): Translator {
  return translatorFor(negotiate(locales));
}

function negotiate(locales: readonly string[]): keyof typeof languages {
  for (const wish of locales) {
    const tag = canonicalTag(wish);
    const base = tag?.split('-', 1)[0];
    for (const candidate of [tag, base]) if (isSpoken(candidate)) return candidate;
  }
  return 'en';
}

function isSpoken(tag: string | undefined): tag is keyof typeof languages {
  return tag !== undefined && Object.hasOwn(languages, tag);
}

/** Also turns retired codes into today's: Android still says `in` for Indonesian. */
function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function translatorFor(tag: keyof typeof languages): Translator {
  const known = translators.get(tag);
  if (known) return known;
  const made = newTranslator(tag, createMessages(languages[tag], tag));
  translators.set(tag, made);
  return made;
}

const decimalFormats = new Map<string, Intl.NumberFormat>();

function decimalFormat(locale: string, most: number, least: number): Intl.NumberFormat {
  const key = `${locale} ${most} ${least}`;
  const known = decimalFormats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat(locale, { maximumFractionDigits: most, minimumFractionDigits: least });
  decimalFormats.set(key, made);
  return made;
}

function newTranslator(locale: string, messages: Messages): Translator {
  const plain = new Intl.NumberFormat(locale);
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const part = new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    locale,
    messages,
    find: (key, values = {}) => findText(messages, key, values),
    error: (code, values = {}, about) => errorText(code, values, about, messages),
    number: value => plain.format(value),
    decimal: (value, most, least = 0) => decimalFormat(locale, most, least).format(value),
    compact: value => short.format(value),
    percent: share => part.format(share),
    duration: renderDuration,
    date: at => day.format(at),
    wait: ms => renderWait(ms, messages),
  };
}

function errorText(
  code: ErrorCode,
  values: TextValues,
  about: keyof Messages['osuErrors'] | undefined,
  messages: Messages,
): string {
  const { what = '', reason = '' } = values;
  const variants = [`${code}_${what}_${reason}`, `${code}_${what}`, `${code}_${reason}`, code];
  for (const group of about === undefined ? ['errors'] : [`osuErrors.${about}`, 'errors']) {
    for (const variant of variants) {
      const text = findText(messages, `${group}.${variant}`, values);
      if (text !== undefined) return text;
    }
  }
  return messages.errors.internal;
}

function renderDuration(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000));
  const seconds = String(total % 60).padStart(2, '0');
  const minutes = Math.floor(total / 60) % 60;
  const hours = Math.floor(total / 3600);
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`;
}

/** Rounded up: a person who waits that long is not sent away again. */
function renderWait(ms: number, { wait }: Messages): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 100) return wait.seconds({ n: seconds });
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? wait.minutes({ n: minutes }) : wait.hours({ n: Math.ceil(minutes / 60) });
}
