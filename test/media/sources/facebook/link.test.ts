import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { facebookRefOf, matchFacebookLink } from '../../../../src/media/sources/facebook/link.ts';
import { PFBID } from './fixture.ts';

const match = (text: string) => matchFacebookLink(new URL(text.startsWith('http') ? text : `https://${text}`));

const REEL = { id: '433712053064866', form: 'reel', url: 'https://www.facebook.com/reel/433712053064866' };
const WATCH = { id: '394367115960503', form: 'watch', url: 'https://www.facebook.com/watch/?v=394367115960503' };
const VIDEO = { ...WATCH, form: 'video' };
const POST = { id: '3300200100500', form: 'post', url: 'https://www.facebook.com/nordkap.trams/posts/3300200100500' };
const BARE = { id: '3300200100500', form: 'post', url: 'https://www.facebook.com/3300200100500' };
const HIDDEN = { id: PFBID, form: 'post', url: `https://www.facebook.com/mira.okeke/posts/${PFBID}` };
const STORY = {
  id: '3300200100500',
  form: 'permalink',
  url: 'https://www.facebook.com/permalink.php?story_fbid=3300200100500&id=100064000000005',
};
const HIDDEN_STORY = {
  id: PFBID,
  form: 'permalink',
  url: `https://www.facebook.com/permalink.php?story_fbid=${PFBID}&id=100064000000005`,
};
const GROUP = {
  id: '3300200100900',
  form: 'group',
  url: 'https://www.facebook.com/groups/claypeople/posts/3300200100900',
};
const PHOTO = { id: '880010009', form: 'photo', url: 'https://www.facebook.com/photo/?fbid=880010009' };

const POSTS: readonly (readonly [string, { id: string; form: string; url: string }])[] = [
  ['www.facebook.com/reel/433712053064866', REEL],
  ['facebook.com/reel/433712053064866/', REEL],
  ['http://facebook.com/reel/433712053064866?s=yWDuG2&fs=e', REEL],
  ['m.facebook.com/reel/433712053064866/?mibextid=x', REEL],
  ['mbasic.facebook.com/reel/433712053064866', REEL],
  ['touch.facebook.com/reel/433712053064866', REEL],
  ['web.facebook.com/reel/433712053064866#top', REEL],
  ['zh-hk.facebook.com/reel/433712053064866', REEL],
  ['pt-br.facebook.com/reels/433712053064866', REEL],
  ['www.facebook.com/reels/433712053064866/', REEL],
  ['WWW.FACEBOOK.COM/Reel/433712053064866', REEL],
  ['www.facebook.com/ines.holm.clay/reels/433712053064866', REEL],
  ['fb.com/reel/433712053064866', REEL],
  ['facebed.com/reel/433712053064866', REEL],
  ['www.facebookwkhpilnemxj7asaniu7vnjjbiltxjqhye3mhbshg7kx5tfyd.onion/reel/433712053064866', REEL],
  ['www.facebook.com/watch/?v=394367115960503', WATCH],
  ['www.facebook.com/watch?v=394367115960503&ref=sharing', WATCH],
  ['www.facebook.com/watch/live/?v=394367115960503', WATCH],
  ['www.facebook.com/watch/live/?ref=watch_permalink&v=394367115960503', WATCH],
  ['fb.com/watch?v=394367115960503', WATCH],
  ['fb.com/?v=394367115960503', WATCH],
  ['www.facebook.com/video.php?v=394367115960503', WATCH],
  ['www.facebook.com/video/video.php?v=394367115960503', WATCH],
  ['www.facebook.com/photo.php?v=394367115960503', WATCH],
  ['www.facebook.com/video/embed?video_id=394367115960503', WATCH],
  ['m.facebook.com/watch/?v=394367115960503&_rdr', WATCH],
  ['www.facebook.com/tidewatch/videos/394367115960503', VIDEO],
  ['www.facebook.com/tidewatch/videos/394367115960503/?__so__=permalink', VIDEO],
  ['www.facebook.com/tidewatch/videos/before-the-ferries/394367115960503/', VIDEO],
  ['www.facebook.com/wood57/videos/%E3%83%95%E3%82%A7%E3%83%AA%E3%83%BC/394367115960503', VIDEO],
  ['www.facebook.com/wood57/videos/フェリー/394367115960503', VIDEO],
  ['www.facebook.com/tidewatch/videos/vb.100044259632439/394367115960503/?type=2', VIDEO],
  ['www.facebook.com/tidewatch/videos/pcb.3300200100500/394367115960503', VIDEO],
  ['web.facebook.com/100071784061914/videos/394367115960503/?_rdc=1', VIDEO],
  ['web.facebook.com/i/videos/394367115960503', VIDEO],
  ['www.facebook.com/pg/tidewatch/videos/394367115960503', VIDEO],
  ['www.facebook.com/nordkap.trams/posts/3300200100500', POST],
  ['m.facebook.com/nordkap.trams/posts/3300200100500/?comment_id=1', POST],
  ['www.facebook.com/nordkap.trams/posts/line-3-is-back/3300200100500', POST],
  [`www.facebook.com/mira.okeke/posts/${PFBID}`, HIDDEN],
  [`www.facebook.com/mira.okeke/posts/${PFBID}?rdid=abc`, HIDDEN],
  [`www.facebook.com/posts/${PFBID}`, { id: PFBID, form: 'post', url: `https://www.facebook.com/${PFBID}` }],
  [`www.facebook.com/${PFBID}`, { id: PFBID, form: 'post', url: `https://www.facebook.com/${PFBID}` }],
  ['www.facebook.com/posts/3300200100500', BARE],
  ['www.facebook.com/%D9%86%D8%A7%D9%86/posts/3300200100500', BARE],
  ['www.facebook.com/pages/Nordkap-Trams/100064000000005/posts/3300200100500', BARE],
  ['www.facebook.com/story.php?story_fbid=3300200100500&id=100064000000005', STORY],
  ['m.facebook.com/story.php?id=100064000000005&story_fbid=3300200100500&rdid=x&share_url=y', STORY],
  ['www.facebook.com/permalink.php?story_fbid=3300200100500&id=100064000000005', STORY],
  [`www.facebook.com/permalink.php?story_fbid=${PFBID}&id=100064000000005`, HIDDEN_STORY],
  [`mbasic.facebook.com/story.php?story_fbid=${PFBID}&id=100064000000005`, HIDDEN_STORY],
  ['www.facebook.com/groups/claypeople/posts/3300200100900/', GROUP],
  ['www.facebook.com/groups/claypeople/permalink/3300200100900', GROUP],
  ['www.facebook.com/groups/claypeople/posts/pcb.3fa9c2/3300200100900', GROUP],
  ['www.facebook.com/groups/claypeople/?multi_permalinks=3300200100900', GROUP],
  ['www.facebook.com/groups/claypeople?multi_permalinks=3300200100900%2C3300200100901&ref=share', GROUP],
  ['m.facebook.com/groups/claypeople?view=permalink&id=3300200100900', GROUP],
  ['www.facebook.com/photo/?fbid=880010009&set=a.880', PHOTO],
  ['www.facebook.com/photo?fbid=880010009', PHOTO],
  ['www.facebook.com/photo.php?fbid=880010009&id=1&set=pcb.3300200100500', PHOTO],
  ['www.facebook.com/jo.fern/photos/a.10152/880010009/?type=3', PHOTO],
  ['www.facebook.com/jo.fern/photos/pcb.3300200100500/880010009', PHOTO],
  ['www.facebook.com/jo.fern/photos/880010009', PHOTO],
];

