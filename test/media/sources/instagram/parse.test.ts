import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { type MediaItem, NO_STATS, type Post, playableVariants } from '../../../../src/media/post.ts';
import { parseAnswer } from '../../../../src/media/sources/instagram/parse.ts';
import type { AnswerKind } from '../../../../src/media/sources/kit/draft.ts';
import { publishTimeOf } from '../../../../src/media/sources/kit/link-match.ts';
import { cpuMsOf } from '../../../cpu-time.ts';
import { bodyOf } from '../../body-of.ts';
import { CODES, fixture, refOf } from './fixture.ts';

const NOW = Date.UTC(2026, 4, 1);

function parse(body: string, code: string, kind: AnswerKind = 'query'): Post {
  return parseAnswer(bodyOf(body), { ref: refOf(code), kind, strategy: 'tested', now: NOW });
}

function pathOf(url: string | null | undefined): string {
  return url == null ? '' : new URL(url).pathname.replace(/^.*\//, '');
}

/** File name, size and kind of each variant, in order. */
function filesOf(item: MediaItem | undefined): readonly string[] {
  return (item?.variants ?? []).map(
    one =>
      `${pathOf(one.url)} ${one.width}x${one.height}${one.adaptive ? ' adaptive' : ''}${one.hasAudio ? ' audio' : ''}`,
  );
}

describe('shape A', () => {
  it('reads a reel of a logged-out page, past broken scripts and a neighbour', () => {
    const post = parse(fixture('polaris-reel.html'), CODES.reel, 'page');
    expect(post).toMatchObject({
      source: 'instagram',
      id: CODES.reel,
      url: `https://www.instagram.com/p/${CODES.reel}/`,
      author: { id: '52001177', username: 'marla.quill', name: 'Marla Quill', verified: null },
      title: null,
      hashtags: ['#Windy', '#küstenwind'],
      mentions: ['@tobin_ferrow'],
      publishedAt: 1_777_000_123_000,
      stats: NO_STATS,
      fetchedAt: NOW,
      expiresAt: 0x6b2e0000 * 1000,
      strategy: 'tested',
    });
    expect(pathOf(post.author.avatarUrl)).toBe('face_marla_quill_n.jpg');
    expect(post.items).toHaveLength(1);
    expect(post.items[0]).toMatchObject({ kind: 'video', width: 1080, height: 1920, durationMs: 23_000 });
    expect(pathOf(post.items[0]?.thumbnailUrl)).toBe('marla_kite_c720_n.jpg');
    // One address three times over, its size only in the encoding's name.
    expect(filesOf(post.items[0])).toEqual(['marla_kite_720.mp4 720x1280 audio']);
  });

  it('reads the neighbour when that one was asked for', () => {
    expect(parse(fixture('polaris-reel.html'), CODES.neighbour, 'page').author.username).toBe('neighbour.nell');
  });

  it('reads a carousel from its children alone', () => {
    const post = parse(fixture('polaris-carousel.html'), CODES.carousel, 'page');
    expect(post.caption).toBeNull();
    expect(post.items.map(item => [item.kind, item.width, item.height, item.durationMs, item.alt])).toEqual([
      ['video', 720, 1280, 10_000, null],
      ['image', 1080, 1350, null, 'A red kite over dunes.'],
      ['video', 720, 1280, 11_000, null],
    ]);
    expect(post.items[1]?.variants.map(variant => [variant.width, variant.mime])).toEqual([
      [1080, 'image/jpeg'],
      [640, 'image/jpeg'],
    ]);
    expect(post.items.map(item => item.variants[0]?.hasAudio)).toEqual([true, false, false]);
  });

  it('reads a mixed carousel of the query by shortcode, with its DASH tracks', () => {
    const post = parse(fixture('web-info-carousel.json'), CODES.mixed);
    expect(post.author).toMatchObject({ id: '7700', username: 'harbour.news', verified: true });
    expect(post.stats).toEqual({ ...NO_STATS, likes: 4_564, comments: 47 });
    expect(post.items.map(item => `${item.kind} ${item.width}x${item.height}`)).toEqual([
      'video 1080x1350',
      'image 1080x1350',
      'image 1080x1350',
    ]);
    expect(filesOf(post.items[0])).toEqual([
      'ferry_1080v.mp4 1080x1920 adaptive',
      'ferry_1080.mp4 1080x1350 audio',
      'ferry_540v.mp4 540x960 adaptive',
      'ferry_480.mp4 480x600 audio',
      'ferry_sound.mp4 nullxnull adaptive audio',
    ]);
  });

  it('reads a reel of the mobile API: every count, 1080p from DASH, no file off the CDN', () => {
    const post = parse(fixture('product-reel.json'), CODES.productReel);
    expect(post.stats).toEqual({
      likes: 20_308,
      comments: 121,
      plays: 293_700,
      views: null,
      shares: 95,
      saves: 37,
      crosspostLikes: 412,
      crosspostPlays: 58_317,
      authorFollowers: 920,
      authorPosts: 31,
    });
    expect(post).toMatchObject({
      author: { id: '880012', verified: false },
      publishedAt: 1_777_345_700_000,
      hashtags: ['#lanterns', '#夜市'],
    });
    const [item] = post.items;
    expect(item).toMatchObject({ width: 1080, height: 1920, durationMs: 41_260 });
    expect(filesOf(item)).toEqual([
      'lantern_1080v.mp4 1080x1920 adaptive',
      'lantern_720.mp4 720x1280 audio',
      'lantern_540v.mp4 540x960 adaptive',
      'lantern_480.mp4 480x854 audio',
      'lantern_sound.mp4 nullxnull adaptive audio',
    ]);
    expect(item?.variants[0]).toMatchObject({ hasAudio: false, codecs: 'vp09.00.40.08', bytes: 12_300_500 });
    expect(item === undefined ? [] : playableVariants(item).map(one => one.bitrate)).toEqual([874_348, 310_000]);
    expect(pathOf(item?.thumbnailUrl)).toBe('lantern_c_n.jpg');
  });

  it.each([true, false])('marks a post that the site covers with a warning: %s', should_have_sensitivity_friction => {
    const warning = `"sensitivity_friction_info": ${JSON.stringify({ should_have_sensitivity_friction })}, $&`;
    const body = fixture('product-reel.json').replace('"media_type"', warning);
    expect(parse(body, CODES.productReel).sensitive).toBe(should_have_sensitivity_friction);
  });

  it('reads an older carousel, and no counts that its owner hides', () => {
    const post = parse(fixture('product-carousel-2022.json'), CODES.oldCarousel);
    expect(post.stats).toEqual({ ...NO_STATS, comments: 9 });
    expect(post.items.map(item => `${item.kind} ${item.width}x${item.height} ${item.durationMs}`)).toEqual([
      'image 1440x1800 null',
      'video 720x900 10589',
    ]);
    // It says nothing of audio: unknown.
    expect(post.items[1]?.variants.map(variant => variant.hasAudio)).toEqual([null, null]);
  });
});

describe('shape B', () => {
  it('reads a video', () => {
    const post = parse(fixture('graphql-video.json'), CODES.graphVideo);
    expect(post).toMatchObject({
      author: { id: '61002', username: 'tobin_ferrow', name: 'Tobin Ferrow', verified: true },
      title: null,
      caption: 'Bread, slowly.',
      publishedAt: 1_777_172_900_000,
      stats: { likes: 311, comments: 12, plays: 5_020, views: 1_810, authorFollowers: 4_120, authorPosts: 88 },
    });
    expect(post.items[0]).toMatchObject({ kind: 'video', width: 640, height: 1136, durationMs: 41_250 });
    expect(filesOf(post.items[0])).toEqual([
      'bread_1080v.mp4 1080x1920 adaptive',
      'bread_640.mp4 640x1136 audio',
      'bread_540v.mp4 540x960 adaptive',
      'bread_sound.mp4 nullxnull adaptive audio',
    ]);
    expect(pathOf(post.items[0]?.thumbnailUrl)).toBe('bread_cover_n.jpg');
  });

  it('reads a sidecar, hidden counts as unknown', () => {
    const post = parse(fixture('graphql-sidecar.json'), CODES.graphSidecar);
    expect(post.items.map(item => `${item.kind} ${item.width}x${item.height}`)).toEqual([
      'image 1080x1080',
      'video 720x720',
    ]);
    expect(post.items[0]?.variants.map(variant => variant.width)).toEqual([1080, 640]);
    expect(post.items[1]?.variants[0]?.hasAudio).toBe(false);
    expect(post.stats.likes).toBeNull();
    expect(post.caption).toBeNull();
  });

  it('reads the words, date and counts by the names that they had until 2017', () => {
    const media = JSON.parse(fixture('graphql-video.json')).data.xdt_shortcode_media;
    const old = {
      code: CODES.graphVideo,
      id: media.id,
      caption: 'Bread, slowly.',
      date: 1_470_000_000,
      likes: { count: 5 },
      comments: { count: 3, nodes: [] },
      is_video: true,
      video_views: 40,
      display_src: media.display_url,
      video_url: media.video_url,
      owner: { id: '61002', username: 'tobin_ferrow' },
    };
    expect(parse(JSON.stringify({ media: old }), CODES.graphVideo)).toMatchObject({
      caption: 'Bread, slowly.',
      publishedAt: 1_470_000_000_000,
      stats: { likes: 5, comments: 3, views: 40 },
      items: [{ kind: 'video' }],
    });
  });
});

describe('embeds', () => {
  it('reads the context JSON, and the publish time from the id', () => {
    const post = parse(fixture('embed-context.html'), CODES.embedContext, 'embed');
    expect(post).toMatchObject({ author: { username: 'tobin_ferrow' }, stats: { likes: 44, comments: 2 } });
    expect(post.publishedAt).toBe(publishTimeOf(refOf(CODES.embedContext).parts.mediaId ?? ''));
    expect(post.items[0]).toMatchObject({ kind: 'video', width: 720, height: 1280, durationMs: 12_500 });
  });

  it.each(['page', 'embed'] as const)(
    'reads the data of a %s from before 2023, and no smaller copy as the original',
    kind => {
      const url =
        'https://scontent-mdl1-1.cdninstagram.com/v/t51.2885-15/fern_n.jpg?stp=dst-jpg_e35_p1080x1080&oe=7F000000';
      const media = { shortcode: CODES.embedMarkup, dimensions: { width: 1440, height: 1800 }, display_url: url };
      const data = {
        page: { entry_data: { PostPage: [{ graphql: { shortcode_media: media } }] } },
        embed: { shortcode_media: media },
      };
      const [start, end] =
        kind === 'page' ? ['window._sharedData = ', ''] : ["window.__additionalDataLoaded('extra',", ')'];
      const html = `<html><body><script type="text/javascript">${start}${JSON.stringify(data[kind])}${end};</script></body></html>`;
      const [item] = parse(html, CODES.embedMarkup, kind).items;
      expect(item).toMatchObject({ width: 1440, height: 1800, variants: [{ url, width: 1080, height: 1350 }] });
    },
  );

  it('reads the markup where the context is null', () => {
    const post = parse(fixture('embed-markup.html'), CODES.embedMarkup, 'embed');
    expect(post).toMatchObject({
      author: { id: null, username: 'ada.mossgrove', name: null },
      caption: 'Moss & stone #moss\nsecond line',
      hashtags: ['#moss'],
      stats: { ...NO_STATS, comments: 3 },
    });
    expect(post.items).toHaveLength(1);
    expect(post.items[0]).toMatchObject({ kind: 'image', width: 1080 });
  });

  it.each([
    ['1,234 likes', 1_234],
    ['1 like', 1],
    ['Liked by some people', null],
  ])('reads the picture of the author and the count in “%s” from the markup', (words, likes) => {
    const face = 'https://scontent-mdl1-1.cdninstagram.com/v/t51.2885-19/face_ada_n.jpg?oe=6B2F1A00';
    const added = `<a class="Avatar" href="#"><img src="${face}"></a><div class="SocialProof"><a data-log-event="likeCountClick" href="#">${words}</a></div>`;
    const html = fixture('embed-markup.html').replace('<div class="EmbeddedMedia">', `${added}$&`);
    const post = parse(html, CODES.embedMarkup, 'embed');
    expect(post.author.avatarUrl).toBe(face);
    expect(post.stats).toEqual({ ...NO_STATS, likes, comments: 3 });
    expect(post.items).toHaveLength(1);
  });

  it('does not take the markup of another post', () => {
    expect(() => parse(fixture('embed-markup.html'), CODES.reel, 'embed')).toThrow(
      expect.objectContaining({ code: 'upstream_changed' }),
    );
  });

  it.each([
    ['a broken embed', fixture('embed-broken.html')],
    [
      'a still of a withheld video',
      fixture('embed-markup.html').replace('</body>', '<div class="WatchOnInstagram">Watch</div></body>'),
    ],
    ['the first item of several', fixture('embed-markup.html').replace('"isSidecar":false', '"isSidecar":true')],
  ])('does not pass %s off as the post', (_, html) => {
    expect(() => parse(html, CODES.embedMarkup, 'embed')).toThrow(expect.objectContaining({ code: 'login_required' }));
  });
});

describe('one normaliser for every endpoint', () => {
  it.each([
    ['polaris-reel.html', CODES.reel],
    ['web-info-carousel.json', CODES.mixed],
    ['product-reel.json', CODES.productReel],
    ['graphql-video.json', CODES.graphVideo],
    ['embed-context.html', CODES.embedContext],
  ])('%s gives the same from every endpoint', (name, code) => {
    const [first, ...others] = (['query', 'page', 'embed'] as const).map(kind => parse(fixture(name), code, kind));
    expect(others).toEqual([first, first]);
  });

  it('reads a media wrapped in another envelope, behind a guard, or on a later line', () => {
    const [media] = JSON.parse(fixture('product-reel.json')).items;
    const wrapped = JSON.stringify({ payload: { data: [{ node: { media } }] } });
    const expected = parse(fixture('product-reel.json'), CODES.productReel);
    for (const body of [wrapped, `for (;;);${wrapped}`, `\n{"label":"first"}\n${wrapped}\n`]) {
      expect(parse(body, CODES.productReel)).toEqual(expected);
    }
  });

  it('takes the fuller of two copies', () => {
    const [media] = JSON.parse(fixture('product-reel.json')).items;
    const stub = { pk: media.id, code: media.code, media_type: 2, video_versions: media.video_versions };
    expect(parse(JSON.stringify([stub, media]), CODES.productReel).author.username).toBe('the.lanternists');
  });

  it('joins the parts of a media that comes in several', () => {
    const [media] = JSON.parse(fixture('product-reel.json')).items;
    const { user, caption, like_count, taken_at, ...files } = media;
    const named = { pk: media.pk, code: media.code };
    const split = [
      { ...files, caption: null },
      { ...named, user, like_count },
      { ...named, caption, taken_at },
    ];
    for (const parts of [split, split.toReversed()]) {
      expect(parse(JSON.stringify(parts), CODES.productReel)).toEqual(
        parse(fixture('product-reel.json'), CODES.productReel),
      );
    }
    const hidden = [{ ...split[0], like_and_view_counts_disabled: true }, ...split.slice(1)];
    expect(parse(JSON.stringify(hidden), CODES.productReel).stats.likes).toBeNull();
  });

  it('joins the items of a carousel with the part that says how many there are', () => {
    const named = { code: CODES.carousel, user: { pk: '9', username: 'ana' } };
    const media = JSON.parse(fixture('product-reel.json')).items[0];
    const item = { ...media, code: 'B1', pk: '1' };
    const parts = [
      { ...named, media_type: 8, carousel_media_count: 2, taken_at: 1_777_000_000 },
      { code: CODES.carousel, carousel_media: [item, { ...item, pk: '2' }] },
    ];
    expect(parse(JSON.stringify(parts), CODES.carousel)).toMatchObject({
      author: { username: 'ana' },
      publishedAt: 1_777_000_000_000,
      items: [{ kind: 'video' }, { kind: 'video' }],
      missingItems: 0,
    });
  });

  it('binds by id where there is no code, even by one that lost digits', () => {
    const { code: _, ...media } = JSON.parse(fixture('product-reel.json')).items[0];
    const { id: __, ...rounded } = media;
    for (const one of [media, rounded]) expect(parse(JSON.stringify(one), CODES.productReel).items).toHaveLength(1);
    expect(() => parse(JSON.stringify(media), CODES.reel)).toThrow(
      expect.objectContaining({ code: 'upstream_changed' }),
    );
  });

  it('takes a media without any id from the place of the asked one only', () => {
    const { code: _, pk: __, id: ___, ...media } = JSON.parse(fixture('product-reel.json')).items[0];
    const place = JSON.stringify({ data: { xig_polaris_media: { if_not_gated_logged_out: media } } });
    expect(parse(place, CODES.productReel).items).toHaveLength(1);
    expect(() => parse(JSON.stringify({ related: [media] }), CODES.productReel)).toThrow(AppError);
  });
});

describe('what is missing, odd or foreign', () => {
  const product = () => JSON.parse(fixture('product-reel.json')).items[0];

  it('does not take 0 for the views or plays of a video that people have liked', () => {
    const old = JSON.parse(fixture('graphql-video.json'));
    Object.assign(old.data.xdt_shortcode_media, { video_view_count: 0, video_play_count: 0 });
    expect(parse(JSON.stringify(old), CODES.graphVideo).stats).toMatchObject({ likes: 311, plays: null, views: null });
    const liked = { ...product(), play_count: 0, view_count: 0 };
    expect(parse(JSON.stringify(liked), CODES.productReel).stats).toMatchObject({ plays: null, views: null });
    const unseen = { ...product(), play_count: 0, like_count: 0, comment_count: 0 };
    expect(parse(JSON.stringify(unseen), CODES.productReel).stats).toMatchObject({ likes: 0, plays: 0 });
  });

  it('is null in the post and never costs it', () => {
    const bare = { code: CODES.productReel, media_type: 2, video_versions: product().video_versions };
    const post = parse(JSON.stringify({ items: [bare] }), CODES.productReel);
    expect(post.author).toEqual({ id: null, username: null, name: null, verified: null, avatarUrl: null });
    expect(post).toMatchObject({ caption: null, title: null, stats: NO_STATS, hashtags: [], mentions: [] });
    expect(post.items[0]).toMatchObject({ width: 720, height: 1280, durationMs: null, thumbnailUrl: null });
  });

  it.each([
    ['user', 7],
    ['caption', ['list']],
    ['like_count', { count: 3 }],
    ['taken_at', 'yesterday'],
    ['image_versions2', null],
    ['video_duration', '-'],
    ['original_width', 'wide'],
    ['video_dash_manifest', '<MPD'],
    ['has_audio', 'maybe'],
    ['carousel_media', null],
  ])('%s may be %j', (key, value) => {
    const post = parse(JSON.stringify({ items: [{ ...product(), [key]: value }] }), CODES.productReel);
    expect(post.items[0]?.variants.length).toBeGreaterThan(0);
  });

  it('takes the time from the id where the stated one is beyond all dates', () => {
    const post = parse(JSON.stringify({ items: [{ ...product(), taken_at: 1e300 }] }), CODES.productReel);
    expect(post.publishedAt).toBe(publishTimeOf(refOf(CODES.productReel).parts.mediaId ?? ''));
  });

  it('passes over odd elements of lists', () => {
    const media = product();
    const video_versions = [null, 7, { url: 3 }, {}, ...media.video_versions];
    expect(parse(JSON.stringify({ items: [{ ...media, video_versions }] }), CODES.productReel).items).toHaveLength(1);
  });

  it('reads numbers written as text, and a caption that is plain text', () => {
    const media = { ...product(), like_count: '12', comment_count: -1, caption: 'Plain #text' };
    const post = parse(JSON.stringify(media), CODES.productReel);
    expect(post.stats).toMatchObject({ likes: 12, comments: null });
    expect(post.hashtags).toEqual(['#text']);
  });

  it('does not pass a still off as the video whose files are withheld', () => {
    const media = { ...product(), video_versions: null, video_dash_manifest: null };
    expect(() => parse(JSON.stringify(media), CODES.productReel)).toThrow(
      expect.objectContaining({ code: 'upstream_changed' }),
    );
  });

  it('does not pass one item off as the carousel whose children are missing', () => {
    const media = { ...product(), media_type: 8, carousel_media: null };
    expect(() => parse(JSON.stringify(media), CODES.productReel)).toThrow(
      expect.objectContaining({ code: 'upstream_changed' }),
    );
  });

  it('takes no address off the CDN', () => {
    const body = fixture('product-reel.json').replaceAll(
      'scontent-mdl1-1.cdninstagram.com',
      'cdninstagram.com.evil.example',
    );
    expect(() => parse(body, CODES.productReel)).toThrow(expect.objectContaining({ code: 'upstream_changed' }));
  });
});

describe('any body', () => {
  const kinds = fc.constantFrom<AnswerKind>('query', 'page', 'embed');

  function outcome(body: string, kind: AnswerKind): unknown {
    try {
      return parse(body, CODES.productReel, kind).source;
    } catch (error) {
      return error;
    }
  }

  it('gives a post or an AppError: odd JSON in the right places', () => {
    const keys = [
      'code',
      'pk',
      'id',
      'media_type',
      'video_versions',
      'carousel_media',
      'user',
      'caption',
      'image_versions2',
    ];
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(CODES.productReel, 2, 8, [{ url: 'x' }], null));
    const object = fc.dictionary(
      fc.constantFrom(...keys, 'shortcode', 'display_url', 'edge_sidecar_to_children'),
      value,
    );
    fc.assert(
      fc.property(object, kinds, (media, kind) => {
        const body = JSON.stringify({
          data: { xig_polaris_media: { if_not_gated_logged_out: { ...media, code: CODES.productReel } } },
        });
        const result = outcome(body, kind);
        expect(result === 'instagram' || result instanceof AppError).toBe(true);
      }),
    );
  });

  it('gives a post or an AppError: cut and stitched real ones', () => {
    const bodies = ['polaris-reel.html', 'product-reel.json', 'embed-markup.html', 'embed-context.html'].map(fixture);
    const slice = fc
      .tuple(fc.constantFrom(...bodies), fc.nat(), fc.nat())
      .map(([body, from, length]) => body.slice(from % body.length, (from % body.length) + (length % 5_000)));
    fc.assert(
      fc.property(fc.array(fc.oneof(slice, fc.string()), { maxLength: 4 }), kinds, (parts, kind) => {
        const result = outcome(parts.join(''), kind);
        expect(result === 'instagram' || result instanceof AppError).toBe(true);
      }),
    );
  });

  it.each([
    '<div>',
    '<script type="application/json">',
    '<script type="application/json">{"pk":1,"media_type":2}</script>',
    '<div class="Embed EmbeddedMedia Caption">',
    '"contextJSON":"',
    '"contextJSON" : "\\\\\\"',
    '"canonicalRouteName":"a',
    '<a class="',
    '<title>',
    '[',
    '{"a":',
    '{"code":"x","media_type":2}\n',
    '\\u0000',
    '&amp',
    'dst-jpg?stp=',
  ])('takes a second at most for a megabyte of %j', piece => {
    for (const start of ['', '{', 'EmbeddedMedia']) {
      const body = start + piece.repeat(Math.ceil(1_000_000 / piece.length));
      const tookMs = cpuMsOf(() => {
        expect(outcome(body, 'page')).toBeInstanceOf(AppError);
      });
      expect(tookMs).toBeLessThan(1_000);
    }
  });
});
