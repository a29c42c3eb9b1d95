import type { PastedLink } from '../../../bot/contract/request.ts';

/** The number of links that are read from one message. */
const MAX_LINKS = 20;
/** No message is longer. */
const MAX_CHARS = 6_000;
const BLANK = ' ';

/**
 * The addresses that a Discord message shows as links, in order, and whether they stand inside `||spoilers||`. Skipped are
 * `<links>` without a preview, code, and quotes. Addresses without a scheme count where a path follows. Linear in the text.
 */
export function findMarkdownLinks(text: string): readonly PastedLink[] {
  return linksIn(withoutQuotes(withoutCode(text.slice(0, MAX_CHARS))));
}

/** Finds those in quotes too, which Discord unfurls like any other. */
export function findUnfurledLinks(text: string): readonly PastedLink[] {
  return linksIn(withoutCode(text.slice(0, MAX_CHARS)));
}

function linksIn(text: string): readonly PastedLink[] {
  const shown = withoutSuppressed(text);
  const found = new Map<string, PastedLink>();
  for (const { part, spoiler } of spoilerParts(shown)) {
    for (const url of addressesIn(part)) {
      if (found.size >= MAX_LINKS && !found.has(url)) continue;
      found.set(url, { url, spoiler: spoiler || (found.get(url)?.spoiler ?? false) });
    }
  }
  return [...found.values()];
}

/** Code spans and blocks: from a run of backticks to the next run of the same length. An unclosed run is plain text. */
function withoutCode(text: string): string {
  const runs = [...text.matchAll(/\\`|`+/g)].filter(([run]) => run !== '\\`');
  const closing = closingRuns(runs.map(([run]) => run.length));
  let kept = '';
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const end = closing[at];
    const open = runs[at];
    const close = end === undefined ? undefined : runs[end];
    if (end === undefined || !open || !close) continue;
    kept += text.slice(from, open.index) + BLANK;
    from = close.index + close[0].length;
    at = end;
  }
  return kept + text.slice(from);
}

/** For each run the next one of its length; fences may be longer than three. */
function closingRuns(lengths: readonly number[]): readonly (number | undefined)[] {
  const next = new Map<number, number>();
  const closing: (number | undefined)[] = [];
  for (let at = lengths.length - 1; at >= 0; at -= 1) {
    const length = Math.min(lengths[at] ?? 0, 3);
    closing[at] = next.get(length);
    next.set(length, at);
  }
  return closing;
}

/** `> ` quotes its line, `>>> ` all that follows. */
function withoutQuotes(text: string): string {
  const quote = /^[ \t]{0,8}>>>[ \t]/m.exec(text);
  const shown = quote ? text.slice(0, quote.index) : text;
  return shown.replace(/^[ \t]{0,8}>[ \t].*$/gm, BLANK);
}

function withoutSuppressed(text: string): string {
  return text.replace(/<https?:\/\/[^\s<>]*>/gi, BLANK);
}

interface Part {
  readonly part: string;
  readonly spoiler: boolean;
}

/** Pairs of `||`; the last one without a partner is plain text. */
function spoilerParts(text: string): readonly Part[] {
  const parts = text.replaceAll('\\|', BLANK).split('||');
  return parts.map((part, index) => ({ part, spoiler: index % 2 === 1 && index < parts.length - 1 }));
}

/** An address with a scheme may begin anywhere; one without begins a word. */
const ADDRESS = /https?:\/\/[^\s<>"`|\\]+|(?<![^\s([])(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24}(?::443)?\/[^\s<>"`|\\]+/gi;

function addressesIn(text: string): readonly string[] {
  return [...text.matchAll(ADDRESS)].flatMap(([match]) => splitAddresses(match)).map(trimmed);
}

/** `https://a,https://b` are two. */
function splitAddresses(text: string): readonly string[] {
  return text.split(/(?<=[^=?&/])(?=https?:\/\/)/i);
}

/** Removes the punctuation of the sentence and the markup around it; a closing bracket stays where it was opened inside. */
function trimmed(address: string): string {
  let end = address.length;
  let open = count(address, '(') - count(address, ')');
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? '';
    if (last === ')' && open < 0) open += 1;
    else if (!'.,;:!?\'"*_~]}\u2019\u201d'.includes(last)) break;
  }
  return address.slice(0, end);
}

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}
