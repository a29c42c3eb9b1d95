import { parseRuleset, type Ruleset } from './beatmapset.ts';

/** The target of an osu! address. */
export type OsuLink = { readonly ruleset?: Ruleset | undefined } & (
  | { readonly kind: 'set' | 'score' | 'user'; readonly id: number }
  | { readonly kind: 'map'; readonly id: number; readonly setId?: number }
  | { readonly kind: 'user'; readonly name: string }
);

const HOSTS: ReadonlySet<string> = new Set([
  'osu.ppy.sh',
  'old.ppy.sh',
  'new.ppy.sh',
  'www.osu.ppy.sh',
  'lazer.ppy.sh',
]);
/** The text of a pattern for the hosts of mirrors, which have osu!'s beatmapsets under osu!'s ids. */
const MIRROR = String.raw`(?:[a-z]{2,8}\.)?catboy\.best|osu\.direct|(?:api\.)?nerinyan\.moe|mirror\.(?:hinamizawa\.ai|nekoha\.moe)|beatconnect\.io|beatmaps\.download|osu\.gatari\.pw|dl\.sayobot\.cn`;
const MIRROR_HOST = new RegExp(`^(?:${MIRROR})$`);
const MIRROR_PATH = /\/(s|d|b|beatmaps|beatmapsets|download|download\/[a-z]+)\/(\d+n?)(?=\/|$)/i;
/** The text of a pattern that matches a part of each address of osu! or a mirror, for finding such addresses. */
export const OSU_SITE = String.raw`(?:ppy\.sh|${MIRROR})`;
const MAX_LINK_LENGTH = 2_048;

/** An osu! name without `@`: 2 to 15 letters, digits, spaces, `-`, `_`, `[` or `]`; some old names are longer. */
export const USERNAME = /^[\w[\] -]{1,30}$/;

/**
 * Reads every form in which osu! writes the address of a set, a difficulty, a score or a player: with or without a
 * scheme, the game's own (`osu://b/1`), with further path segments. Also reads a mirror's address of a set or
 * difficulty. Bare ids and names are not addresses: only the caller knows what they stand for.
 * @example matchOsuLink('https://osu.ppy.sh/beatmapsets/12#taiko/34') // { kind: 'map', id: 34, setId: 12, ruleset:
 * 'taiko' }
 */
export function matchOsuLink(text: string): OsuLink | undefined {
  const address = parseAddress(text.trim());
  if (address === undefined) return undefined;
  if (!HOSTS.has(address.hostname)) return mirrorLink(address);
  const segments = address.pathname.split('/').filter(segment => segment !== '');
  const [section, first, second] = segments;
  switch (section?.toLowerCase()) {
    case 'beatmapsets':
      return first?.toLowerCase() === 'discussions' ? undefined : setLink(first, address);
    case 'beatmaps':
    case 'b':
      return mapLink(first, address);
    case 's':
    case 'd':
    case 'dl':
      return setLink(first, address);
    case 'p':
      return oldPageLink(first, address);
    case 'u':
    case 'users':
      return userLink(first, second);
    case 'scores':
      return scoreLink(first, second);
    default:
      return undefined;
  }
}