describe('links of single posts', () => {
  it.each(POSTS)('%s', (text, expected) => {
    expect(match(text)).toMatchObject({ kind: 'post', ref: { source: 'facebook', itemIndex: null, ...expected } });
  });

  it('keeps the owner where the site may ask for it again', () => {
    expect(match('facebook.com/tidewatch/videos/394367115960503')).toMatchObject({
      ref: { parts: { owner: 'tidewatch' } },
    });
    expect(match('facebook.com/i/videos/394367115960503')).toMatchObject({ ref: { parts: {} } });
  });
});

describe('short links', () => {
  it.each([
    ['www.facebook.com/share/v/1AbCdEfGh/', 'https://www.facebook.com/share/v/1AbCdEfGh/', 'share/v/1AbCdEfGh'],
    [
      'm.facebook.com/share/r/JFZfPVgLkiJQmWrr/?mibextid=x',
      'https://www.facebook.com/share/r/JFZfPVgLkiJQmWrr/',
      'share/r/JFZfPVgLkiJQmWrr',
    ],
    ['facebook.com/share/p/1AbCdEfGh', 'https://www.facebook.com/share/p/1AbCdEfGh/', 'share/p/1AbCdEfGh'],
    ['facebook.com/share/1AbCdEfGh/', 'https://www.facebook.com/share/1AbCdEfGh/', 'share/1AbCdEfGh'],
    ['fb.watch/aB3_-xY9z1/', 'https://fb.watch/aB3_-xY9z1/', 'fb.watch/aB3_-xY9z1'],
    ['www.fb.watch/v/aB3xY9z1', 'https://fb.watch/v/aB3xY9z1/', 'fb.watch/v/aB3xY9z1'],
    ['fb.me/aB3xY9z1', 'https://fb.me/aB3xY9z1/', 'fb.me/aB3xY9z1'],
  ])('%s', (text, url, key) => {
    expect(match(text)).toEqual({ kind: 'short', url, key });
  });
});

// With the words the site would not know the link.
it.each([',nice', '!!!look', ':wow', '%20look', '.Nice'])('a short link ends before words behind it: %s', words => {
  const [url, key] = ['https://www.facebook.com/share/v/1AbCdEfGh/', 'share/v/1AbCdEfGh'];
  expect(match(`facebook.com/share/v/1AbCdEfGh${words}`)).toEqual({ kind: 'short', url, key });
});

