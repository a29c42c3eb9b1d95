/** The player for other sites: its page keeps the addresses of its video in a script that is no JSON. */
import type { Body } from '../../../parse/body.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../parse/json-search.ts';

const MAX_LISTS = 50;
const MAX_LIST_CHARS = 500_000;
const VIDEO_DATA = /["']?videoData["']?\s{0,8}:\s{0,8}(?=\[)/g;
/** Tokens of an object literal: JSON, but keys may be bare and truth is `!0`. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|!0|!1|-?\d[\d.eE+-]{0,40}|[A-Za-z_$][\w$]{0,80}|\s+/y;

function asJson(token: string): string {
  if (token.startsWith('!')) return String(token === '!0');
  return /^(?!true$|false$|null$)[A-Za-z_$]/.test(token) ? JSON.stringify(token) : token;
}

/** The list literal that begins at `start`, and where it ends; undefined when it is none. */
function listAt(text: string, start: number): { readonly value: unknown; readonly end: number } | undefined {
  let json = '';
  let depth = 0;
  TOKEN.lastIndex = start;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    const end = match.index + token.length;
    if (end - start > MAX_LIST_CHARS) return undefined;
    json += asJson(token);
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (depth === 0) return { value: parseJson(json), end };
  }
  return undefined;
}

function videosIn(script: string): readonly JsonObject[] {
  const found: unknown[] = [];
  let end = 0;
  for (const match of [...script.matchAll(VIDEO_DATA)].slice(0, MAX_LISTS)) {
    if (match.index < end) continue;
    const list = listAt(script, match.index + match[0].length);
    // Reading on from inside a broken literal could read the rest once per literal.
    if (list === undefined) break;
    if (Array.isArray(list.value)) found.push(...list.value);
    end = list.end;
  }
  return found.filter(isJsonObject);
}

/** The entries of every `videoData: [...]` in a page, as videos with their ids. */
export function playerVideos(body: Body): readonly JsonObject[] {
  if (!body.includes('videoData')) return [];
  const entries = body.scripts.flatMap(({ text }) => videosIn(text));
  return entries.map(entry => ({ ...entry, __typename: 'Video', id: entry.video_id }));
}