function parseAddress(text: string): URL | undefined {
  if (text.length > MAX_LINK_LENGTH) return undefined;
  const bare = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text;
  if (/[\s\\]/.test(bare)) return undefined;
  const full = /^[a-z][a-z\d+.-]*:/i.test(bare) ? bare.replace(/^osu:\/\//i, 'https://osu.ppy.sh/') : `https://${bare}`;
  if (!URL.canParse(full)) return undefined;
  const url = new URL(full);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  const isKnown = HOSTS.has(url.hostname) || MIRROR_HOST.test(url.hostname);
  return isWeb && isKnown && url.port === '' && url.username === '' ? url : undefined;
}

/** Reads addresses such as `/d/1`, `/api/v2/b/1` and `/beatmapsets/1#osu/2`. At Beatconnect `/b/` has sets. */
function mirrorLink(address: URL): OsuLink | undefined {
  const [, section = '', id] = MIRROR_PATH.exec(address.pathname) ?? [];
  const isMap = /^b(?:eatmaps)?$/i.test(section) && address.hostname !== 'beatconnect.io';
  return isMap ? mapLink(id, address) : setLink(id, address);
}

/** Reads `/beatmapsets/1`, alone or with `#osu`, `#osu/2` or the old `#2` behind it; also `/s/1`, `/d/1`, `/d/1n`. */
function setLink(segment: string | undefined, { hash }: URL): OsuLink | undefined {
  const id = parseId(segment?.replace(/n$/i, ''));
  if (id === undefined) return undefined;
  const [word = '', map] = decode(hash.slice(1)).split('/');
  // Digits alone never mean a ruleset here: in old addresses `#3` is a difficulty's id.
  const ruleset = /^\d+$/.test(word) ? undefined : parseRuleset(word);
  const mapId = parseId(map ?? word);
  if (mapId !== undefined && (map === undefined || ruleset !== undefined)) {
    return { kind: 'map', id: mapId, setId: id, ruleset };
  }
  return { kind: 'set', id, ruleset };
}

/** Reads `/beatmaps/1`, `/beatmaps/1?mode=taiko`, `/b/1`, `/b/1&m=1`, `/b/1?m=1`. */
function mapLink(segment: string | undefined, { searchParams, hash }: URL): OsuLink | undefined {
  const [digits, ...pairs] = (segment ?? '').split('&');
  const id = parseId(digits);
  if (id === undefined) return undefined;
  const inPath = new URLSearchParams(pairs.join('&'));
  const word = searchParams.get('mode') ?? searchParams.get('ruleset') ?? searchParams.get('m') ?? inPath.get('m');
  return { kind: 'map', id, ruleset: parseRuleset(word ?? hash.slice(1)) };
}

/** Reads addresses of osu!'s first site: `/p/beatmap?b=1&m=0` and `/p/beatmap?s=1`. */
function oldPageLink(page: string | undefined, { searchParams }: URL): OsuLink | undefined {
  if (page?.toLowerCase() !== 'beatmap') return undefined;
  const ruleset = parseRuleset(searchParams.get('m') ?? '');
  const map = parseId(searchParams.get('b'));
  if (map !== undefined) return { kind: 'map', id: map, ruleset };
  const set = parseId(searchParams.get('s'));
  return set === undefined ? undefined : { kind: 'set', id: set, ruleset };
}

function userLink(segment: string | undefined, mode: string | undefined): OsuLink | undefined {
  const text = decode(segment ?? '').trim();
  const ruleset = parseRuleset(mode ?? '');
  const id = parseId(text);
  if (id !== undefined) return { kind: 'user', id, ruleset };
  const name = text.replace(/^@/, '');
  return USERNAME.test(name) ? { kind: 'user', name, ruleset } : undefined;
}

function scoreLink(first: string | undefined, second: string | undefined): OsuLink | undefined {
  const id = parseId(first);
  if (id !== undefined) return { kind: 'score', id };
  const ruleset = parseRuleset(first ?? '');
  const legacyId = parseId(second);
  return ruleset === undefined || legacyId === undefined ? undefined : { kind: 'score', id: legacyId, ruleset };
}

function parseId(text: string | null | undefined): number | undefined {
  if (!/^\d{1,16}$/.test(text ?? '')) return undefined;
  const id = Number(text);
  return id > 0 && Number.isSafeInteger(id) ? id : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of the page of a set or of one of its difficulties. */
export function setPage(id: number, map?: { readonly id: number; readonly mode: Ruleset }): string {
  return `https://osu.ppy.sh/beatmapsets/${id}${map === undefined ? '' : `#${map.mode}/${map.id}`}`;
}

export function mapPage(id: number): string {
  return `https://osu.ppy.sh/beatmaps/${id}`;
}

export function userPage(id: number, ruleset?: Ruleset): string {
  return `https://osu.ppy.sh/users/${id}${ruleset === undefined ? '' : `/${ruleset}`}`;
}

/** @param ruleset needed for an id from before 2022, when each ruleset numbered its plays separately */
export function scorePage(id: number, ruleset?: Ruleset): string {
  return `https://osu.ppy.sh/scores/${ruleset === undefined ? '' : `${ruleset}/`}${id}`;
}

/** The address that opens the set in the game (osu!direct), which osu! lets only some players do. */
export function directLink(setId: number): string {
  return `osu://dl/${setId}`;
}
