import { readFileSync } from 'node:fs';
import type { PostRef } from '../../../../src/media/extract/source.ts';
import { matchFacebookLink } from '../../../../src/media/sources/facebook/link.ts';

/** Ids of the made-up posts in the fixtures. */
export const IDS = {
  reel: '700100200300401',
  watch: '700100200300402',
  reelDelivery: '700100200300403',
  live: '700100200300406',
  /** Of other people's videos in the same pages. */
  decoy: '700100200300499',
  postVideo: '3300200100500',
  postPhotos: '3300200100600',
  postShared: '3300200100800',
  postWords: '3300200100801',
  photo: '880010009',
} as const;

export const PFBID = 'pfbid02aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcdefghijkLMNOPQRSTuvwl';

export function fixture(name: string): string {
  return readFileSync(new URL(`../../../fixtures/facebook/${name}`, import.meta.url), 'utf8');
}

export function refOf(url: string): PostRef {
  const match = matchFacebookLink(new URL(url));
  if (match?.kind !== 'post') throw new Error(`${url} names no post`);
  return match.ref;
}

export const REFS = {
  reel: refOf(`https://www.facebook.com/reel/${IDS.reel}`),
  watch: refOf(`https://www.facebook.com/tidewatch/videos/${IDS.watch}/`),
  reelDelivery: refOf(`https://www.facebook.com/reel/${IDS.reelDelivery}`),
  live: refOf(`https://www.facebook.com/watch/?v=${IDS.live}`),
  postVideo: refOf(`https://www.facebook.com/nordkap.trams/posts/${IDS.postVideo}`),
  postPhotos: refOf(`https://www.facebook.com/mira.okeke/posts/${IDS.postPhotos}`),
  postPfbid: refOf(`https://www.facebook.com/mira.okeke/posts/${PFBID}`),
  postShared: refOf(`https://www.facebook.com/lena/posts/${IDS.postShared}`),
  postWords: refOf(`https://www.facebook.com/lena/posts/${IDS.postWords}`),
  photo: refOf(`https://www.facebook.com/photo/?fbid=${IDS.photo}`),
} as const;
