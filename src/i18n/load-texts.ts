import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { LANGUAGES } from './languages.ts';

/** Texts as in the files: by key, some of them in groups. */
export interface TextTree {
  readonly [key: string]: string | TextTree;
}

/** Where the build puts the languages' folders, beside the programs; in the sources they are beside this file. */
const BUILT = new URL('./i18n/', import.meta.url);
const FOLDER = existsSync(BUILT) ? BUILT : new URL('./', import.meta.url);

/**
 * All texts of a language, read when it is first used, because a process uses few.
 * @throws Error when the folder is missing or a file contains something else than texts
 */
export function loadTexts(tag: string): TextTree {
  return Object.assign({}, ...filesOf(tag).map(readTexts));
}

/** A digest of the texts of all languages, made without creating translators. */
export function textsDigest(): string {
  const hash = createHash('sha256');
  for (const { tag } of LANGUAGES) {
    hash.update(tag);
    for (const file of filesOf(tag)) hash.update(readFileSync(file));
  }
  return hash.digest('base64');
}

function filesOf(tag: string): URL[] {
  const folder = new URL(`${tag}/`, FOLDER);
  const names = readdirSync(folder).filter(name => name.endsWith('.json'));
  return names.sort().map(name => new URL(name, folder));
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
