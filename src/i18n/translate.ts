import type { ErrorCode } from '../errors.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { loadTexts } from './load-texts.ts';
import { createMessages, findText, type Messages, type TextValues } from './messages.ts';

interface NamedSite {
  readonly id: string;
  readonly name: string;
}

interface NamedCountry {
  readonly code: string;
  readonly name: string;
}

/** The texts and formats of one language. */
export type Translator = Readonly<ReturnType<typeof newTranslator>>;

// Translators by language; each is created when it is first used.
const translators = new Map<string, Translator>();

/** The translator for someone who prefers `locales`, best first; English if none matches. Unknown tags are skipped. */
export function createTranslator(locales: readonly string[]): Translator {
  const [{ tag } = LANGUAGES[0]] = locales.flatMap(locale => findLanguage(locale) ?? []);
  const known = translators.get(tag);
  if (known) return known;
  const made = loadTranslator(tag);
  translators.set(tag, made);
  return made;
}

/** The translator of a listed language. It is not kept: menus are made in all languages, most of which are not used. */
export function loadTranslator(tag: string): Translator {
  const messages = () => createMessages(file => (tag === 'en' ? {} : loadTexts(tag, file)), tag);
  return translators.get(tag) ?? newTranslator(tag, messages());
}

/**
 * The language for a `locale`: the one of the same tag, else one of the same language and script: es for es-419, zh-CN
 * for zh-Hans, but not for zh-TW. Tags of any shape are accepted.
 */
export function findLanguage(locale: string): Language | undefined {
  const exact = LANGUAGES.find(({ tag }) => tag === locale);
  const writing = exact === undefined ? writingOf(locale) : undefined;
  return writing === undefined ? exact : WRITINGS.get(writing);
}

/**
 * The language and script of a tag, by current codes (Android says `in` for Indonesian); undefined for a text that is
 * no language tag.
 */
function writingOf(locale: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(locale.replaceAll('_', '-')).maximize();
    return `${language} ${script}`;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const WRITINGS: ReadonlyMap<string | undefined, Language> = new Map(
  LANGUAGES.map(language => [writingOf(language.tag), language]),
);

/** A formatter of Intl takes milliseconds and tens of KB, so each is created once, when it is first used. */
const numberFormats = new Map<string, Intl.NumberFormat>();

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = numberFormats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat(locale, options);
  numberFormats.set(key, made);
  return made;
}

function newTranslator(locale: string, messages: Messages) {
  let comma: string | undefined;
  let day: Intl.DateTimeFormat | undefined;
  let countries: Intl.DisplayNames | undefined;
  const short = { notation: 'compact', maximumFractionDigits: 1 } as const;
  const megabytes = { style: 'unit', unit: 'megabyte', unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  const format = (value: number, options: Intl.NumberFormatOptions) => numberFormat(locale, options).format(value);
  const digits = (most: number, least: number) => ({ maximumFractionDigits: most, minimumFractionDigits: least });
  /** The number in a short form such as `1.2K`, in the language's own way. */
  const compact = (value: number) => format(value, short);
  /** A site's name in this language, else its own name. */
  const site = ({ id, name }: NamedSite) => findText(messages, `sites.${id}`, {}) ?? name;
  return {
    /** The BCP 47 tag of the texts and formats. */
    locale,
    messages,
    /** The text of a key that is known only at run time, such as `sites.instagram`; undefined when there is none. */
    find: (key: string, values: TextValues = {}) => findText(messages, key, values),
    /**
     * The sentence for an error, in the variant for `what` and `reason` in the values, such as `not_found_item`.
     * `about` names a group of sentences to search first; `wait` is a phrase such as "in 20 seconds".
     */
    error: (code: ErrorCode, values: TextValues = {}, about?: keyof Messages['osuErrors']) =>
      errorText(code, values, about, messages),
    site,
    /** The names of sites as a list in a sentence: `A, B or C`. */
    sites: (sites: readonly NamedSite[]) =>
      new Intl.ListFormat(locale, { type: 'disjunction' })
        .format(sites.map(site))
        // Chinese has spaces between its own letters and Latin ones, which the lists of CLDR lack.
        .replace(/(?<=\w)([\u4e00-\u9fff])(?=\w)/g, ' $1 '),
    /** The separator of an enumeration without "and": `, `, or in Chinese and Japanese `、`. */
    get comma(): string {
      // In a list of three, the separator is the text between the first two.
      comma ??= new Intl.ListFormat(locale, { style: 'narrow' }).formatToParts(['a', 'b', 'c'])[1]?.value ?? ', ';
      return comma;
    },
    /** A country's name in this language by its two letters. The given name is English, and is taken where none is known. */
    country: ({ code, name }: NamedCountry) => {
      if (locale === 'en' || !/^[A-Z]{2}$/.test(code)) return name;
      countries ??= new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
      return countries.of(code) ?? name;
    },
    number: (value: number) => format(value, {}),
    /** The number with `least` to `most` decimal digits. */
    decimal: (value: number, most: number, least = 0) => format(value, digits(most, least)),
    compact,
    /** A short form with the number that selects its plural: Russian has "4,8 тыс. лайков", though 4,821 ends in 1. */
    counted: (value: number) => ({ n: wholeUnits(value), shown: compact(value) }),
    /** A share as a percentage with `least` to `most` decimal digits: 0.9834 as `98.34%`. */
    percent: (share: number, most: number, least = 0) => format(share, { style: 'percent', ...digits(most, least) }),
    /** A duration such as `0:42` or `1:02:03`. */
    duration: renderDuration,
    /** A size such as `1.5 MB`, with at most one decimal digit. */
    megabytes: (value: number) => format(value, megabytes),
    /** The date of a time (unix milliseconds), in UTC. */
    date: (at: number) => {
      day ??= new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
      return day.format(at);
    },
    /** A phrase such as "in 20 seconds" or "in 2 minutes". */
    wait: (ms: number) => renderWait(ms, messages),
  };
}

/** Rounds down to the short form's unit, such as thousands, which decides Russian's plural: 4,000 for 4,821. */
function wholeUnits(value: number): number {
  const unit = 1_000 ** Math.floor(Math.log10(Math.max(value, 1)) / 3);
  return Math.floor(value / unit) * unit;
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

/** The wait in words. It is rounded up, so that a person who waits that long is not refused again. */
function renderWait(ms: number, { wait }: Messages): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 100) return wait.seconds({ n: seconds });
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? wait.minutes({ n: minutes }) : wait.hours({ n: Math.ceil(minutes / 60) });
}
