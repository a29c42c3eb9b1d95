import file from '../../../../i18n/en/web.json' with { type: 'json' };
import { recallJson, remember } from './dom.ts';
import { fill } from './fill.ts';

/** The page's texts in English. The file lacks `labelled`, which the server adds to the texts that it sends. */
const english = { ...file.web, labelled: '{name}: {value}' };

export type PageTextKey = keyof typeof english;

const KEY = 'medley.texts';

let current: Readonly<Record<string, string>> = english;
let locale = 'en';
let comma = ', ';

export function setTexts(tag: string, texts: Readonly<Record<string, string>>): void {
  apply(tag, texts);
  remember('localStorage', KEY, JSON.stringify({ tag, texts }));
}

function apply(tag: string, texts: Readonly<Record<string, string>>): void {
  current = texts;
  locale = tag;
  comma = new Intl.ListFormat(tag, { style: 'narrow' }).formatToParts(['a', 'b', 'c'])[1]?.value ?? comma;
  document.documentElement.lang = tag;
  document.title = text('title');
  applyTexts();
}

/** Restores the texts of the last visit, so that a restored conversation does not appear in English first. */
function restoreTexts(): void {
  const stored = recallJson('localStorage', KEY);
  // A stored value of another form is ignored: the server sends all texts in a moment.
  if (typeof stored !== 'object' || stored === null || !('tag' in stored) || !('texts' in stored)) return;
  const { tag, texts } = stored;
  if (typeof tag === 'string' && isTexts(texts)) apply(tag, texts);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every(each => typeof each === 'string');
}

/** A text of the page, filled in from `params`. */
export function text(key: PageTextKey, params: Readonly<Record<string, string | number>> = {}): string {
  return fill(current[key] ?? english[key], locale, params);
}

/** A name and its value, written as in the page's language: `name: value`. */
export function nameAndValue(name: string, value: string): string {
  return text('labelled', { name, value });
}

/** Joins the parts that are not empty by the comma of the page's language. */
export function listed(parts: readonly string[]): string {
  return parts.filter(part => part !== '').join(comma);
}

/** The reader's regional variant of the page's language, for dates: `en-GB` when the page is in `en`. */
export function readerLocale(): string {
  return navigator.languages.find(tag => tag === locale || tag.startsWith(`${locale}-`)) ?? locale;
}

/** Formats of dates and numbers, by their options. Each is made once, as making it takes a slow phone milliseconds. */
export function formats<Options, Format>(make: (locale: string, options: Options) => Format) {
  const made = new Map<string, Format>();
  return (options: Options): Format => {
    const tag = readerLocale();
    const key = tag + JSON.stringify(options);
    const format = made.get(key) ?? make(tag, options);
    made.set(key, format);
    return format;
  };
}

/** Puts the texts into the elements of the static HTML whose `data-` attributes name them. */
function applyTexts(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]'))
    element.textContent = keyed(element.dataset.text);
  for (const element of document.querySelectorAll<HTMLElement>('[data-label]'))
    element.setAttribute('aria-label', keyed(element.dataset.label));
}

function keyed(key: string | undefined): string {
  return isKey(key) ? text(key) : '';
}

function isKey(key: string | undefined): key is PageTextKey {
  return key !== undefined && Object.hasOwn(english, key);
}

restoreTexts();
