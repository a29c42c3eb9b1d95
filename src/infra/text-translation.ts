/** Translates what people wrote, through an endpoint of LibreTranslate's shape that the operator chooses. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { AppError } from '../errors.ts';
import { createMemoryCache } from './cache/cache.ts';
import { createPoster, encodeForm, PostFailure } from './http/poster.ts';
import { parseJson } from './parse-json.ts';

export interface TextTranslation {
  /** True when the text is certainly not in the language of the tag `locale` (BCP 47). Pure; takes less than 1 ms. */
  isForeign(text: string, locale: string): boolean;
  /** @throws AppError `upstream_unavailable` (params.what `translation`); the signal's reason when it aborts */
  translate(text: string, locale: string, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;
/** Captions are shorter than this; only the first part of a longer text is translated. */
const MAX_CHARS = 4_000;
const MAX_ENTRIES = 500;
const HOUR = 3_600_000;
const answerShape = z.object({ translatedText: z.string().min(1).max(20_000) });

/** The fewest letters by which the language of a text can be told; for a shorter text it can only be guessed. */
const MIN_LETTERS = 20;
/** A language that fits at least 0.8 times as well as the best may be the right one: Danish looks like Norwegian. */
const NEARLY = 0.8;
/** The languages that readers may have chosen, with their ISO 639-3 codes, which the library franc returns. */
const ISO_639_3: Readonly<Record<string, string>> = {
  ...{ en: 'eng', id: 'ind', es: 'spa', de: 'deu', ja: 'jpn', ko: 'kor' },
  ...{ fr: 'fra', pt: 'por', pl: 'pol', ru: 'rus', tr: 'tur', zh: 'cmn' },
};
/** Names, tags and addresses, which belong to no language and are left out before the language is guessed. */
const NO_WORDS = /https?:\/\/\S+|[@#][\p{L}\p{N}_.]+|[^\p{L}\p{M}\s'\u2019-]+/gu;

const languageOf = (locale: string) => locale.split('-', 1)[0] ?? locale;

/** @param url address of the endpoint; its query may contain an API key */
export async function openTextTranslation(url: string): Promise<TextTranslation> {
  // The library has large tables, so it is loaded only where an endpoint is configured.
  const { francAll } = await import('franc-min');
  const poster = createPoster();
  const cache = createMemoryCache<string>({ maxEntries: MAX_ENTRIES });

  /** Asks the endpoint for a translation. @throws AppError */
  async function ask(text: string, target: string, signal: AbortSignal): Promise<string> {
    const fields = Object.entries({ q: text, source: 'auto', target, format: 'text' });
    try {
      const answer = await poster.send({ url, body: encodeForm(fields, []) }, { signal, timeoutMs: TIMEOUT_MS });
      const read = answerShape.safeParse(parseJson(answer.text)).data;
      if (answer.status === 200 && read !== undefined) return read.translatedText;
      throw unavailable(`it answered ${answer.status}`);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof PostFailure ? unavailable('no answer', error) : error;
    }
  }

  return {
    isForeign(text, locale) {
      const words = text.slice(0, MAX_CHARS).replace(NO_WORDS, ' ').trim();
      const own = ISO_639_3[languageOf(locale)];
      if (own === undefined || words.replace(/\s/g, '').length < MIN_LETTERS) return false;
      const [best, ...others] = francAll(words);
      if (best === undefined || best[0] === 'und' || best[0] === own) return false;
      return (others.find(([language]) => language === own)?.[1] ?? 0) < NEARLY;
    },
    async translate(text, locale, signal) {
      const [asked, target] = [text.slice(0, MAX_CHARS), languageOf(locale)];
      const key = `${target}:${createHash('sha256').update(asked).digest('base64url')}`;
      const hit = await cache.wrap(key, own => ask(asked, target, own), { ttlMs: () => HOUR }, signal);
      return hit.value;
    },
    close: () => poster.close(),
  };
}

function unavailable(reason: string, cause?: unknown): AppError {
  return new AppError('upstream_unavailable', `translation: ${reason}`, { params: { what: 'translation' }, cause });
}
