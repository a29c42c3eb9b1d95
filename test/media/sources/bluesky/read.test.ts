import { describe, expect, it } from 'vitest';
import { blob, DID, images, KEY, OTHER, outcome, photo, quote, type Shape, thread, video, view } from './fixture.ts';

const LAMP = `https://cdn.bsky.app/img/feed_fullsize/plain/${DID}/bafkreilamp`;

describe('a post of Bluesky', () => {
  it('comes with author, words, counts and its photo in two sizes', () => {
    expect(outcome(thread(view()))).toMatchObject({
      source: 'bluesky',
      id: `${DID}_${KEY}`,
      url: `https://bsky.app/profile/${DID}/post/${KEY}`,
      author: { id: DID, username: 'pier-lights.example', name: 'Pier Lights', verified: true },
      caption: 'Lamps and fog #pier',
      hashtags: ['#pier'],
      publishedAt: Date.UTC(2025, 8, 22, 20),
      stats: { likes: 226, comments: 12, shares: 68, views: null },
      sensitive: false,
      quoted: null,
      missingItems: 0,
      items: [
        {
          kind: 'image',
          width: 3000,
          height: 2000,
          alt: 'A photo called lamp',
          thumbnailUrl: expect.stringContaining('/feed_thumbnail/'),
          variants: [
            { url: expect.stringContaining(LAMP), mime: 'image/jpeg', width: 2000, height: 1333 },
            { width: 1000, height: 667 },
          ],
        },
      ],
    });
    expect(outcome({ posts: [view()] }, { kind: 'posts' })).toMatchObject({ items: [{ kind: 'image' }] });
    expect(outcome(thread(view()), { actor: 'pier-lights.example' })).toMatchObject({
      id: `pier-lights.example_${KEY}`,
    });
  });

  it('has a video, a gallery, or words alone', () => {
    expect(outcome(thread(view({ embed: video() })))).toMatchObject({
      items: [{ kind: 'video', width: 1080, height: 1920, thumbnailUrl: expect.stringContaining('/thumbnail.jpg') }],
    });
    const items = ['a', 'b', 'c'].map(name => {
      const { thumb: thumbnail, ...rest } = photo(name);
      return { $type: 'app.bsky.embed.gallery#viewImage', thumbnail, ...rest };
    });
    const gallery = { $type: 'app.bsky.embed.gallery#view', items };
    const post = outcome(thread(view({ embed: gallery })));
    expect(Object(post).items.map(({ alt }: Shape) => alt)).toEqual(
      ['a', 'b', 'c'].map(name => `A photo called ${name}`),
    );
    expect(outcome(thread(view({ embed: undefined })))).toMatchObject({ items: [], caption: 'Lamps and fog #pier' });
  });

  it('writes addresses out, by bytes, and names the people that it mentions', () => {
    const text = 'Größe 🎈 see pier.example/lamps… and here, @mara-b.example';
    const place = (shown: string) => {
      const byteStart = Buffer.from(text.slice(0, text.indexOf(shown))).length;
      return { byteStart, byteEnd: byteStart + Buffer.from(shown).length };
    };
    const link = (uri: string) => [{ $type: 'app.bsky.richtext.facet#link', uri }];
    const facets = [
      { index: place('pier.example/lamps…'), features: link('https://pier.example/lamps/2025') },
      { index: place('here'), features: link('https://pier.example/') },
      { index: place('@mara-b.example'), features: [{ $type: 'app.bsky.richtext.facet#mention', did: OTHER }] },
      { index: { byteStart: 500, byteEnd: 900 }, features: link('https://evil.example/') },
    ];
    expect(outcome(thread(view({}, { text, facets })))).toMatchObject({
      caption: 'Größe 🎈 see https://pier.example/lamps/2025 and here (https://pier.example/), @mara-b.example',
      mentions: ['@mara-b.example'],
    });
  });

  it('has the card of a link below its words, once', () => {
    const external = { uri: 'https://pier.example/tale', title: 'A tale of lamps', description: 'Long' };
    const embed = { $type: 'app.bsky.embed.external#view', external };
    expect(outcome(thread(view({ embed })))).toMatchObject({
      items: [],
      caption: 'Lamps and fog #pier\n\nA tale of lamps\nhttps://pier.example/tale',
    });
    const said = view({ embed }, { text: 'See https://pier.example/tale' });
    expect(outcome(thread(said))).toMatchObject({ caption: 'See https://pier.example/tale' });
  });

  it('gives a quoted post as its author’s, alone or beside media, one level deep', () => {
    const deeper = quote({
      embeds: [
        { $type: 'app.bsky.embed.record#view', record: quote({ uri: `at://${OTHER}/app.bsky.feed.post/3deep` }) },
      ],
    });
    const alone = { $type: 'app.bsky.embed.record#view', record: deeper };
    expect(outcome(thread(view({ embed: alone })))).toMatchObject({
      items: [],
      quoted: {
        id: `${OTHER}_3ferry2222222`,
        author: { username: 'ferry.bsky.social' },
        caption: 'Not mine',
        quoted: null,
      },
    });
    const both = {
      $type: 'app.bsky.embed.recordWithMedia#view',
      media: images(photo('lamp')),
      record: { record: quote() },
    };
    const post = outcome(thread(view({ embed: both })));
    expect(post).toMatchObject({
      items: [{ alt: 'A photo called lamp' }],
      quoted: { items: [{ alt: 'A photo called ferry' }] },
    });
    for (const record of [
      { $type: 'app.bsky.embed.record#viewNotFound', uri: `at://${OTHER}/app.bsky.feed.post/3x`, notFound: true },
      { $type: 'app.bsky.embed.record#viewBlocked', uri: `at://${OTHER}/app.bsky.feed.post/3x`, blocked: true },
      { $type: 'app.bsky.feed.defs#generatorView', uri: `at://${OTHER}/app.bsky.feed.generator/x` },
      quote({ author: { did: OTHER, handle: 'ferry.bsky.social', labels: [{ val: '!no-unauthenticated' }] } }),
    ]) {
      for (const words of [{}, { text: '' }]) {
        expect(outcome(thread(view({ embed: { record } }, words)))).toMatchObject({ quoted: null, items: [] });
      }
    }
  });

  it.each(['porn', 'sexual', 'nudity', 'graphic-media'])('is sensitive by the label %s, wherever it stands', val => {
    expect(outcome(thread(view({ labels: [{ val }] })))).toMatchObject({ sensitive: true });
    expect(outcome(thread(view({ labels: [{ val, neg: true }] })))).toMatchObject({ sensitive: false });
    const own = { labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val }] } };
    expect(outcome(thread(view({}, own)))).toMatchObject({ sensitive: true });
    const record = quote({ labels: [{ val }] });
    expect(outcome(thread(view({ embed: { record } })))).toMatchObject({ sensitive: true });
  });
});

