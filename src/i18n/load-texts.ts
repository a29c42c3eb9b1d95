import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { LANGUAGES } from './languages.ts';

/** Texts as in the files: by key, some of them in groups. */
export interface TextTree {
  readonly [key: string]: string | TextTree;
}

/** The files with the texts of the command menus: names, descriptions, and the names of sites. */
export const OF_MENUS = ['commands', 'language'] as const;

/** The build puts the languages' folders here, beside the programs; in the sources they are beside this file. */
const BUILT = new URL('./i18n/', import.meta.url);
const FOLDER = existsSync(BUILT) ? BUILT : new URL('./', import.meta.url);

/**
 * The texts in one file of a language's folder; empty if the file is missing, so that the English texts are used.
 * @throws Error when the file contains something else than texts
 */
export function loadTexts(tag: string, file: string): TextTree {
  const address = addressOf(tag, file);
  return existsSync(address) ? readTexts(address) : {};
}

/** A digest of what the command menus say in all languages, made without creating translators. */
export function menuTextsDigest(): string {
  const hash = createHash('sha256');
  for (const { tag } of LANGUAGES) {
    for (const file of OF_MENUS) hash.update(readFileSync(addressOf(tag, file)));
  }
  return hash.digest('base64');
}

function addressOf(tag: string, file: string): URL {
  return new URL(`${tag}/${file}.json`, FOLDER);
}

/** @throws Error when the file contains something else than texts */
export function readTexts(file: URL | string): TextTree {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isTexts(value)) throw new Error(`${file} is not made of texts alone`);
  return value;
}

function isTexts(value: unknown): value is TextTree {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(each => typeof each === 'string' || isTexts(each));
}
