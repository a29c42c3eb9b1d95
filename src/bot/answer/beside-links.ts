import { areMods } from '../../beatmaps/model/mods.ts';
import { VIEWS, type View } from '../contract/settings.ts';
import { termOf } from '../contract/terms.ts';
import type { LinkFinder } from './links.ts';

type Terms = Readonly<Record<string, string>>;

const ADDRESS = /[^\s<>()|]*ppy\.sh\/[^\s<>()|+]*/giu;
const MAX_CHARS = 6_000;

/**
 * The options of osu! links in a message, by canonical link. Terms count right behind a link, `LINK +HDDT 98%`; farther away in a
 * sentence, up to the next link or before the first one, only mods count: "try LINK with +HR".
 */
export function termsBeside(text: string, findLinks: LinkFinder): ReadonlyMap<string, Terms> {
  const whole = text.slice(0, MAX_CHARS);
  const addresses = [...whole.matchAll(ADDRESS)];
  const found = new Map<string, Terms>();
  for (const [at, { 0: address, index }] of addresses.entries()) {
    const [link] = findLinks(address);
    const before = at === 0 ? whole.slice(0, index) : '';
    const terms = readBeside(before, whole.slice(index + address.length, addresses[at + 1]?.index));
    if (link !== undefined && Object.keys(terms).length > 0) found.set(link, terms);
  }
  return found;
}

function readBeside(before: string, behind: string): Terms {
  const words = wordsOf(behind);
  const end = words.findIndex(word => termOf(word) === undefined);
  const near = end === -1 ? words : words.slice(0, end);
  const far = [...words.slice(near.length), ...wordsOf(before)];
  const mods = far.filter(word => word.startsWith('+') && termOf(word)?.[0] === 'mods');
  const found: Record<string, string> = {};
  for (const [key, value] of [...near, ...mods].flatMap(word => [termOf(word) ?? []])) {
    if (key === undefined || value === undefined) continue;
    const known = found[key];
    const isMore = key === 'mods' && known !== undefined;
    // If mods exclude each other, the first ones count.
    if (!isMore) found[key] = value;
    else if (areMods(`${known}${value}`.match(/[a-z\d]{2}/gi) ?? [])) found[key] = `${known} ${value}`;
  }
  return found;
}

/** The words without punctuation. */
function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).flatMap(word => word.replace(/[.,;:!?)\]>*_|]+$/, '') || []);
}

/** Wishes that a person writes beside a pasted link: `view:media`, `clip:0:05-0:20`. */
export interface Wishes {
  readonly view?: View;
  /** The range as it was written; it is checked when it is used. */
  readonly clip?: string;
}

/** Wishes beside links, such as `view:media`; each stands between blanks. */
const WISH = /(?<!\S)(view|clip)[:=]([\w:.\u2013\u2014-]{1,32})(?!\S)/giu;

/** Only words in the form of a wish are wishes, whatever else the message says. */
export function findWishes(text: string): Wishes {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of text.slice(0, MAX_CHARS).matchAll(WISH)) found.set(name.toLowerCase(), value);
  const view = VIEWS.find(each => each === found.get('view')?.toLowerCase());
  const clip = found.get('clip');
  return { ...(view !== undefined && { view }), ...(clip !== undefined && /\d/.test(clip) && { clip }) };
}

/** The text without its wishes. */
export function withoutWishes(text: string): string {
  return text.replace(WISH, '');
}
