import { areMods } from '../../beatmaps/model/mods.ts';
import { termOf } from '../contract/terms.ts';
import type { LinkFinder } from './links.ts';

type Terms = Readonly<Record<string, string>>;

const ADDRESS = /\S*ppy\.sh\/\S*/giu;
const MAX_CHARS = 6_000;

/**
 * How osu! links in a message are wanted, by canonical link. Words count right behind a link, `LINK +HDDT 98%`; farther away in a sentence,
 * up to the next link, or before the first one, only mods do: "try LINK with +HR".
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
  const found: Record<string, string> = {};
  let isBehind = true;
  for (const word of behind.split(/\s+/).concat(before.split(/\s+/))) {
    if (word === '') continue;
    const [key, value] = termOf(word.replace(/[.,;:!?)\]>*_|]+$/, '')) ?? [];
    isBehind &&= key !== undefined;
    const isMods = key === 'mods' && (isBehind || word.startsWith('+'));
    if (key === undefined || value === undefined || !(isBehind || isMods)) continue;
    const before = found[key];
    if (before === undefined) found[key] = value;
    else if (isMods && areMods(`${before}${value}`.match(/../g) ?? [])) found[key] = `${before} ${value}`;
  }
  return found;
}
