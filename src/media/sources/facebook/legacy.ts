import { isJsonObject, type JsonObject, parseJson } from '../../parse/json-search.ts';

const MAX_LITERALS = 50;
const MAX_LITERAL_CHARS = 500_000;
const VIDEO_DATA = /["']?videoData["']?\s{0,8}:\s{0,8}(?=\[)/g;
/** Tokens of an object literal as their pages wrote it: JSON, but keys may be bare and truth is `!0`. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|!0|!1|-?\d[\d.eE+-]{0,40}|[A-Za-z_$][\w$]{0,80}|\s+/y;
const WORDS: ReadonlyMap<string, string> = new Map([
  ['!0', 'true'],
  ['!1', 'false'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['undefined', 'null'],
]);

function asJson(token: string): string {
  return WORDS.get(token) ?? (/^[A-Za-z_$]/.test(token) ? JSON.stringify(token) : token);
}

/** The list literal that begins at `start`, and where it ends; undefined when it is none. */
function listAt(text: string, start: number): { readonly value: unknown; readonly end: number } | undefined {
  const parts: string[] = [];
  let depth = 0;
  TOKEN.lastIndex = start;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    if (TOKEN.lastIndex - start > MAX_LITERAL_CHARS) return undefined;
    parts.push(asJson(token));
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (depth === 0) return { value: parseJson(parts.join('')), end: TOKEN.lastIndex };
  }
  return undefined;
}

/** Entries of every `videoData: [...]` in a script: the player's configuration before 2020, still in embedded players. */
export function legacyVideoData(script: string): readonly JsonObject[] {
  if (!script.includes('videoData')) return [];
  const found: JsonObject[] = [];
  VIDEO_DATA.lastIndex = 0;
  for (let count = 0; count < MAX_LITERALS; count += 1) {
    const match = VIDEO_DATA.exec(script);
    if (match === null) break;
    const list = listAt(script, VIDEO_DATA.lastIndex);
    // Reading on from inside a broken literal could read the rest once per literal.
    if (list === undefined) break;
    if (Array.isArray(list.value)) found.push(...list.value.filter(isJsonObject));
    VIDEO_DATA.lastIndex = list.end;
  }
  return found;
}