const members = { ...Object(view().author), labels: [{ val: '!no-unauthenticated' }] };

describe('what stands in the place of a post', () => {
  it.each([
    ['a refusal', 400, { error: 'NotFound', message: 'Post not found: at://x' }, 'not_found'],
    ['a name that leads nowhere', 400, { error: 'InvalidRequest', message: 'Unable to resolve handle' }, 'not_found'],
    [
      'a malformed question',
      400,
      { error: 'InvalidRequest', message: 'Error: depth must be an integer' },
      'upstream_changed',
    ],
    [
      'an account taken down',
      400,
      { error: 'AccountTakedown', message: 'Account has been suspended' },
      'not_found account',
    ],
    [
      'an account that rests',
      400,
      { error: 'AccountDeactivated', message: 'Account is deactivated' },
      'not_found account',
    ],
    ['a block', 400, { error: 'BlockedByAuthor', message: 'Requester is blocked' }, 'login_required'],
    ['a limit', 429, { error: 'RateLimitExceeded', message: 'Rate Limit Exceeded' }, 'upstream_rate_limited'],
    ['a broken upstream', 502, { error: 'UpstreamFailure', message: '' }, 'upstream_unavailable'],
    ['a page', 200, '<html></html>', 'upstream_changed'],
    ['none', 200, { thread: { $type: 'app.bsky.feed.defs#notFoundPost', notFound: true } }, 'not_found'],
    ['a blocked one', 200, { thread: { $type: 'app.bsky.feed.defs#blockedPost', blocked: true } }, 'login_required'],
    ['one for members', 200, thread(view({ author: members })), 'login_required'],
    ['one that was taken down', 200, thread(view({ labels: [{ val: '!takedown' }] })), 'not_found'],
  ])('%s is named', (_, status, answer, code) => {
    expect(outcome(answer, { status })).toBe(code);
  });

  it('is an empty list, by the other question', () => {
    expect(outcome({ posts: [] }, { kind: 'posts' })).toBe('not_found (guess)');
  });
});

