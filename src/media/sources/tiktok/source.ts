import type { CookieJar } from 'tough-cookie';
import type { MediaSource, PostRef } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import type { Post } from '../../post.ts';
import { createPageSource } from '../kit/page-site.ts';
import { readTiktokPage, targetOfPage, WALL } from './answer.ts';
import { createTiktokConstants, TIKTOK_EXAMPLES } from './constants.ts';
import { matchTiktokLink, TIKTOK_HOSTS, tiktokRefOf } from './link.ts';
import { TIKTOK_MEDIA_HOSTS } from './parse/media.ts';

const SITE = 'https://www.tiktok.com/';

/** Files are given to those alone who name the site and bring the mark that its page set. */
function withHeaders(post: Post, { cookies }: { readonly cookies: CookieJar }): Post {
  const mark = cookies.getCookiesSync(SITE).find(({ key }) => key === 'tt_chain_token')?.value ?? '';
  const cookie = /^[\x21-\x7e]{1,2000}$/.test(mark) ? { cookie: `tt_chain_token=${mark}` } : {};
  const headers = { referer: SITE, ...cookie };
  const items = post.items.map(item => ({ ...item, variants: item.variants.map(file => ({ ...file, headers })) }));
  return { ...post, items };
}

export function createTiktokSource(options: SourceOptions): MediaSource {
  return createPageSource(options, {
    id: 'tiktok',
    match: matchTiktokLink,
    refOf: tiktokRefOf,
    hosts: TIKTOK_HOSTS,
    mediaHosts: TIKTOK_MEDIA_HOSTS,
    examples: TIKTOK_EXAMPLES,
    maxBytes: 4 * 1024 * 1024,
    endpoints: { page: (ref: PostRef) => ref.url, embed: ({ id }: PostRef) => `${SITE}embed/v2/${id}` },
    profiles: createTiktokConstants(options.upstreamConstants).profiles,
    read: readTiktokPage,
    wall: WALL,
    namedBy: targetOfPage,
    finish: withHeaders,
  });
}
