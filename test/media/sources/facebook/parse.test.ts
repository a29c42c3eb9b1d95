import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PostRef } from '../../../../src/media/extract/source.ts';
import { type Post, playableVariants } from '../../../../src/media/post.ts';
import { parseFacebookPage } from '../../../../src/media/sources/facebook/parse.ts';
import { toPost } from '../../../../src/media/sources/kit/draft.ts';
import { cpuMsOf } from '../../../cpu-time.ts';
import { bodyOf } from '../../body-of.ts';
import { fixture, IDS, REFS, refOf } from './fixture.ts';

function read(name: string, ref: PostRef, finalUrl = ref.url) {
  return parseFacebookPage(bodyOf(fixture(name)), ref, finalUrl);
}

function postOf(name: string, ref: PostRef, finalUrl?: string): Post {
  return postIn(fixture(name), ref, finalUrl);
}

function postIn(html: string, ref: PostRef, finalUrl = ref.url): Post {
  const reading = parseFacebookPage(bodyOf(html), ref, finalUrl);
  if (reading.kind !== 'post') throw new Error(`${ref.url}: ${reading.kind}`);
  return toPost(reading.post, { ref, strategy: 'test', now: 0 }, 'files');
}

/** `clay_hd` of `https://…/clay_hd.mp4?…`. */
function nameOf(url: string | null | undefined): string | undefined {
  return /\/([^/?]+)\.(?:mp4|jpg)/.exec(url ?? '')?.[1];
}

function playable(post: Post, index = 0): (string | undefined)[] {
  const item = post.items[index];
  return item == null ? [] : playableVariants(item).map(variant => nameOf(variant.url));
}

describe('a reel beside the next reel of another author', () => {
  const post = postOf('reel.html', REFS.reel);

  it('gives the files of the one that was asked for, best first', () => {
    expect(post.items).toHaveLength(1);
    expect(playable(post)).toEqual(['clay_hd', 'clay_sd']);
    expect(post.items[0]).toMatchObject({ kind: 'video', width: 720, height: 1280, durationMs: 42_480 });
    expect(nameOf(post.items[0]?.thumbnailUrl)).toBe('clay_cover');
  });

  it('lists the tracks of its manifest apart', () => {
    const tracks = post.items[0]?.variants.filter(variant => variant.adaptive) ?? [];
    expect(tracks.map(track => [nameOf(track.url), track.hasVideo, track.hasAudio, track.height])).toEqual([
      ['clay_1080', true, false, 1920],
      ['clay_sound', false, true, null],
    ]);
  });

  it('gives its own words, person, time and counts, though they stand in other scripts', () => {
    expect(post.caption).toBe('Throwing a bowl in one go #clay #pottery with @studio.nord');
    expect(post.hashtags).toEqual(['#clay', '#pottery']);
    expect(post.mentions).toEqual(['@studio.nord']);
    expect(post.title).toBeNull();
    expect(post.author).toMatchObject({
      id: '61550000000001',
      name: 'Ines Holm',
      username: 'ines.holm.clay',
      verified: false,
    });
    expect(nameOf(post.author.avatarUrl)).toBe('ines');
    expect(post.publishedAt).toBe(1_790_000_100_000);
    expect(post.stats).toMatchObject({
      likes: 1388,
      comments: 57,
      shares: 1200,
      plays: 88_000,
      views: null,
      saves: null,
    });
  });

  it('gives the other one when that is asked for, and none for a third', () => {
    const other = postOf('reel.html', refOf(`https://www.facebook.com/reel/${IDS.decoy}`));
    expect(playable(other)).toEqual(['decoy_hd', 'decoy_sd']);
    expect(other.caption).toBe('Watch this instead #decoy');
    expect(other.stats).toMatchObject({ likes: 99_999, shares: 9900, comments: null });
    expect(read('reel.html', refOf('https://www.facebook.com/reel/123456')).kind).toBe('others');
  });
});

