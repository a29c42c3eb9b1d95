import { describe, expect, it } from 'vitest';
import type { Post } from '../../../../src/media/post.ts';
import { parseStories } from '../../../../src/media/sources/instagram/media.ts';
import { parseAnswer } from '../../../../src/media/sources/instagram/parse.ts';
import type { AnswerKind } from '../../../../src/media/sources/kit/draft.ts';
import { bodyOf } from '../../body-of.ts';
import { CODES, fixture, refOf } from './fixture.ts';

function parse(body: string, code: string, kind: AnswerKind = 'query', form = 'p'): Post {
  return parseAnswer(bodyOf(body), { ref: { ...refOf(code), form }, kind, strategy: 'tested', now: 0 });
}

/** The code of the failure; the test fails where there is none. */
function failureOf(body: string, code: string, kind: AnswerKind = 'query', form = 'p'): string {
  try {
    parse(body, code, kind, form);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
  throw new Error('gave a post');
}

const places = (post: Post) => post.items.map(item => `${item.position} ${item.kind}`);

describe('a carousel of which a part cannot be read', () => {
  const carousel = () => JSON.parse(fixture('web-info-carousel.json'));
  const itemOf = (answer: ReturnType<typeof carousel>) => answer.data.xdt_api__v1__media__shortcode__web_info.items[0];

  it('keeps the places of the others', () => {
    const answer = carousel();
    itemOf(answer).carousel_media[1] = null;
    const post = parse(JSON.stringify(answer), CODES.mixed);
    expect(post.missingItems).toBe(1);
    expect(places(post)).toEqual(['0 video', '2 image']);
    expect(post.coverUrl).toBeNull();
  });

  it('has its cover where the first is missing', () => {
    const answer = carousel();
    itemOf(answer).carousel_media[0].video_versions = null;
    itemOf(answer).carousel_media[0].video_dash_manifest = null;
    const post = parse(JSON.stringify(answer), CODES.mixed);
    expect(places(post)).toEqual(['1 image', '2 image']);
    expect(post.missingItems).toBe(1);
    expect(post.coverUrl).toContain('/ferry_v_n.jpg');
  });

  it('counts what is stated and not listed', () => {
    const answer = carousel();
    itemOf(answer).carousel_media_count = 5;
    const post = parse(JSON.stringify(answer), CODES.mixed);
    expect(places(post)).toEqual(['0 video', '1 image', '2 image']);
    expect(post.missingItems).toBe(2);
  });

  it.each([
    ['null', null],
    ['an empty list', []],
    ['no list', { edges: [] }],
    ['a list of nothing', [null, null, null]],
  ])('is not its cover where the list is %s', (_, list) => {
    const answer = carousel();
    itemOf(answer).carousel_media = list;
    expect(failureOf(JSON.stringify(answer), CODES.mixed)).toBe('upstream_changed');
  });

  it('holds for the older shape', () => {
    const answer = JSON.parse(fixture('graphql-sidecar.json'));
    const { edges } = answer.data.xdt_shortcode_media.edge_sidecar_to_children;
    const [first, second] = edges;
    answer.data.xdt_shortcode_media.edge_sidecar_to_children.edges = [null, first, { node: null }, second];
    const post = parse(JSON.stringify(answer), CODES.graphSidecar);
    expect(places(post)).toEqual(['1 image', '3 video']);
    expect(post.missingItems).toBe(2);
    expect(post.coverUrl).toContain('/loaf_1_n.jpg');
    for (const children of [null, {}, { edges: [] }, { edges: 'x' }]) {
      answer.data.xdt_shortcode_media.edge_sidecar_to_children = children;
      expect(failureOf(JSON.stringify(answer), CODES.graphSidecar)).toBe('upstream_changed');
    }
  });

  it('prefers a whole copy to a broken one', () => {
    const broken = itemOf(carousel());
    broken.carousel_media[1] = null;
    const body = JSON.stringify([broken, itemOf(carousel()), broken]);
    expect(parse(body, CODES.mixed)).toMatchObject({ missingItems: 0, items: { length: 3 } });
  });
});

describe('a reel is never its poster', () => {
  const still = () => {
    const {
      media_type: _,
      video_versions: __,
      video_dash_manifest: ___,
      ...media
    } = JSON.parse(fixture('product-reel.json')).items[0];
    return { ...media, video_duration: null, has_audio: null, product_type: null };
  };

  it.each(['reel', 'reels', 'tv'])('where only the link, /%s/, says that it is a video', form => {
    expect(failureOf(JSON.stringify(still()), CODES.productReel, 'query', form)).toBe('upstream_changed');
    expect(parse(JSON.stringify(still()), CODES.productReel).items[0]?.kind).toBe('image');
  });

  it.each([
    ['media_type', 2],
    ['__typename', 'XIGPolarisVideoMedia'],
    ['product_type', 'clips'],
    ['product_type', 'igtv'],
    ['video_duration', 12.5],
    ['has_audio', true],
    ['video_versions', [{ url: 'https://media.example.org/a.mp4' }]],
    ['video_dash_manifest', '<MPD/>'],
  ])('where %s is %j', (key, value) => {
    expect(failureOf(JSON.stringify({ ...still(), [key]: value }), CODES.productReel)).toBe('upstream_changed');
  });

  it.each([
    ['is_video', true],
    ['__typename', 'XDTGraphVideo'],
    ['product_type', 'clips'],
    ['video_duration', 3],
    ['video_view_count', 9],
  ])('where %s of the older shape is %j', (key, value) => {
    const media = {
      shortcode: CODES.graphVideo,
      display_url: 'https://scontent-mdl1-1.cdninstagram.com/v/t51.2885-15/bread_cover_n.jpg?oe=6B2F1A00',
    };
    expect(parse(JSON.stringify(media), CODES.graphVideo).items[0]?.kind).toBe('image');
    expect(failureOf(JSON.stringify({ ...media, [key]: value }), CODES.graphVideo)).toBe('upstream_changed');
    expect(failureOf(JSON.stringify(media), CODES.graphVideo, 'query', 'reel')).toBe('upstream_changed');
  });

  it.each(['reel', 'p'])('where it is called a photo and comes with a video, by /%s/', form => {
    const [media] = JSON.parse(fixture('product-reel.json')).items;
    const post = parse(JSON.stringify({ ...media, media_type: 1 }), CODES.productReel, 'query', form);
    expect(post.items.map(item => item.kind)).toEqual(['video']);
    const older = JSON.parse(fixture('graphql-video.json'));
    older.data.xdt_shortcode_media.is_video = false;
    expect(parse(JSON.stringify(older), CODES.graphVideo, 'query', form).items[0]?.kind).toBe('video');
  });

  it('but a photo under such a link is one', () => {
    const photo = { ...still(), media_type: 1, video_versions: [] };
    expect(parse(JSON.stringify(photo), CODES.productReel, 'query', 'reel').items[0]?.kind).toBe('image');
  });

  const embed = (change: (html: string) => string = html => html) => change(fixture('embed-markup.html'));

  it.each<[string, (html: string) => string]>([
    ['a play button', html => html.replace('</a></div>', '<span class="EmbedPlayButton"></span></a></div>')],
    ['another play button', html => html.replace('</a></div>', '<i class="Sprite VideoPlayButton x"></i></a></div>')],
    ['its type', html => html.replace('class="Embed "', 'class="Embed " data-media-type="GraphVideo"')],
    ['og:type', html => html.replace('<body>', '<head><meta property="og:type" content="video.other"></head><body>')],
    ['og:video', html => html.replace('<body>', '<head><meta property="og:video" content="x"></head><body>')],
  ])('where %s of the embed says that it is a video', (_, change) => {
    expect(embed(change)).not.toBe(embed());
    expect(failureOf(embed(change), CODES.embedMarkup, 'embed')).toBe('upstream_changed');
  });

  it('where the embed of a link to a reel says nothing', () => {
    expect(failureOf(embed(), CODES.embedMarkup, 'embed', 'reel')).toBe('upstream_changed');
    const photo = embed(html => html.replace('class="Embed "', 'class="Embed " data-media-type="GraphImage"'));
    expect(parse(photo, CODES.embedMarkup, 'embed', 'reel').items[0]?.kind).toBe('image');
  });

  it('where the embed shows one of several, or withholds the video; neither is private for that', () => {
    const sidecar = embed(html => html.replace('class="Embed "', 'class="Embed " data-media-type="GraphSidecar"'));
    const withheld = embed(html => html.replace('</body>', '<a class="WatchOnInstagram">Watch</a></body>'));
    for (const html of [sidecar, withheld]) {
      const ref = refOf(CODES.embedMarkup, { private: '1' });
      expect(() => parseAnswer(bodyOf(html), { ref, kind: 'embed', strategy: 'tested', now: 0 })).toThrow(
        expect.objectContaining({ code: 'login_required' }),
      );
    }
  });

  it.each<[string, (media: Record<string, unknown>) => void]>([
    ['names itself a video', media => Object.assign(media, { is_video: true, __typename: 'GraphVideo' })],
    ['says that it is a video, and no more', media => Object.assign(media, { is_video: true })],
    ['does not say what it is', () => {}],
  ])('where the owner switched embeds off: the cover of a media that %s is no photo', (_, change) => {
    const address = 'https://scontent.cdninstagram.com/v/t51.2885-15/cover.jpg?oe=7F000000';
    const media: Record<string, unknown> = { shortcode: CODES.embedContext, display_url: address };
    change(media);
    const context = JSON.stringify(JSON.stringify({ gql_data: { shortcode_media: media } }));
    const html = `<div class="Embed EmbedSimple"><img class="EmbeddedMediaImage" src="${address}"><a class="WatchOnInstagram">Watch</a></div><script>{"contextJSON":${context}}</script>`;
    const ref = refOf(CODES.embedContext);
    expect(() => parseAnswer(bodyOf(html), { ref, kind: 'embed', strategy: 'tested', now: 0 })).toThrow(
      expect.objectContaining({ code: 'login_required' }),
    );
  });

  it.each([
    ['its data', { gql_data: { shortcode_media: { shortcode: CODES.embedContext, is_video: true } } }],
    ['no data', { gql_data: null }],
  ])('where the music keeps the video from embeds: an embed with %s withholds it', (_, data) => {
    const address = 'https://scontent.cdninstagram.com/v/t51.2885-15/cover.jpg?oe=7F000000';
    const context = {
      context: { type: 'GraphVideo', shortcode: CODES.embedContext, copyright_blocked: true },
      ...data,
    };
    const html = `<div class="Embed EmbedSimple" data-media-type="GraphVideo"><img class="EmbeddedMediaImage" src="${address}"></div><script>{"contextJSON":${JSON.stringify(JSON.stringify(context))}}</script>`;
    expect(failureOf(html, CODES.embedContext, 'embed')).toBe('login_required');
    const open = html.replace('copyright_blocked\\":true', 'copyright_blocked\\":false');
    expect(open).not.toBe(html);
    expect(failureOf(open, CODES.embedContext, 'embed')).toBe('upstream_changed');
  });

  it('and the video of an embed is taken from its source', () => {
    const source = `<video class="EmbeddedMediaVideo"><source src="https://scontent-mdl1-1.cdninstagram.com/o1/v/moss.mp4?oe=6B2F1A00"></video>`;
    const post = parse(
      embed(html => html.replace('</a></div>', `</a>${source}</div>`)),
      CODES.embedMarkup,
      'embed',
      'reel',
    );
    expect(post.items[0]).toMatchObject({ kind: 'video', variants: [{ mime: 'video/mp4' }] });
  });
});

describe('a page that has only what is for crawlers', () => {
  const FILE = 'https://scontent-mdl1-1.cdninstagram.com/o1/v/t16/kite.mp4?efg=e30&amp;oe=6B2E0000';
  const page = (meta: Readonly<Record<string, string>>) =>
    `<html><head><title>x</title>${Object.entries(meta)
      .map(([name, content]) => `<meta property="${name}" content="${content}">`)
      .join('')}</head><body>${fixture('throttled.html')}</body></html>`;
  const SAID = {
    'og:type': 'video.other',
    'og:url': `https://www.instagram.com/reel/${CODES.reel}/`,
    'og:image': 'https://scontent-mdl1-1.cdninstagram.com/v/t51/kite_n.jpg?oe=6B2F1A00',
    'og:video': FILE,
    'og:video:width': '720',
    'og:video:height': '1280',
    'og:title': 'Marla Quill on Instagram: &quot;Kite day #windy&quot;',
    'og:description': '1,234 likes, 56 comments - marla.quill on April 24, 2026: &quot;Kite day #windy&quot;. ',
  };

  it('is answered with its video', () => {
    const post = parse(page(SAID), CODES.reel, 'page', 'reel');
    expect(post).toMatchObject({
      author: { name: 'Marla Quill', username: 'marla.quill', id: null },
      caption: 'Kite day #windy',
      hashtags: ['#windy'],
      stats: { likes: 1_234, comments: 56, plays: null },
      expiresAt: 0x6b2e0000 * 1000,
      missingItems: 0,
      items: [{ kind: 'video', width: 720, height: 1280 }],
    });
    expect(post.items[0]?.variants[0]?.url).toBe(FILE.replace('&amp;', '&'));
    expect(post.items[0]?.thumbnailUrl).toContain('/kite_n.jpg');
  });

  it('is, too, where the data of the page are of a kind that is not known', () => {
    const unknown = fixture('polaris-reel.html').replaceAll('"video_versions"', '"clips_v3"');
    const body = unknown.replace(
      '<head>',
      page(SAID).slice(page(SAID).indexOf('<head>'), page(SAID).indexOf('</head>')),
    );
    expect(failureOf(unknown, CODES.reel, 'page', 'reel')).toBe('upstream_changed');
    expect(parse(body, CODES.reel, 'page', 'reel').items[0]?.variants[0]?.url).toContain('/kite.mp4');
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['without the file', { ...SAID, 'og:video': '' }],
    ['with a file elsewhere', { ...SAID, 'og:video': 'https://media.example.org/a.mp4' }],
    ['of another post', { ...SAID, 'og:url': `https://www.instagram.com/reel/${CODES.neighbour}/` }],
    ['without a word of the post', { 'og:video': FILE }],
  ])('is no post %s, but the shell that a limited visitor gets', (_, meta) => {
    expect(failureOf(page(meta), CODES.reel, 'page', 'reel')).toBe('upstream_rate_limited');
  });

  it('is not the whole of a carousel', () => {
    const body = fixture('polaris-carousel.html')
      .replaceAll('"carousel_media"', '"children_v2"')
      .replace('<head>', `<head><meta property="og:video" content="${FILE}">`);
    expect(failureOf(body, CODES.carousel, 'page')).toBe('upstream_changed');
  });
});

describe('stories of which a part cannot be read', () => {
  const ref = { ...refOf(CODES.reel), form: 'story', parts: {} };

  it('keep the places of the others', () => {
    const answer = JSON.parse(fixture('reels-media.json'));
    answer.reels['880012'].items[0].video_versions = null;
    const draft = parseStories(JSON.stringify(answer), ref);
    expect(draft?.items.map(item => item?.kind ?? null)).toEqual([null, 'image']);
  });

  it('are a change of the site where nothing of them can be read', () => {
    const answer = fixture('reels-media.json').replaceAll('cdninstagram.com', 'example.org');
    expect(() => parseStories(answer, ref)).toThrow(expect.objectContaining({ code: 'upstream_changed' }));
    const named = { ...ref, parts: { mediaId: '3888602809611845741' } };
    const broken = JSON.parse(fixture('reels-media.json'));
    broken.reels['880012'].items[0].video_versions = null;
    expect(() => parseStories(JSON.stringify(broken), named)).toThrow(
      expect.objectContaining({ code: 'upstream_changed' }),
    );
  });
});
