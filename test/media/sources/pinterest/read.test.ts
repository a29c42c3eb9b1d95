import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { PLAYLIST_MIME, type Post } from '../../../../src/media/post.ts';
import { pinterestRefOf } from '../../../../src/media/sources/pinterest/link.ts';
import { readPinterestAnswer } from '../../../../src/media/sources/pinterest/parse.ts';
import { bodyOf } from '../../body-of.ts';

type Json = Readonly<Record<string, unknown>>;
const ID = '424605071150000777';
const HASH = 'aa/bb/cc/aabbcc00000000000000000000000001';
const image = (name: string, width = 1000) => ({
  url: `https://i.pinimg.com/originals/${name}.jpg`,
  width,
  height: width,
});
const file = (place: string, type: string, width: number) => {
  return { url: `https://v1.pinimg.com/videos/${place}/${HASH}.${type}`, width, height: width, duration: 6_000 };
};
const stream = { V_HLSV4: file('iht/hls', 'm3u8', 1080) };
const filmed = {
  videos: { video_list: { ...stream, V_EXP7: file('iht/exp', 'mp4', 1080), V_720P: file('mc/720p', 'mp4', 720) } },
};

function pin(more: Json = {}): Json {
  return {
    id: ID,
    title: ' ',
    grid_title: 'A bowl',
    description: ' ',
    created_at: 'Wed, 10 Sep 2025 10:00:00 +0000',
    images: { '736x': image('small', 736), orig: image('bowl') },
    pinner: { username: 'saver', full_name: 'Saver' },
    native_creator: { id: '12', username: 'mara', full_name: 'Mara' },
    comment_count: 0,
    aggregated_pin_data: { aggregated_stats: { saves: 12 }, comment_count: 7 },
    ...more,
  };
}

const found = (data: unknown) => JSON.stringify({ resource_response: { status: 'success', data } });
const page = (state: unknown) =>
  `<html><head></head><body><script id="__PWS_DATA__" type="application/json">${JSON.stringify(state)}</script></body></html>`;

