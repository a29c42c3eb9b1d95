/** Finds the post to which an address on TikTok leads. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { linkMatcher, PAGE, type PathShape, postMatch, unsupported, wrapper } from '../kit/link-match.ts';

export const TIKTOK_HOSTS: readonly [string, ...string[]] = [
  ...(['www.tiktok.com', 'tiktok.com', 'm.tiktok.com', 'vm.tiktok.com', 'vt.tiktok.com'] as const),
  ...['tiktokv.com', 'www.tiktokv.com', 'm.tiktokv.com'],
];
const SITE = /^(?:(?:(?:www|m|vm|vt|t|lite)\.)?tiktok|(?:(?:www|m)\.)?tiktokv)\.com$/;
/**
 * Mirrors that people paste in chats for a better preview, with TikTok's paths and some subdomains (known in 2026-10).
 */
const MIRROR = /^(?:(?:www|m|vm|vt|a|d)\.)?(?:(?:vx|fix|tnk|kk|tt)tiktok|tnktok|tfxktok|tiktxk|tiktokez)\.com$/;

/** The address has `_` in place of the author's name, because the site finds a post by its number alone. */
export function tiktokRefOf(id: string): PostRef | undefined {
  if (!/^\d{15,20}$/.test(id)) return undefined;
  const url = `https://www.tiktok.com/@_/video/${id}`;
  return { source: 'tiktok', id, form: 'video', url, itemIndex: null, parts: {} };
}

function shortMatch(place: string, code: string): LinkMatch {
  return { kind: 'short', url: `https://${place}/${code}/`, key: `${place}/${code}` };
}

const ID = '(\\d{15,20})';
const POST = `(?:@[^/]{0,60}/(?:video|photo)|embed(?:/v[23])?|player/v1|(?:i18n/)?share/video|video)/${ID}(?:/|$)`;

const PATHS: readonly PathShape[] = [
  [
    /^([\w-]{5,24})$/,
    ([, code = ''], _, host) =>
      /^v[mt]\./.test(host) ? shortMatch(`${host.slice(0, 2)}.tiktok.com`, code) : undefined,
  ],
  [
    new RegExp(`^${POST}|^v/${ID}(?:\\.html)?(?:/|$)`),
    ([, id, mobileId = '']) => postMatch(tiktokRefOf(id ?? mobileId)),
  ],
  [/^t\/([\w-]{5,24})(?:\/|$)/, ([, code = '']) => shortMatch('www.tiktok.com/t', code)],
  [/^login(?:\/|$)/, (_, query) => wrapper(query.get('redirect_url'))],
  [/^@[^/]{1,60}\/live(?:\/|$)/, () => unsupported('live')],
  [/^@[^/]{1,60}\/playlist(?:\/|$)/, () => PAGE],
  [/^@[^/]{1,60}(?:\/|$)/, () => unsupported('profile')],
  [/^tag\//, () => unsupported('tag')],
  [/^music\//, () => unsupported('audio')],
  [/^search(?:\/|$)/, () => unsupported('search')],
];

export const matchTiktokLink = linkMatcher([SITE, MIRROR].map(hosts => [hosts, PATHS]));