describe('a watch page that begins with related videos', () => {
  const post = postOf('watch.html', REFS.watch);

  it('falls back to SD where there is no HD, and knows a silent video', () => {
    expect(playable(post)).toEqual(['sea_sd']);
    expect(post.items[0]).toMatchObject({ width: 1280, height: 720, durationMs: 125_000 });
    expect(post.items[0]?.variants[0]?.hasAudio).toBe(false);
  });

  it('reads title, words and exact counts of this video', () => {
    expect(post.title).toBe('Harbour at dawn');
    expect(post.caption).toBe('Before the ferries.');
    expect(post.author).toMatchObject({ name: 'Tide Watch', username: 'tidewatch', verified: null });
    expect(post.stats).toMatchObject({ likes: 1630, comments: 12, views: 20_480, shares: null });
    expect(post.publishedAt).toBe(1_790_100_000_000);
  });

  it('reads the person from the page that the owner has, where the owner states nothing more', () => {
    const html = fixture('watch.html')
      .replace(
        '"name": "Tide Watch",',
        '"owner_as_page": { "id": "90", "name": "Tide Watch", "profile_pic_uri": AVATAR },',
      )
      .replace('AVATAR', '"https://scontent-cph2-1.xx.fbcdn.net/v/t39.30808-1/sea_page.jpg"')
      .replace(/"url"(: "[^"]*tidewatch")/, '"profile_url"$1')
      .replace(/"uri": "[^"]*sea_owner[^"]*"/, '"uri": null');
    const { author } = postIn(html, REFS.watch);
    expect(author).toMatchObject({ id: '61550000000003', name: 'Tide Watch', username: 'tidewatch' });
    expect(nameOf(author.avatarUrl)).toBe('sea_page');
  });
});

describe('the newer delivery fields', () => {
  const post = postOf('reel-delivery.html', REFS.reelDelivery);

  it('takes each file once, HD first, and none off the CDN', () => {
    expect(playable(post)).toEqual(['sky_hd', 'sky_sd']);
    expect(post.items[0]?.variants.some(variant => variant.url.includes('evil'))).toBe(false);
    expect(post.items[0]?.variants.map(variant => variant.adaptive)).toEqual([false, true, false, true]);
  });

  it('takes counts from feedback on this video alone, and says null for what the page does not say', () => {
    expect(post).toMatchObject({ title: null, caption: null, publishedAt: null });
    expect(Object.entries(post.stats).filter(([, count]) => count !== null)).toEqual([['comments', 3]]);
    expect(post.author).toMatchObject({ username: 'sky.people', name: null, verified: null, avatarUrl: null });
  });
});

describe('posts', () => {
  it('finds the video of a post, not that of the feed before it or the words of a comment', () => {
    const post = postOf('post-video.html', REFS.postVideo);
    expect(playable(post)).toEqual(['tram_hd', 'tram_sd']);
    expect(post.caption).toBe('Line 3 is back. #trams');
    expect(post.author).toMatchObject({ name: 'Nordkap Trams', verified: true });
    expect(post.items[0]?.durationMs).toBe(3_725_000);
    expect(post.stats).toMatchObject({ likes: 2500, comments: 31, shares: 5 });
  });

  it('finds a reel that a post shares without naming it as its media', () => {
    const html = fixture('post-video.html').replaceAll('"media"', '"playback_video"');
    const reading = parseFacebookPage(bodyOf(html), REFS.postVideo, REFS.postVideo.url);
    expect(reading).toMatchObject({ kind: 'post', post: { items: [{ durationMs: 3_725_000 }] } });
  });

  it.each([
    ['its number', REFS.postPhotos],
    ['the pfbid that the page names', REFS.postPfbid],
    ['another pfbid of the same post', refOf('https://www.facebook.com/mira.okeke/posts/pfbid0AnotherVisitAnotherId')],
  ])('gives all photos and videos of a post in order, asked by %s', (_, ref) => {
    const post = postOf('post-photos.html', ref);
    expect(post.items.map(item => [item?.kind, item?.width, nameOf(item?.variants[0]?.url)])).toEqual([
      ['image', 2048, 'shore1'],
      ['image', 2048, 'shore2'],
      ['video', 640, 'shore_sd'],
      ['image', 1365, 'shore3'],
    ]);
    expect(post.items[0]?.alt).toBe('May be an image of shore number 1');
    expect(post.stats).toMatchObject({ likes: 64, comments: 0 });
    expect(post.publishedAt).toBe(1_790_300_000_000);
  });

  it('gives one photo of a set when that one is asked for', () => {
    const post = postOf('post-photos.html', refOf('https://www.facebook.com/photo/?fbid=880010002'));
    expect(post.items.map(item => nameOf(item?.variants[0]?.url))).toEqual(['shore2']);
  });

  it('takes the id that the site redirected to as the site’s own word', () => {
    const ref = refOf('https://www.facebook.com/reel/123456');
    const post = postOf('post-video.html', ref, `https://www.facebook.com/nordkap.trams/posts/${IDS.postVideo}`);
    expect(playable(post)).toEqual(['tram_hd', 'tram_sd']);
  });

  it('gives the media of a shared post with the words of the one who shares', () => {
    const post = postOf('post-shared.html', REFS.postShared);
    expect(playable(post)).toEqual(['tram_hd', 'tram_sd']);
    expect(post.caption).toBe('You have to see this');
    expect(post.author.name).toBe('Lena Sharer');
  });

  const withHeading = (badge: string) =>
    fixture('post-words.html').replace(
      '"attachments": []',
      `"attachments": [], "comet_sections": { "context_layout": { "story": { "comet_sections": {
        "title": { "story": { "comet_sections": { ${badge} } } } } } } }`,
    );

  it.each([
    ['"badge": { "__typename": "CometFeedUserVerifiedBadgeStrategy" }', true],
    ['"badge": null', false],
    ['"action_link": null', null],
  ])('takes the verified author from the badge in the heading: %s', (badge, verified) => {
    expect(postIn(withHeading(badge), REFS.postWords).author).toMatchObject({ name: 'Lena Sharer', verified });
  });

  it('gives the words of a post with a sticker', () => {
    const html = fixture('post-words.html').replace(
      '"attachments": []',
      '"attachments": [{ "media": { "__typename": "Sticker", "id": "555000111", "label": "Wave" } }]',
    );
    expect(postIn(html, REFS.postWords)).toMatchObject({ caption: 'Only words today.', items: [], missingItems: 0 });
  });

  it('reads a photo page, not the next photo', () => {
    const post = postOf('photo.html', REFS.photo);
    expect(post.items).toHaveLength(1);
    expect(post.items[0]).toMatchObject({ kind: 'image', width: 1440, height: 1800, alt: 'A fern' });
    expect(post.items[0]?.variants[0]).toMatchObject({ mime: 'image/jpeg', hasVideo: false });
    expect(post).toMatchObject({ caption: 'Unrolling #fern', publishedAt: 1_790_400_000_000 });
    expect(post.stats).toMatchObject({ likes: 8, comments: 2 });
  });

  it('reads the words of a photo page that states them for the photo’s body alone', () => {
    const html = fixture('photo.html').replace('"message": {', '"message": null, "message_preferred_body": {');
    expect(postIn(html, REFS.photo)).toMatchObject({ caption: 'Unrolling #fern', hashtags: ['#fern'] });
  });
});

describe('the story by which a photo or video was posted', () => {
  const told = { message: { text: 'Low tide' }, creation_time: 1_700_000_000 };
  const pageOf = (data: object) =>
    `<html><body><script type="application/json">${JSON.stringify({ data })}</script></body></html>`;

  it('gives the time of a photo, as its words', () => {
    const image = { uri: 'https://scontent.xx.fbcdn.net/tide.jpg', width: 960, height: 720 };
    const photo = { __typename: 'Photo', id: IDS.photo, image, creation_story: { id: 'x', ...told } };
    const post = postIn(pageOf({ currMedia: photo }), REFS.photo);
    expect(post).toMatchObject({ caption: 'Low tide', publishedAt: 1_700_000_000_000 });
    const dated = postIn(pageOf({ currMedia: { ...photo, created_time: 1_600_000_000 } }), REFS.photo);
    expect(dated.publishedAt).toBe(1_600_000_000_000);
  });

  it('gives the owner of a reel', () => {
    const video_owner = { id: '61550000000077', name: 'Mira Okeke', url: 'https://www.facebook.com/mira.okeke' };
    const files = { browser_native_hd_url: 'https://video.xx.fbcdn.net/tide.mp4' };
    const creation_story = { ...told, short_form_video_context: { video_owner } };
    const reel = { __typename: 'Video', id: IDS.reel, ...files, creation_story };
    const post = postIn(pageOf({ video: reel }), REFS.reel);
    expect(post.author).toMatchObject({ id: '61550000000077', username: 'mira.okeke' });
    expect(post).toMatchObject({ caption: 'Low tide', publishedAt: 1_700_000_000_000 });
  });
});

describe('older and poorer pages', () => {
  it('reads the embedded player, whose keys are bare, bound to the id', () => {
    expect(playable(postOf('embed.html', REFS.watch))).toEqual(['sea_sd_free', 'sea_sd']);
  });

  it('reads what is said to crawlers when it names the post, and not otherwise', () => {
    const post = postOf('open-graph.html', REFS.reel);
    expect(playable(post)).toEqual(['clay_og']);
    expect(post.title).toBe('Throwing a bowl | Ines Holm');
    expect(post.caption).toBe('Throwing a bowl in one go & glazing it');
    expect(read('open-graph.html', REFS.watch).kind).toBe('nothing');
  });
});

describe('pages without the post', () => {
  it.each([
    ['live.html', REFS.live, 'live'],
    ['others-only.html', REFS.reel, 'others'],
    ['empty.html', REFS.reel, 'nothing'],
    ['login-wall.html', REFS.reel, 'nothing'],
  ])('%s', (name, ref, kind) => {
    expect(read(name, ref).kind).toBe(kind);
  });
});

describe('whatever the page is', () => {
  const page = (json: string) => `<script type="application/json" data-sjs>${json}</script>`;
  const parse = (html: string) => parseFacebookPage(bodyOf(html), REFS.reel, REFS.reel.url);

  it('never throws', () => {
    const key = fc.constantFrom(
      ...[
        'id',
        'video',
        'attachments',
        'media',
        'post_id',
        'comet_sections',
        'feedback',
        'owner',
        'actors',
        'data',
        'node',
      ],
      ...['browser_native_hd_url', 'dash_manifest', 'message', 'text', 'width', 'reaction_count', 'image', 'uri'],
    );
    const leaf = fc.oneof(
      fc.constant(IDS.reel),
      fc.constant(`https://video.xx.fbcdn.net/a.mp4?oe=7A000000`),
      fc.string(),
      fc.double(),
      fc.constant(null),
    );
    const tree = fc.letrec(tie => ({
      node: fc.oneof({ maxDepth: 6 }, leaf, fc.array(tie('node'), { maxLength: 4 }), fc.dictionary(key, tie('node'))),
    })).node;
    fc.assert(
      fc.property(tree, value => {
        const reading = parse(page(JSON.stringify(value)));
        if (reading.kind === 'post')
          expect(reading.post.items.every(item => item === null || item.variants.length > 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => void parse(`${a}<script data-sjs>${b}`)));
  });

  it('survives being cut anywhere', () => {
    const html = fixture('reel.html');
    for (let end = 0; end < html.length; end += 97)
      expect(['post', 'others', 'nothing']).toContain(parse(html.slice(0, end)).kind);
  });

  it.each([
    ['nested lists', page('['.repeat(500_000) + ']'.repeat(500_000))],
    ['nested stories', page('{"post_id":"700100200300401","attachments":['.repeat(20_000) + ']}'.repeat(20_000))],
    ['many stories', page(`[${'{"post_id":"700100200300401","message":{}},'.repeat(23_000)}0]`)],
    ['open scripts', '<script data-sjs>{'.repeat(55_000)],
    ['open tags', '<meta property="og:'.repeat(50_000)],
    ['open literals', `<script>${'videoData:[{a:'.repeat(70_000)}</script>`],
    ['unclosed strings', `<script>${'videoData:["'.repeat(80_000)}</script>`],
  ])('reads a megabyte of %s in bounded time', (_, html) => {
    const tookMs = cpuMsOf(() => {
      parse(html);
    });
    expect(tookMs).toBeLessThan(10_000);
  });
});

it.each([
  [true, 'Sensitive content', 'This video may show violent or graphic content.'],
  [false, 'False information.', 'Checked by independent fact-checkers.'],
])('a video behind a warning is sensitive: %s for "%s"', (sensitive, title, subtitle) => {
  const view_model = { title: { text: title }, subtitle: { text: subtitle } };
  const warning = JSON.stringify({ cix_screen: { view_model } });
  const own = '"publish_time": 1790100000,';
  const html = fixture('watch.html').replace(own, `${own} "warning_screen_renderer": ${warning},`);
  const reading = parseFacebookPage(bodyOf(html), REFS.watch, REFS.watch.url);
  expect(reading).toMatchObject({ kind: 'post', post: { sensitive } });
});

it.each(['photo_cix_screen', 'cix_screen'])('a photo behind a warning is sensitive: %s', place => {
  const warned = (view_model: unknown) =>
    postIn(
      fixture('photo.html').replace('"accessibility_caption"', `"${place}": ${JSON.stringify({ view_model })}, $&`),
      REFS.photo,
    );
  expect(warned({ title: { text: 'Sensitive content' } }).sensitive).toBe(true);
  expect(warned({ title: null, validator: 'GRAPHIC' }).sensitive).toBe(true);
  expect(warned({ title: { text: 'False information' } }).sensitive).toBe(false);
});

it('takes the counts of a reel from the part of the page that names it beside its buttons', () => {
  const bar = (id: string, count: number) => ({
    fb_reel_react_button: { story: { feedback: { unified_reactors: { count } } } },
    feedback: { share_count_reduced: '1.9K', total_comment_count: count + 1 },
    video: { id },
  });
  const scripts = [bar(IDS.decoy, 9), bar(IDS.reelDelivery, 200)].map(
    data => `<script type="application/json" data-sjs>${JSON.stringify({ data })}</script>`,
  );
  const html = fixture('reel-delivery.html').replace('</body>', `${scripts.join('')}</body>`);
  expect(postIn(html, REFS.reelDelivery).stats).toMatchObject({ likes: 200, shares: 1900 });
});
