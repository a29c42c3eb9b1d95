import { VIEWS, type View } from './settings.ts';

/** How a pasted link is wanted, written beside it: `view:media`, `clip:0:05-0:20`. */
export interface Wishes {
  readonly view?: View;
  /** The range as it was written; it is checked when it is used. */
  readonly clip?: string;
}

/** Words between which these stand; one message has few of them. */
const WISH = /(?<!\S)(view|clip)[:=]([\w:.\u2013\u2014-]{1,32})(?!\S)/giu;
const MAX_CHARS = 6_000;

/** Only what has the form of a wish is one, whatever else is said in the message. */
export function findWishes(text: string): Wishes {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of text.slice(0, MAX_CHARS).matchAll(WISH)) found.set(name.toLowerCase(), value);
  const view = VIEWS.find(each => each === found.get('view')?.toLowerCase());
  const clip = found.get('clip');
  return { ...(view !== undefined && { view }), ...(clip !== undefined && /\d/.test(clip) && { clip }) };
}

/** The text without them. */
export function withoutWishes(text: string): string {
  return text.replace(WISH, '');
}