function outcome(text: string, status = 200): Post | string {
  const ref = pinterestRefOf(ID);
  if (ref === undefined) throw new Error('no id');
  try {
    const head = { status, headers: {}, url: ref.url };
    return readPinterestAnswer({ ...head, body: bodyOf(text) }, { ref, kind: 'query', strategy: 'test', now: 1_000 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code}${error.params.weak ? ' (guess)' : ''}`;
  }
}

it('a pin has its creator, its title without blanks, its saves and its original', () => {
  expect(outcome(found(pin()))).toMatchObject({
    author: { id: '12', username: 'mara', name: 'Mara' },
    title: 'A bowl',
    caption: null,
    publishedAt: Date.UTC(2025, 8, 10, 10),
    stats: { saves: 12, comments: 7 },
    items: [{ kind: 'image', width: 1000, variants: [{ url: image('bowl').url }, { width: 736 }] }],
  });
});

it('a video has its whole files, that of 720 pixels first, and the stream where there is no other', () => {
  expect(outcome(found(pin(filmed)))).toMatchObject({
    items: [{ kind: 'video', durationMs: 6_000, variants: [{ width: 720, mime: 'video/mp4' }, { width: 1080 }] }],
  });
  const alone = outcome(found(pin({ videos: { video_list: stream } })));
  expect(alone).toMatchObject({ items: [{ variants: [{ mime: PLAYLIST_MIME }] }] });
});

/** A page whose scripts hand over the answers to its own queries, each with some fields of the pin. */
const handedOver = (...parts: readonly Json[]) =>
  parts
    .map(part => JSON.stringify({ data: { v3GetPinQueryv2: { data: { id: 'UGlu', entityId: ID, ...part } } } }))
    .map(json => `<script data-relay-completed-request="true">window.__PWS_RELAY("%7B%7D", ${json});</script>`)
    .join('');
const shot = file('mc/720p', 'mp4', 720);
const photo = {
  images_236x: image('tiny', 236),
  imageSpec_orig: image('bowl'),
  imageSpec_136x136: image('square', 136),
};

it('a page that hands over its own queries has the pin in their names', () => {
  const facts = {
    gridTitle: 'A bowl',
    description: ' ',
    closeupUnifiedDescription: 'Of clay',
    autoAltText: 'a bowl on a table',
    createdAt: 'Wed, 10 Sep 2025 10:00:00 +0000',
    nativeCreator: {
      id: 'VXNlcjox',
      entityId: '12',
      username: 'mara',
      fullName: 'Mara',
      imageLargeUrl: image('m').url,
    },
    pinner: { username: 'saver', fullName: 'Saver' },
    aggregatedPinData: { aggregatedStats: { saves: 12 }, commentCount: 7 },
    shareCount: 3,
    videos: null,
    embed: null,
  };
  expect(
    outcome(handedOver({ imageSpec_orig: photo.imageSpec_orig }, { ...photo, imageSpec_orig: null }, facts)),
  ).toMatchObject({
    author: { id: '12', username: 'mara', name: 'Mara', avatarUrl: image('m').url },
    title: 'A bowl',
    caption: 'Of clay',
    publishedAt: Date.UTC(2025, 8, 10, 10),
    stats: { saves: 12, comments: 7, shares: 3 },
    items: [{ kind: 'image', alt: 'a bowl on a table', variants: [{ url: image('bowl').url }, { width: 236 }] }],
  });
});

const block = (video: Json) => ({ blocks: [{ text: 'Wedge it' }, { video }] });
const slot = (name: string) => ({ images: { '750x': image(name) } });
const taken = { native_creator: null, is_repin: true };

/** Shapes that pins have, or may have tomorrow: what is in them, or the name of the failure. */
const SHAPES: readonly (readonly [shape: string, text: string, right: string | RegExp])[] = [
  ['an idea pin', found(pin({ story_pin_data: { pages: [block({ video_list: stream })] } })), /"kind":"video"/],
  ['an old idea pin', found(pin({ story_pin_data: { pages: [{ video: { video_list: stream } }] } })), /"kind":"video"/],
  [
    'an idea pin of photos',
    found(pin({ story_pin_data: { pages: [{ blocks: [{ image: { images: { originals: image('page') } } }] }] } })),
    /originals\/page/,
  ],
  ['a carousel', found(pin({ carousel_data: { carousel_slots: [slot('one'), slot('two')] } })), /one.*two/],
  ['a slot without a photo', found(pin({ carousel_data: { carousel_slots: [slot('one'), {}] } })), /"missingItems":1/],
  ['a gif', found(pin({ embed: { type: 'gif', src: 'https://i.pinimg.com/originals/a.gif' } })), /image\/gif/],
  ['a foreign gif', found(pin({ embed: { type: 'gif', src: 'https://evil.example/a.gif' } })), /originals\/bowl/],
  ['a video without a file', found(pin({ videos: { video_list: {} } })), 'upstream_changed'],
  ['a video that is said and not there', found(pin({ is_video: true })), 'upstream_changed'],
  [
    'a video on another host',
    found(pin({ videos: { video_list: { V_720P: { url: 'https://evil.example/a.mp4' } } } })),
    'upstream_changed',
  ],
  ['no original', found(pin({ images: { '736x': image('small', 736) } })), /originals\/small/],
  [
    'an attribution',
    found(pin({ native_creator: null, closeup_attribution: { username: 'maker' } })),
    /"username":"maker"/,
  ],
  ['one that was only saved', found(pin(taken)), /"username":null/],
  ['its date in no known form', found(pin({ created_at: 'today' })), /"publishedAt":null/],
  ['another pin', found(pin({ id: '1' })), 'upstream_changed'],
  ['the id renamed', found(pin({ id: undefined, pin: ID })), 'upstream_changed'],
  ['the answer one level deeper', JSON.stringify({ result: JSON.parse(found(pin())) }), /originals\/bowl/],
  [
    'a page with related pins',
    page({ initialReduxState: { pins: { '1': pin({ id: '1', images: { orig: image('else') } }), [ID]: pin() } } }),
    /originals\/bowl/,
  ],
  [
    'a page by its entity',
    page({ data: { v3GetPinQuery: { data: { ...pin({ id: 'UGlu' }), entityId: ID } } } }),
    /originals\/bowl/,
  ],
  [
    'a page that hands over a video, and its photo without a word of it',
    handedOver(
      { videos: { videoList: { vHLSV4: file('iht/hls', 'm3u8', 1080), v720P: shot } } },
      { ...photo, videos: null },
    ),
    /"kind":"video".*720p/,
  ],
  [
    'a page that hands over an idea pin',
    handedOver({
      ...photo,
      storyPinData: { pages: [{ blocks: [{ videoDataV2: { videoList720P: { v720P: shot } } }] }] },
    }),
    /"kind":"video".*720p/,
  ],
  ['a page that hands over another pin', handedOver({ ...photo, entityId: '1' }), 'upstream_changed'],
  [
    'a page with the queries as JSON',
    `<script data-relay-response="true" type="application/json">${JSON.stringify({ response: { data: { v3GetPinQuery: { data: { entityId: ID, ...photo, videos: null } } } } })}</script>`,
    /originals\/bowl/,
  ],
  [
    'the cover of a video in its head alone',
    `<head><meta property="og:url" content="https://www.pinterest.com/pin/${ID}/"><meta property="og:image" content="${image('head').url}"></head><body><script type="application/ld+json">{"@type":"VideoObject"}</script></body>`,
    'upstream_changed',
  ],
  ['a page of a pin that is gone', page({ data: { __typename: 'PinNotFound' } }), 'not_found'],
  [
    'a page for crawlers alone',
    `<head><meta property="og:url" content="https://www.pinterest.com/pin/${ID}/"><meta property="og:image" content="${image('head').url}"></head><body>`,
    /originals\/head/,
  ],
  ['an empty page', '<html><body></body></html>', 'upstream_changed'],
  [
    'a failure with success',
    JSON.stringify({ resource_response: { status: 'failure', http_status: 404, data: null } }),
    'not_found',
  ],
];

describe('a shape', () => {
  it.each(SHAPES)('%s: right, or rightly named', (_, text, right) => {
    const post = outcome(text);
    if (typeof right === 'string') expect(post).toBe(right);
    else expect(JSON.stringify(post)).toMatch(right);
    expect(JSON.stringify(post)).not.toMatch(/evil|originals\/else|"saver"/);
  });
});

it.each([
  [404, JSON.stringify({ resource_response: { status: 'failure', http_status: 404 } }), 'not_found'],
  [404, '<html></html>', 'not_found (guess)'],
  [403, '', 'upstream_rate_limited'],
  [429, '', 'upstream_rate_limited'],
  [503, '', 'upstream_unavailable'],
])('%d with %s is %s', (status, text, code) => {
  expect(outcome(text, status)).toBe(code);
});