describe('wrappers', () => {
  const target = 'https://www.facebook.com/reel/433712053064866';
  const encoded = encodeURIComponent(target);
  it.each([
    `l.facebook.com/l.php?u=${encoded}&h=AT0`,
    `lm.facebook.com/l.php?u=${encoded}`,
    `www.facebook.com/l.php?u=${encoded}`,
    `www.facebook.com/flx/warn/?u=${encoded}`,
    `www.facebook.com/plugins/video.php?height=314&href=${encoded}&show_text=false`,
    `www.facebook.com/v19.0/plugins/video.php?href=${encoded}`,
    `www.facebook.com/plugins/post.php?href=${encoded}`,
    `www.facebook.com/sharer/sharer.php?u=${encoded}`,
    `www.facebook.com/login/?next=${encoded}`,
  ])('%s', text => {
    expect(match(text)).toEqual({ kind: 'wrapper', target });
  });
});

describe('pages that hold no single post', () => {
  it.each([
    ['www.facebook.com/', 'page'],
    ['www.facebook.com/watch/', 'page'],
    ['www.facebook.com/ines.holm.clay', 'profile'],
    ['www.facebook.com/profile.php?id=100064000000005', 'profile'],
    ['www.facebook.com/people/Ines-Holm/100064000000005/', 'profile'],
    ['www.facebook.com/tidewatch/videos/', 'profile'],
    ['www.facebook.com/tidewatch/posts', 'profile'],
    ['www.facebook.com/tidewatch/reels/', 'profile'],
    ['www.facebook.com/events/1234567890', 'event'],
    ['www.facebook.com/watchparty/1234567890', 'watch_party'],
    ['www.facebook.com/ads/library/?id=1234567890', 'ad'],
    ['www.facebook.com/media/set/?set=a.101&type=3', 'album'],
    ['www.facebook.com/jo.fern/photos/', 'album'],
    ['www.facebook.com/jo.fern/photos_albums', 'album'],
    ['www.facebook.com/photo/?set=a.101', 'album'],
    ['www.facebook.com/groups/claypeople', 'group'],
    ['www.facebook.com/groups/claypeople/posts/', 'group'],
    ['www.facebook.com/hashtag/clay', 'tag'],
    ['www.facebook.com/marketplace/item/1234567890', 'marketplace'],
    ['www.facebook.com/reel/audio/1234567890', 'audio'],
    ['www.facebook.com/music/1234567890', 'audio'],
    ['www.facebook.com/watch/live/', 'live'],
    ['www.facebook.com/search/top?q=clay', 'search'],
    ['www.facebook.com/permalink.php?story_fbid=abc&id=1', 'page'],
    ['www.facebook.com/reel/123456789012345678901', 'page'],
    ['fb.watch/', 'page'],
  ])('%s is %s', (text, what) => {
    expect(match(text)).toEqual({ kind: 'unsupported', what });
  });

  it('knows stories', () => {
    expect(match('www.facebook.com/stories/100064000000005/UzpfSVND/?view_single=1')).toMatchObject({
      kind: 'story',
      ref: { form: 'story', url: 'https://www.facebook.com/stories/100064000000005/' },
    });
  });
});

describe('other hosts', () => {
  it.each([
    'https://facebook.com.evil.example/reel/1',
    'https://evilfacebook.com/reel/1',
    'https://facebook.co/reel/1',
    'https://fbcdn.net/reel/1',
    'https://notfb.watch/abc',
    'ftp://facebook.com/reel/1',
  ])('%s', text => {
    expect(matchFacebookLink(new URL(text))).toBeUndefined();
  });
});

describe('whatever the address is', () => {
  it('never throws, and rebuilds the address on the fixed host from checked parts alone', () => {
    const word = fc.constantFrom(
      'reel',
      'watch',
      'videos',
      'posts',
      'photos',
      'groups',
      'share',
      'stories',
      'x',
      '12',
      '%00',
      '..',
      PFBID,
    );
    const part = fc.oneof(word, fc.string());
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fc.dictionary(fc.constantFrom('v', 'fbid', 'story_fbid', 'id'), part),
        (path, query) => {
          const address = new URL('https://www.facebook.com/');
          address.pathname = path.join('/');
          address.search = new URLSearchParams(query).toString();
          const found = matchFacebookLink(address);
          expect(found).toBeDefined();
          if (found?.kind === 'post' || found?.kind === 'story') {
            expect(found.ref.url).toMatch(/^https:\/\/www\.facebook\.com\/[\w./?=&-]*$/);
            expect(new URL(found.ref.url).href).toBe(found.ref.url);
          }
          if (found?.kind === 'short') expect(found.url).toMatch(/^https:\/\/www\.facebook\.com\/share\/[\w/-]+$/);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('facebookRefOf', () => {
  it('knows ids, and nothing else', () => {
    expect(facebookRefOf('3300200100500')).toMatchObject({
      id: '3300200100500',
      url: 'https://www.facebook.com/3300200100500',
    });
    expect(facebookRefOf(PFBID)?.id).toBe(PFBID);
    for (const odd of ['', 'story-1', '../x', '1?v=2', '123456789012345678901'])
      expect(facebookRefOf(odd)).toBeUndefined();
  });
});
