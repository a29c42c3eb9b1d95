/** Reads what the head of a page says to crawlers. Linear in the page's length. */
import { Parser } from 'htmlparser2';

export interface PageMeta {
  readonly canonical: string | null;
  /** `og:`, `al:` and `twitter:` properties, the first of each. */
  readonly og: ReadonlyMap<string, string>;
}

const MAX_TAGS = 500;
const MAX_TAG_CHARS = 8_192;
const PROPERTY = /^(?:og|al|twitter):/;

/** Every `<meta …>` and `<link …>`. */
function* headTags(head: string): Generator<string> {
  const open = /<(?:meta|link)\s/gi;
  for (let count = 0; count < MAX_TAGS; count += 1) {
    const start = open.exec(head);
    if (start === null) return;
    const end = head.indexOf('>', open.lastIndex);
    if (end === -1) return;
    if (end - start.index > MAX_TAG_CHARS) continue;
    yield head.slice(start.index, end + 1);
    open.lastIndex = end + 1;
  }
}

/** `head` is what stands before the body of the page. */
export function readMeta(head: string): PageMeta {
  const og = new Map<string, string>();
  let canonical: string | null = null;
  const parser = new Parser({
    onopentag(name, attributes) {
      const { content, rel, href } = attributes;
      const property = attributes.property ?? attributes.name;
      if (name === 'meta' && property && PROPERTY.test(property) && content && !og.has(property)) {
        og.set(property, content);
      }
      if (name === 'link' && rel === 'canonical' && href) canonical ??= href;
    },
  });
  for (const tag of headTags(head)) parser.write(tag);
  parser.end();
  return { canonical, og };
}
