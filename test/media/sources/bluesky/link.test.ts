import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../../src/media/extract/find-addresses.ts';
import { blueskyRefOf, matchBlueskyLink } from '../../../../src/media/sources/bluesky/link.ts';
import { DID, KEY } from './fixture.ts';

const match = (link: string) => {
  const address = parseAddress(link);
  return address && matchBlueskyLink(address);
};

describe('a link of Bluesky', () => {
  it.each([
    [`https://bsky.app/profile/pier-lights.example/post/${KEY}`, 'pier-lights.example'],
    [`bsky.app/profile/Pier-Lights.Example/post/${KEY}?ref_src=embed`, 'pier-lights.example'],
    [`https://bsky.app/profile/${DID}/post/${KEY}/`, DID],
    [`https://bsky.app/profile/${DID.replaceAll(':', '%3A')}/post/${KEY}/liked-by`, DID],
    [`https://bsky.app/profile/did:web:pier.example/post/${KEY}`, 'did:web:pier.example'],
    [`https://fxbsky.app/profile/pier.example/post/${KEY}`, 'pier.example'],
    [`https://bskx.app/profile/pier.example/post/${KEY}`, 'pier.example'],
    [`https://r.bsyy.app/profile/pier.example/post/${KEY}`, 'pier.example'],
    [`https://embed.bsky.app/embed/${DID}/app.bsky.feed.post/${KEY}`, DID],
    [`https://pdsls.dev/at://${DID}/app.bsky.feed.post/${KEY}`, DID],
    [`at://${DID}/app.bsky.feed.post/${KEY}`, DID],
    [`at://Pier.Example/app.bsky.feed.post/${KEY}`, 'pier.example'],
  ])('%s names a post of %s', (link, actor) => {
    expect(match(link)).toMatchObject({
      kind: 'post',
      ref: {
        source: 'bluesky',
        id: `${actor}_${KEY}`,
        url: `https://bsky.app/profile/${actor}/post/${KEY}`,
        itemIndex: null,
      },
    });
  });

  it('points at an item', () => {
    expect(match(`https://bsky.app/profile/pier.example/post/${KEY}?img_index=2`)).toMatchObject({
      ref: { itemIndex: 1 },
    });
  });

  it.each([
    ['https://bsky.app/', 'page'],
    ['https://bsky.app/profile/pier.example', 'profile'],
    ['https://bsky.app/profile/pier.example/feed/lamps', 'page'],
    ['https://bsky.app/profile/nobody/post/3pierlamp2222', 'page'],
    ['https://bsky.app/hashtag/pier', 'tag'],
    ['https://bsky.app/search?q=pier', 'search'],
    ['https://public.api.bsky.app/xrpc/app.bsky.feed.getPosts', 'page'],
  ])('%s leads to a %s', (link, what) => {
    expect(match(link)).toEqual({ kind: 'unsupported', what });
  });

  it('is on its hosts alone, with names and ids that are some', () => {
    for (const host of ['notbsky.app', 'bsky.app.example', 'bsky.social', 'host.bsky.network']) {
      expect(match(`https://${host}/profile/pier.example/post/${KEY}`), host).toBeUndefined();
    }
    for (const id of [
      '',
      'a',
      'pier.example',
      'pier.example_../x',
      `did:plc:short_${KEY}`,
      `pier.example_${'a'.repeat(65)}`,
    ]) {
      expect(blueskyRefOf(id), id).toBeUndefined();
    }
  });
});