function renamed(shape: Shape, from: string, to: string): Shape {
  const { [from]: value, ...rest } = shape;
  return { ...rest, [to]: value };
}

const written = { embed: { $type: 'app.bsky.embed.images', images: [{ alt: 'A lamp', image: blob('lamp') }] } };
const filmed = { embed: { $type: 'app.bsky.embed.video', video: blob('wave', 'video/mp4') } };
const foreign = { ...view(), uri: `at://${OTHER}/app.bsky.feed.post/${KEY}` };

/** Shapes that the site may have tomorrow: what is in them, or the name of the failure. */
const CHANGED: readonly (readonly [change: string, answer: Shape, right: string | RegExp])[] = [
  ['what is shown renamed, its record whole', thread(renamed(view({}, written), 'embed', 'media')), LAMP],
  ['a video that is in the record alone', thread(view({ embed: undefined }, filmed)), /"kind":"video"/],
  [
    'the address of a photo renamed, its record whole',
    thread(view({ embed: images(renamed(photo('lamp'), 'fullsize', 'src')) }, written)),
    LAMP,
  ],
  [
    'the address of a photo renamed, its record without it',
    thread(view({ embed: images(renamed(photo('lamp'), 'fullsize', 'src')) })),
    '/feed_thumbnail/',
  ],
  [
    'one photo of two without any address',
    thread(view({ embed: images(photo('lamp'), { alt: 'b' }) })),
    /"missingItems":1/,
  ],
  [
    'a photo of another person in the list',
    thread(view({ embed: images(photo('lamp'), photo('ferry', OTHER)) })),
    /"missingItems":1/,
  ],
  [
    'a photo on another host',
    thread(view({ embed: images({ fullsize: 'https://evil.example/a.jpg', thumb: photo('lamp').thumb }) })),
    '/feed_thumbnail/',
  ],
  [
    'the type of what is shown renamed',
    thread(view({ embed: { ...images(photo('lamp')), $type: 'app.bsky.embed.photos#view' } })),
    LAMP,
  ],
  ['the address of the post renamed', thread(renamed(view(), 'uri', 'at')), 'upstream_changed'],
  ['another post in place of the asked one', thread(quote({ record: { text: 'Not mine' } })), 'upstream_changed'],
  ['another person under the asked key', thread(foreign), 'upstream_changed'],
  ['the author renamed', thread(renamed(view(), 'author', 'by')), /"username":null.*lamp/],
  ['the record renamed', thread(renamed(view(), 'record', 'value')), LAMP],
  ['the record missing', thread(renamed(view(), 'record', 'post')), 'upstream_changed'],
  ['the words renamed', thread(view({}, { text: undefined, words: 'Lamps' })), /"caption":null.*lamp/],
  ['words renamed where nothing else is', thread(view({ embed: undefined }, { text: undefined })), 'upstream_changed'],
  ['the thread one level deeper', { result: thread(view()) }, LAMP],
  ['a parent beside it', { thread: { post: view(), parent: { post: quote({ record: {} }) } } }, LAMP],
  ['replies beside it', { thread: { post: view(), replies: [{ post: quote({ record: {} }) }] } }, LAMP],
  [
    'a ratio in place of pixels',
    thread(view({ embed: images({ ...photo('lamp'), aspectRatio: { width: 3, height: 2 } }) })),
    /"width":null/,
  ],
  ['the date in no form that is known', thread(view({}, { createdAt: 'today' })), /"publishedAt":1758571201000/],
  ['an answer about nothing that is known', { thread: { $type: 'app.bsky.feed.defs#other' } }, 'upstream_changed'],
];

describe('a changed shape', () => {
  it.each(CHANGED)('%s: right, or rightly named', (_, answer, right) => {
    const found = outcome(answer);
    if (typeof found === 'string') expect(found).toBe(right);
    else if (typeof right === 'string') expect(JSON.stringify(found)).toContain(right);
    else expect(JSON.stringify(found)).toMatch(right);
    // Never a file of another author.
    const { quoted: __, ...outer } = Object(found);
    expect(JSON.stringify(outer)).not.toContain(OTHER);
  });
});
