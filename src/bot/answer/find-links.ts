import {
  mapPage,
  matchOsuLink,
  OSU_SITE,
  type OsuLink,
  scorePage,
  setPage,
  userPage,
} from '../../beatmaps/model/link.ts';
import { areMods } from '../../beatmaps/model/mods.ts';
import type { Extractor } from '../../media/extract/extractor.ts';
import { findAddresses } from '../../media/extract/find-addresses.ts';
import { type Accepted, termOf } from '../contract/command.ts';
import type { LinksBody } from '../contract/request.ts';
import { VIEWS } from '../contract/settings.ts';

const OSU_HOST = /^(?:https?:\/\/)?(?:[a-z\d-]+\.)*ppy\.sh(?:[/?#]|$)/i;

/** Finds the links of posts, then those of osu!, in canonical form; takes hardly any time if there are none. */
export type LinkFinder = (text: string) => readonly string[];

export function createLinkFinder(extractor: Pick<Extractor, 'findLinks'>): LinkFinder {
  return text => {
    const osu = findOsuLinks(text);
    const posts = extractor.findLinks(text);
    return osu.length === 0 ? posts : [...posts, ...osu];
  };
}

const SITE = new RegExp(OSU_SITE, 'i');

/** Matches the beginning of the game's own address of a map: `osu://b/1`. */
const GAME = /(?<!\S)osu:\/\/(?=(?:b|s|dl?)\/\d)/gi;

/** The text with the website's addresses of maps in place of the game's. */
function withWebAddresses(text: string): string {
  return text.replace(GAME, 'https://osu.ppy.sh/');
}

/** The addresses of osu! maps, plays and players in a text, including addresses of maps on mirrors and the game's. */
function findOsuLinks(said: string): readonly string[] {
  const text = withWebAddresses(said);
  if (!SITE.test(text)) return [];
  const found = findAddresses(text, ({ hostname }) => SITE.test(hostname)).flatMap(address => {
    // People write mods right behind a link, as in `LINK+HDDT`; these are no part of the address.
    const link = matchOsuLink(address.replace(/\+.*$/, ''));
    return link === undefined ? [] : [canonicalOsuLink(link)];
  });
  return [...new Set(found)];
}

function canonicalOsuLink(link: OsuLink): string {
  switch (link.kind) {
    case 'set':
      return `${setPage(link.id)}${link.ruleset === undefined ? '' : `#${link.ruleset}`}`;
    case 'map':
      return link.ruleset === undefined ? mapPage(link.id) : `${mapPage(link.id)}?mode=${link.ruleset}`;
    case 'score':
      return scorePage(link.id, link.ruleset);
    case 'user': {
      if ('id' in link) return userPage(link.id, link.ruleset);
      const mode = link.ruleset === undefined ? '' : `/${link.ruleset}`;
      return `https://osu.ppy.sh/users/${encodeURIComponent(link.name)}${mode}`;
    }
  }
}

/** The kind of link, by which the command that answers it is chosen. */
export function kindOfLink(url: string): Accepted {
  if (!OSU_HOST.test(url)) return 'link';
  switch (matchOsuLink(url)?.kind) {
    case 'user':
      return 'player-link';
    case 'score':
      return 'score-link';
    default:
      return 'beatmap-link';
  }
}

type Terms = Readonly<Record<string, string>>;

/** Matches an osu! address. No search begins within a word, because of the look-behind, so the time is linear. */
const ADDRESS = new RegExp(String.raw`(?<![^\s<>()|])[^\s<>()|]*${OSU_SITE}/[^\s<>()|+]*`, 'giu');
const MAX_CHARS = 6_000;

/**
 * Finds the options that people write beside osu! links in a message, by canonical link. Right behind a link, every
 * option counts that is known by its form: `LINK +HDDT 98%`. Farther behind a link, or before the first one, only mods
 * count: "try LINK with +HR".
 */
export function termsBeside(text: string, findLinks: LinkFinder): ReadonlyMap<string, Terms> {
  const whole = withWebAddresses(text.slice(0, MAX_CHARS));
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
    // If mods exclude each other, the mods that were written first are kept.
    if (!isMore) found[key] = value;
    else if (areMods(`${known}${value}`.match(/[a-z\d]{2}/gi) ?? [])) found[key] = `${known} ${value}`;
  }
  return found;
}

/** The words of a text, without the punctuation behind them. */
function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).flatMap(word => word.replace(/(?<![.,;:!?)\]>*_|])[.,;:!?)\]>*_|]+$/, '') || []);
}

/** Matches one wish about how to show a link, such as `view:media`, that stands between spaces. */
const WISH = /(?<!\S)(view|clip)[:=]([\w:.\u2013\u2014-]{1,32})(?!\S)/giu;

/**
 * How a person wants a pasted link shown, as written beside it: `view:media`, `clip:0:05-0:20`. A range of time is
 * checked when it is used.
 */
export function findWishes(text: string): Pick<LinksBody['what'][number], 'view' | 'clip'> {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of text.slice(0, MAX_CHARS).matchAll(WISH)) found.set(name.toLowerCase(), value);
  const view = VIEWS.find(each => each === found.get('view')?.toLowerCase());
  const clip = found.get('clip');
  return { ...(view !== undefined && { view }), ...(clip !== undefined && /\d/.test(clip) && { clip }) };
}

/** The text without wishes such as `view:media` and `clip:0:05-0:20`. */
export function withoutWishes(text: string): string {
  return text.replace(WISH, '');
}
