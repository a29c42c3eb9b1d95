import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Texts as their files have them: by key, some of them in groups. */
export interface TextTree {
  readonly [key: string]: string | TextTree;
}

/** The build puts the folders of the languages beside the programs, below this name; in the sources they are beside this file. */
const BUILT = new URL('./i18n/', import.meta.url);
const FOLDER = existsSync(BUILT) ? BUILT : new URL('./', import.meta.url);

/**
 * All texts of a language: what its files say, put together. Read when it is first spoken, since a process speaks few of them.
 * @throws Error when the folder is missing or a file is not made of texts
 */
export function loadTexts(tag: string): TextTree {
  const folder = new URL(`${tag}/`, FOLDER);
  const files = readdirSync(folder).filter(name => name.endsWith('.json'));
  return Object.assign({}, ...files.map(name => readTexts(new URL(name, folder))));
}

/** @throws Error when it is not made of texts alone */
export function readTexts(file: URL | string): TextTree {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isTexts(value)) throw new Error(`${file} is not made of texts alone`);
  return value;
}

function isTexts(value: unknown): value is TextTree {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(each => typeof each === 'string' || isTexts(each));
}
