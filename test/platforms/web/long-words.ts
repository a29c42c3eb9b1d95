import { z } from 'zod';

const Json = z.json();
type Json = z.infer<typeof Json>;

/** What is no language: addresses, names of kinds, what is sent back as it came. */
const KEPT_KEYS = new Set(['type', 'id', 'kind', 'token', 'url', 'src', 'poster', 'downloadUrl', 'fileName', 'mime']);
const ALSO_KEPT = new Set(['tone', 'style', 'colour', 'locale', 'datetime', 'name']);

/** A frame in a language whose words are 40 % longer than English: where a text is cut or pushes others away, it shows. */
export function lengthened(frame: string): string {
  return JSON.stringify(longer(Json.parse(JSON.parse(frame)), undefined));
}

function longer(value: Json, key: string | undefined): Json {
  if (key !== undefined && (KEPT_KEYS.has(key) || ALSO_KEPT.has(key))) return value;
  if (typeof value === 'string') return value.startsWith('/') || value.startsWith('http') ? value : longerText(value);
  if (Array.isArray(value)) return value.map(each => longer(each, undefined));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, longer(each, name)]));
}

function longerText(text: string): string {
  if (text.trim() === '') return text;
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return `${before}[${words.replace(/\p{L}+/gu, word => longerWord(word))}]${after}`;
}

/** In the placeholders of a text, nothing changes. */
function longerWord(word: string): string {
  if (word === 'n' || word === 'total') return word;
  const more = Math.ceil(word.length * 0.4);
  const vowel = /[aeiou]/i.exec(word)?.[0].toLowerCase() ?? 'o';
  return `${word}${vowel.repeat(more)}`;
}
