import type { HttpHead, HttpResponse } from '../../infra/http/http-client.ts';

const MAX_SCRIPTS = 2_000;
const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;
/** A script with a longer start tag is left out. The tags of the sites are shorter. */
const MAX_TAG_BYTES = 4_096;
/** Scripts with JSON have this type, or an id such as `__PWS_DATA__`, which the sites give to their data. */
const JSON_TAG = /\stype\s*=\s*["']?application\/json|\sdata-sjs\b|\sid\s*=\s*["']?__\w/i;
/** The most bytes of a head. The sites put the metadata for crawlers before any large script. */
const MAX_HEAD_BYTES = 1024 * 1024;

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const BODY = Buffer.from('<body');
const OPEN = Buffer.from('<script');
const CLOSE = Buffer.from('</script');

/** A script of a page. The sites put their data into scripts whose text is JSON. */
export type Script = ReturnType<typeof scriptAt>;

function scriptAt(body: Buffer, tagStart: number, start: number, end: number) {
  const tag = body.toString('utf8', tagStart, start);
  return {
    tag,
    /** True when the tag says that the text is JSON. */
    isJson: JSON_TAG.test(tag),
    /** Positions in the body: where the script's text begins, and where its end tag begins. */
    start,
    end,
    /** The number of bytes of the script's text. */
    length: end - start,
    /** The script's text, decoded each time it is read. */
    get text() {
      return body.toString('utf8', start, end);
    },
  };
}

/**
 * The body of a site's answer, a page or JSON. A page is searched as bytes, and only what is read of it becomes text,
 * because most of a page is of no interest. The time of all methods is linear in the body's length.
 */
export class Body {
  readonly #bytes: Buffer;
  #text: string | undefined;
  #scripts: readonly Script[] | undefined;
  /**
   * For each text that was searched, the scripts that contain it. They are kept, because `isLarge` and later the reader
   * of the post search for the same texts.
   */
  readonly #found = new Map<string, readonly Script[]>();

  constructor(bytes: Uint8Array) {
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(hasMark ? 3 : 0);
  }

  /** The length in bytes. */
  get length(): number {
    return this.#bytes.length;
  }

  /** The whole text without a byte order mark, decoded once. */
  get text(): string {
    this.#text ??= this.#bytes.toString();
    return this.#text;
  }

  /** Says whether the body begins with that text, ignoring white space. */
  startsWith(text: string): boolean {
    let start = 0;
    while (isSpace(this.#bytes[start] ?? 0)) start += 1;
    return this.#bytes.toString('latin1', start, start + text.length) === text;
  }

  /** The part of a page up to the end of its head. */
  get head(): string {
    const end = findTag(this.#bytes, BODY, 0, isTagEnd);
    const most = Math.min(this.length, MAX_HEAD_BYTES);
    return this.#bytes.toString('utf8', 0, end === -1 ? most : Math.min(end, most));
  }

  /** All `<script>` elements of a page, in order. A script without an end tag is left out. */
  get scripts(): readonly Script[] {
    this.#scripts ??= findScripts(this.#bytes);
    return this.#scripts;
  }

  includes(text: string): boolean {
    return this.#bytes.includes(text);
  }

  /** The JSON scripts that contain one of `texts`, in order. */
  jsonScriptsWith(texts: readonly string[]): readonly Script[] {
    const found = new Set(texts.flatMap(text => this.#scriptsWith(text)));
    return this.scripts.filter(script => found.has(script));
  }

  #scriptsWith(text: string): readonly Script[] {
    const known = this.#found.get(text);
    if (known !== undefined) return known;
    const found = text === '' ? [] : scriptsAround(this.#bytes, Buffer.from(text), this.scripts);
    this.#found.set(text, found);
    return found;
  }
}

function scriptsAround(bytes: Buffer, text: Buffer, scripts: readonly Script[]): readonly Script[] {
  const found: Script[] = [];
  let at = 0;
  for (const script of scripts) {
    if (!script.isJson) continue;
    if (at < script.start) at = bytes.indexOf(text, script.start);
    if (at === -1) break;
    if (at + text.length > script.end) continue;
    found.push(script);
    // One match in a script is enough, so the search goes on at the start of the next script.
    at = 0;
  }
  return found;
}

function findScripts(bytes: Buffer): readonly Script[] {
  const scripts: Script[] = [];
  let at = 0;
  for (let count = 0; count < MAX_SCRIPTS; count += 1) {
    const tag = findTag(bytes, OPEN, at, isTagEnd);
    const tagEnd = tag === -1 ? -1 : bytes.indexOf(GREATER_THAN, tag);
    const end = tagEnd === -1 ? -1 : findTag(bytes, CLOSE, tagEnd, () => true);
    if (end === -1) break;
    const start = tagEnd + 1;
    if (tagEnd - tag <= MAX_TAG_BYTES && end - start <= MAX_SCRIPT_BYTES) {
      scripts.push(scriptAt(bytes, tag, start, end));
    }
    at = end;
  }
  return scripts;
}

/**
 * The position of the tag, in any letter case, at or after `start`; -1 when there is none. `mayFollow` must accept the
 * byte after the tag's name.
 */
function findTag(bytes: Buffer, tag: Buffer, start: number, mayFollow: (byte: number) => boolean): number {
  for (let at = bytes.indexOf(LESS_THAN, start); at !== -1; at = bytes.indexOf(LESS_THAN, at + 1)) {
    let same = 1;
    while (same < tag.length && lowerCase(bytes[at + same]) === tag[same]) same += 1;
    if (same === tag.length && mayFollow(bytes[at + same] ?? 0)) return at;
  }
  return -1;
}

function lowerCase(byte = 0): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Says whether the byte ends a tag's name. */
function isTagEnd(byte: number): boolean {
  return byte === GREATER_THAN || isSpace(byte);
}

/** A site's answer: its status, headers, final address and body. */
export interface SiteAnswer extends HttpHead {
  readonly body: Body;
}

/** A `SiteAnswer` in a form that can be sent to another thread: its body is bytes. */
export type PackedAnswer = HttpHead & Pick<HttpResponse, 'bytes'>;

export function siteAnswer({ status, headers, url, bytes }: PackedAnswer): SiteAnswer {
  return { status, headers, url, body: new Body(bytes) };
}

/** A page that is larger than this is read in a thread; most pages are smaller. */
const LARGE_BYTES = 1024 * 1024;
/** Less JSON than this is read in a few milliseconds, whatever it contains. */
const MANY_JSON_BYTES = 384 * 1024;

/**
 * Says whether another thread should read a body, because it is large or much of its JSON contains one of `names`. For
 * an ordinary page, the transfer to the thread takes longer than reading the page here.
 */
export function isLarge(body: Body, names: readonly string[]): boolean {
  if (body.length <= MANY_JSON_BYTES || body.length > LARGE_BYTES) return body.length > LARGE_BYTES;
  if (!body.startsWith('<')) return true;
  const named = body.jsonScriptsWith(names).reduce((sum, script) => sum + script.length, 0);
  return named > MANY_JSON_BYTES;
}
