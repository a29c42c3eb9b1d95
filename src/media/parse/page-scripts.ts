/** The scripts of a page, in which the sites put their data. Linear in the page's length, whatever the page is. */

export interface PageScript {
  /** The start tag. */
  readonly tag: string;
  readonly text: string;
  /** Whether the tag says that the text is JSON. */
  readonly isJson: boolean;
}

const MAX_SCRIPTS = 2_000;
const MAX_SCRIPT_CHARS = 16 * 1024 * 1024;
/** A start tag longer than this is none of the sites'. */
const MAX_TAG_CHARS = 4_096;
const JSON_TAG = /\stype\s*=\s*["']?application\/json|\sdata-sjs\b/i;

/** Each `<script>` of the page, in order; one that never ends is left out. */
export function* pageScripts(html: string): Generator<PageScript> {
  const open = /<script(?=[\s>])/gi;
  const close = /<\/script/gi;
  for (let count = 0; count < MAX_SCRIPTS; count += 1) {
    const start = open.exec(html);
    if (start === null) return;
    const tagEnd = html.indexOf('>', start.index);
    if (tagEnd === -1) return;
    close.lastIndex = tagEnd;
    const end = close.exec(html);
    if (end === null) return;
    if (tagEnd - start.index <= MAX_TAG_CHARS && end.index - tagEnd <= MAX_SCRIPT_CHARS) {
      const tag = html.slice(start.index, tagEnd + 1);
      yield { tag, text: html.slice(tagEnd + 1, end.index), isJson: JSON_TAG.test(tag) };
    }
    open.lastIndex = end.index;
  }
}

/** What is left of a page without its scripts, which is what a visitor can see; at most `maxChars` of it. */
export function visibleMarkup(html: string, maxChars: number): string {
  const open = /<script(?=[\s>])/gi;
  const close = /<\/script/gi;
  let visible = '';
  let start = 0;
  while (visible.length < maxChars) {
    open.lastIndex = start;
    const script = open.exec(html);
    if (script === null) return (visible + html.slice(start)).slice(0, maxChars);
    visible += html.slice(start, script.index);
    close.lastIndex = script.index;
    const end = close.exec(html);
    if (end === null) break;
    const behind = html.indexOf('>', close.lastIndex);
    start = behind === -1 ? html.length : behind + 1;
  }
  return visible.slice(0, maxChars);
}
