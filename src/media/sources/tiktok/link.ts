/** Addresses on TikTok -> the post that they name. Pure. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { matchPath, PAGE, type PathShape, pathOf, unsupported, wrapper } from '../kit/link-match.ts';

export const TIKTOK_HOSTS: readonly [string, ...string[]] = [
  'www.tiktok.com',
  'tiktok.com',
  'm.tiktok.com',
  'vm.tiktok.com',
  'vt.tiktok.com',
  'tiktokv.com',
  'www.tiktokv.com',
  'm.tiktokv.com',
];

/** Preview mirrors that people paste in chats; they have the same paths, and some the same prefixes. Known in 2026-10. */
const MIRROR = /^(?:(www|m|vm|vt|a|d)\.)?(?:(?:vx|fix|tnk|kk|tt)tiktok|tnktok|tfxktok|tiktxk|tiktokez)\.com$/;
const MAX_SEGMENTS = 6;

function postMatch(id: string): LinkMatch {
  // The site finds a post by its number, whatever name and form the address has.
  const url = `https://www.tiktok.com/@_/video/${id}`;
  return { kind: 'post', ref: { source: 'tiktok', id, form: 'video', url, itemIndex: null, parts: {} } };
}

function shortMatch(host: string, code: string): LinkMatch {
  const place = host === 'www.tiktok.com' ? `${host}/t` : host;
  return { kind: 'short', url: `https://${place}/${code}/`, key: `${place}/${code}` };
}

const ID = '(\\d{15,20})';

/** Shapes of paths, without the slashes at both ends; the first that matches counts. */
const PATHS: readonly PathShape[] = [
  [new RegExp(`^@[^/]{0,60}/(?:video|photo)/${ID}(?:/|$)`), ([, id = '']) => postMatch(id)],
  [new RegExp(`^(?:embed(?:/v[23])?|player/v1|share/video|video)/${ID}(?:/|$)`), ([, id = '']) => postMatch(id)],
  [new RegExp(`^v/${ID}(?:\\.html)?(?:/|$)`), ([, id = '']) => postMatch(id)],
  [/^t\/([\w-]{5,24})(?:\/|$)/, ([, code = '']) => shortMatch('www.tiktok.com', code)],
  [/^login(?:\/|$)/, (_, query) => wrapper(query.get('redirect_url')) ?? PAGE],
  [/^@[^/]{1,60}\/live(?:\/|$)/, () => unsupported('live')],
  [/^@[^/]{1,60}\/playlist(?:\/|$)/, () => PAGE],
  [/^@[^/]{1,60}(?:\/|$)/, () => unsupported('profile')],
  [/^tag\//, () => unsupported('tag')],
  [/^music\//, () => unsupported('audio')],
  [/^search(?:\/|$)/, () => unsupported('search')],
];

/** Undefined for addresses on other hosts. Pure, never throws, and takes only checked ids from the address. */
export function matchTiktokLink(address: URL): LinkMatch | undefined {
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return undefined;
  const host = address.hostname.toLowerCase();
  const mirror = MIRROR.exec(host);
  if (!TIKTOK_HOSTS.some(one => one === host) && mirror === null) return undefined;
  const path = pathOf(address, MAX_SEGMENTS).replace(/^%40/, '@');
  const prefix = mirror === null ? host.split('.', 1)[0] : mirror[1];
  const code = prefix === 'vm' || prefix === 'vt' ? /^([\w-]{5,24})$/.exec(path)?.[1] : undefined;
  return code === undefined ? matchPath(PATHS, path, address.searchParams) : shortMatch(`${prefix}.tiktok.com`, code);
}

export function tiktokRefOf(id: string): PostRef | undefined {
  const match = /^\d{15,20}$/.test(id) ? postMatch(id) : undefined;
  return match?.kind === 'post' ? match.ref : undefined;
}
