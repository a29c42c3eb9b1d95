/** Answers in the recorded shapes, and in shapes that changed: right, or rightly named, and never of another post. */
import { expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Post } from '../../../../src/media/post.ts';
import type { AnswerKind } from '../../../../src/media/sources/kit/draft.ts';
import { redditRefOf } from '../../../../src/media/sources/reddit/link.ts';
import { readRedditAnswer } from '../../../../src/media/sources/reddit/parse.ts';
import { bodyOf } from '../../body-of.ts';

const ID = '1bowl77';

function outcome(text: string, kind: AnswerKind = 'page', status = 200): Post | string {
  const ref = redditRefOf(ID);
  if (ref === undefined) throw new Error('no id');
  try {
    const head = { status, headers: {}, url: ref.url };
    return readRedditAnswer({ ...head, body: bodyOf(text) }, { ref, kind, strategy: 'test', now: 1_000 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code}${error.params.weak ? ' (guess)' : ''}`;
  }
}

const FILE = 'https://packaged-media.redd.it/bowlbowl1234/pb/m2-res_480p.mp4?e=1900000000';
const packaged = (url = FILE) =>
  `packaged-media-json='{"playbackMp4s":{"duration":40,"permutations":[{"source":{"dimensions":{"height":480,"width":270},"url":"${url}"}}]}}'`;
const post = (inside: string, more = 'post-type="video"', id = ID) =>
  `<shreddit-post id="t3_${id}" post-title="A bowl" author="mara" score="12" comment-count="3" ${more}>${inside}</shreddit-post>`;
const player = (more = packaged(), owner = ID) => `<shreddit-player post-id="t3_${owner}" ${more}></shreddit-player>`;
const video = {
  kind: 'video',
  durationMs: 40_000,
  variants: [{ url: FILE, width: 270, expiresAt: 1_900_000_000_000 }],
};

it.each<[string, string, object | string]>([
  [
    'a video',
    post(player()),
    { author: { username: 'mara' }, title: 'A bowl', stats: { likes: 12, comments: 3 }, items: [video] },
  ],
  [
    'beside an advertisement and a comment',
    `<shreddit-player post-promoted="" src="https://v.redd.it/adadadadad/x"></shreddit-player>${post(`<shreddit-player comment-id="t1_a" src="https://v.redd.it/comment12/x"></shreddit-player>${player()}`)}`,
    { items: [video] },
  ],
  ['another post alone', post(player(packaged(), '1other'), 'post-type="video"', '1other'), 'upstream_changed'],
  [
    'another post before it',
    `${post(player(packaged('https://packaged-media.redd.it/other/x.mp4'), '1other'), '', '1other')}${post(player())}`,
    { items: [video] },
  ],
  ['a player of another post in it', post(player(packaged(), '1other')), { items: [], missingItems: 1 }],
  [
    'a crosspost',
    post(player(packaged(), '1other'), 'post-type="crosspost"'),
    { author: { username: 'mara' }, items: [video], quoted: null },
  ],
  [
    'a crosspost that names the post that it shares',
    post(
      `<div class="crosspost-title mb-2xs"><a href="/r/a/comments/1other/b/"> A bowl turns </a></div>${player(packaged(), '1other')}`,
      'post-type="crosspost" nsfw content-href="/r/a/comments/1other/b/"',
    ),
    {
      author: { username: 'mara' },
      sensitive: true,
      title: 'A bowl',
      items: [],
      missingItems: 0,
      quoted: { id: '1other', title: 'A bowl turns', author: { username: null }, sensitive: true, items: [video] },
    },
  ],
  [
    'a crosspost whose video cannot be read',
    post(
      player(packaged('https://evil.example/a.mp4'), '1other'),
      'post-type="crosspost" content-href="/r/a/comments/1other/b/"',
    ),
    { items: [], missingItems: 1, quoted: null },
  ],
  [
    'a crosspost of a gallery',
    post(
      '<ul post-id="t3_1other"><li slot="page-1"><img src="https://preview.redd.it/a-v0-bowlbowl1.jpg?width=640"></li></ul>',
      'post-type="crosspost" content-href="https://www.reddit.com/r/a/comments/1other/b/"',
    ),
    {
      items: [],
      quoted: { id: '1other', items: [{ kind: 'image', variants: [{ url: 'https://i.redd.it/bowlbowl1.jpg' }, {}] }] },
    },
  ],
  ['a file elsewhere', post(player(packaged('https://evil.example/a.mp4'))), { items: [], missingItems: 1 }],
  [
    'a player without a list of files',
    post(player('src="https://v.redd.it/bowlbowl1234/HLSPlaylist.m3u8"')),
    { items: [{ variants: [{ url: 'https://v.redd.it/bowlbowl1234/DASHPlaylist.mpd' }] }] },
  ],
  [
    'an image by its address',
    post('', 'post-type="image" content-href="https://i.redd.it/bowlbowl1234.jpeg"'),
    { items: [{ kind: 'image', variants: [{ url: 'https://i.redd.it/bowlbowl1234.jpeg' }] }] },
  ],
  [
    'a gallery without slides',
    post('', 'post-type="gallery" content-href="https://www.reddit.com/gallery/1bowl77"'),
    'upstream_changed',
  ],
  [
    'words',
    post('<div slot="text-body"><p>Wedge <b>it</b> first</p></div>', 'post-type="text"'),
    { caption: 'Wedge it first', items: [] },
  ],
  [
    'words in paragraphs',
    post(
      '<div slot="text-body">\n <p>\n  Wedge it\n </p><p>\n  Let it rest</p><ul><li>A</li><li>B</li></ul></div>',
      'post-type="text"',
    ),
    { caption: 'Wedge it\n\nLet it rest\nA\nB', items: [] },
  ],
  [
    'words with an image between them',
    post(
      '<div slot="text-body"><p>Before</p><figure><img src="https://preview.redd.it/bowlbowl1234.png?width=9"></figure></div>',
      'post-type="multi_media"',
    ),
    { caption: 'Before', items: [{ variants: [{ url: 'https://i.redd.it/bowlbowl1234.png' }, {}] }] },
  ],
  [
    'a gif',
    post(
      '<shreddit-player gif src="https://preview.redd.it/bowlbowl1234.gif?format=mp4&s=1"></shreddit-player>',
      'post-type="gif" content-href="https://i.redd.it/bowlbowl1234.gif"',
    ),
    { items: [{ kind: 'video', variants: [{ mime: 'video/mp4', hasAudio: false }] }], missingItems: 0 },
  ],
  [
    'a link elsewhere',
    post('', 'post-type="link" content-href="https://clay.example/a"'),
    { caption: 'https://clay.example/a', items: [] },
  ],
  ['for adults', post(player(), 'nsfw'), { sensitive: true }],
  ['a spoiler', post(player(), 'spoiler'), { sensitive: true }],
  ['a type that is new', post('', 'post-type="poll" content-href="https://www.reddit.com/a"'), 'upstream_changed'],
  [
    'proof of a person',
    '<html><form hidden><input name="solution"><input name="js_challenge" value="1"><input name="jsc_token"></form></html>',
    'upstream_rate_limited',
  ],
  ['a page to log in', '<html><head><title>Welcome to Reddit</title></head></html>', 'login_required'],
  [
    'a private community',
    '<html><shreddit-forbidden>r/clay is a private community</shreddit-forbidden></html>',
    'private',
  ],
  ['a removed post', post('<div slot="post-removed-banner">Sorry</div>', 'post-type="text"'), 'not_found'],
  ['a deleted post', '<html><div id="shreddit-forbidden"><h1>Post not found</h1></div></html>', 'not_found (guess)'],
  ['another page', '<html><body>Hello</body></html>', 'upstream_changed'],
])('a page with %s', (_, text, right) => {
  const found = outcome(text);
  if (typeof right === 'string') expect(found).toBe(right);
  else expect(found).toMatchObject(right);
});

const listing = (more: object) =>
  JSON.stringify([
    {
      data: {
        children: [
          {
            data: {
              id: ID,
              title: 'A &amp; B',
              author: 'mara',
              author_fullname: 't2_1',
              created_utc: 1_700_000_000,
              score: 5,
              num_comments: 2,
              over_18: false,
              is_self: false,
              ...more,
            },
          },
        ],
      },
    },
  ]);
const metadata = {
  abcdefgh1: {
    status: 'valid',
    e: 'Image',
    m: 'image/jpg',
    s: { x: 30, y: 40, u: 'https://preview.redd.it/abcdefgh1.jpg?s=1' },
  },
  abcdefgh2: {
    status: 'valid',
    e: 'AnimatedImage',
    m: 'image/gif',
    s: { x: 5, y: 6, mp4: 'https://preview.redd.it/abcdefgh2.gif?format=mp4' },
  },
};

it.each<[string, string, object | string]>([
  [
    'a video',
    listing({
      secure_media: {
        reddit_video: {
          fallback_url: 'https://v.redd.it/bowlbowl1234/CMAF_480.mp4?source=fallback',
          width: 480,
          height: 854,
          duration: 65,
        },
      },
    }),
    {
      title: 'A & B',
      publishedAt: 1_700_000_000_000,
      items: [{ kind: 'video', width: 480, height: 854, durationMs: 65_000 }],
    },
  ],
  [
    'a link to a moving image elsewhere, of which the site has a video',
    listing({
      is_self: false,
      url: 'https://i.imgur.example/bowl.gifv',
      url_overridden_by_dest: 'https://i.imgur.example/bowl.gifv',
      preview: {
        images: [],
        reddit_video_preview: {
          fallback_url: 'https://v.redd.it/bowlbowl1234/CMAF_480.mp4',
          width: 480,
          height: 360,
          duration: 6,
          is_gif: true,
        },
      },
    }),
    {
      caption: null,
      items: [
        {
          kind: 'video',
          width: 480,
          height: 360,
          durationMs: 6_000,
          variants: [{ url: 'https://v.redd.it/bowlbowl1234/DASHPlaylist.mpd' }],
        },
      ],
    },
  ],
  [
    'a gallery in its order',
    listing({
      is_gallery: true,
      gallery_data: {
        items: [{ media_id: 'abcdefgh2' }, { media_id: 'abcdefgh1', caption: 'Side' }, { media_id: 'missing12' }],
      },
      media_metadata: metadata,
    }),
    {
      missingItems: 1,
      items: [
        { kind: 'video', variants: [{ hasAudio: false }] },
        { kind: 'image', width: 30, alt: 'Side', variants: [{ url: 'https://i.redd.it/abcdefgh1.jpg' }, {}] },
      ],
    },
  ],
  [
    'a crosspost',
    listing({
      crosspost_parent_list: [
        { id: '1parent', author: 'omar', is_self: false, url: 'https://i.redd.it/bowlbowl1234.jpg' },
      ],
    }),
    {
      author: { username: 'mara' },
      items: [],
      quoted: { id: '1parent', author: { username: 'omar' }, items: [{ kind: 'image' }] },
    },
  ],
  [
    'a crosspost of one that was removed',
    listing({
      crosspost_parent_list: [{ id: '1parent', author: '[deleted]', removed_by_category: 'moderator' }],
    }),
    { author: { username: 'mara' }, items: [], quoted: null },
  ],
  ['a score that is still hidden', listing({ hide_score: true, score: 1 }), { stats: { likes: null } }],
  ['words', listing({ is_self: true, selftext: 'Wedge it' }), { caption: 'Wedge it', items: [] }],
  [
    'files among its words',
    listing({
      is_self: true,
      selftext:
        'Wedge it\n\n![gif](abcdefgh2)\n\nthen turn\n\nhttps://preview.redd.it/abcdefgh1.jpg?width=30&amp;s=1\n\n![gif](giphy|clay)',
      media_metadata: { ...metadata, 'giphy|clay': { status: 'valid', e: 'AnimatedImage', s: { x: 4, y: 4 } } },
    }),
    {
      caption: 'Wedge it\n\nthen turn',
      missingItems: 0,
      items: [{ kind: 'video' }, { kind: 'image', variants: [{ url: 'https://i.redd.it/abcdefgh1.jpg' }, {}] }],
    },
  ],
  ['one that was removed', listing({ removed_by_category: 'moderator' }), 'not_found'],
  ['one whose words were removed', listing({ is_self: true, author: '[deleted]', selftext: '[removed]' }), 'not_found'],
  ['another post', listing({ id: '1other' }), 'upstream_changed'],
])('a listing with %s', (_, text, right) => {
  const found = outcome(text, 'app');
  if (typeof right === 'string') expect(found).toBe(right);
  else expect(found).toMatchObject(right);
});

it.each([
  ['private', 'private'],
  ['quarantined', 'login_required'],
  ['gated', 'login_required'],
  ['gold_only', 'private'],
  ['banned', 'not_found'],
])('a community that is %s', (reason, code) => {
  const answer = JSON.stringify({ reason, message: 'Forbidden', error: 403 });
  for (const kind of ['app', 'page'] as const) expect(outcome(answer, kind, 403)).toBe(code);
});

const embed = (data: object, inside: string) =>
  `<shreddit-screenview-data data='${JSON.stringify(data)}'></shreddit-screenview-data><a href="/user/mara/">u/mara</a><shreddit-embed-title>A bowl</shreddit-embed-title>${inside}`;
const picture = (name: string, width = 640) => `<img src="https://preview.redd.it/a-v0-${name}.jpg?width=${width}">`;

it.each<[string, string, object | string]>([
  [
    'a gallery without slots',
    embed(
      { post: { type: 'gallery', url: 'https://www.reddit.com/gallery/1bowl77' } },
      `<img src="https://styles.redditmedia.com/icon.png"><gallery-carousel>${picture('bowlbowl1')}${picture('bowlbowl1', 320)}${picture('bowlbowl2')}</gallery-carousel>`,
    ),
    {
      author: { username: 'mara' },
      title: 'A bowl',
      missingItems: 0,
      items: [
        { variants: [{ url: 'https://i.redd.it/bowlbowl1.jpg' }, {}] },
        { variants: [{ url: 'https://i.redd.it/bowlbowl2.jpg' }, {}] },
      ],
    },
  ],
  [
    'a link to its post',
    embed({ post: { type: 'video' } }, `<a href="https://www.reddit.com/r/a/comments/1bowl77/b/">b</a>${player()}`),
    { items: [video] },
  ],
  [
    'its time, its title in a heading, and its counts',
    `<shreddit-screenview-data data='${JSON.stringify({ post: { id: `t3_${ID}`, type: 'video', created_timestamp: 1_700_000_000_123 } })}'></shreddit-screenview-data><a id="embed-title" href="#"><h1>
      A bowl</h1></a>${player()}<a data-testid="upvote"><faceplate-number number="1297" pretty></faceplate-number> upvotes</a><a data-testid="comments"><span>Comment</span></a><a data-testid="cta"><span>View 1,029 comments</span></a>`,
    { title: 'A bowl', publishedAt: 1_700_000_000_123, stats: { likes: 1_297, comments: 1_029 }, items: [video] },
  ],
  ['another name', embed({ post: { id: 't3_1other', type: 'video' } }, player()), 'upstream_changed'],
  ['nothing in it', '<html><body><h1>Page not found</h1></body></html>', 'not_found (guess)'],
  ['a spoiler', embed({ post: { id: `t3_${ID}`, spoiler: true } }, player()), { sensitive: true }],
  ...['deleted', 'removed'].map((done): [string, string, string] => [
    `the words that it was ${done}`,
    `<shreddit-screenview-data data='{"post":{"id":"t3_${ID}","type":"image","url":"https://i.redd.it/bowlbowl1234.jpg"}}'></shreddit-screenview-data><p>This post has been ${done}.</p>`,
    'not_found (guess)',
  ]),
  [
    'such words of its author',
    embed(
      { post: { id: `t3_${ID}`, type: 'text' } },
      '<div slot="text-body"><p>This post has been deleted twice</p></div>',
    ),
    { title: 'A bowl', caption: 'This post has been deleted twice' },
  ],
  [
    'its own name and a link to another post alone',
    embed({ post: { id: `t3_${ID}`, type: 'video' } }, `<a href="/r/a/comments/1other/b/">b</a>${player()}`),
    { items: [video] },
  ],
  [
    'a link to another post alone',
    embed({ post: { type: 'video' } }, `<a href="/r/a/comments/1other/b/">b</a>${player()}`),
    'upstream_changed',
  ],
])('an embed with %s', (_, text, right) => {
  const found = outcome(text, 'embed');
  if (typeof right === 'string') expect(found).toBe(right);
  else expect(found).toMatchObject(right);
});

const asked = post(player());
const foreign = post(player(packaged('https://packaged-media.redd.it/ferry/x.mp4'), '1other'), '', '1other');
const image = listing({ url_overridden_by_dest: 'https://i.redd.it/bowlbowl1234.jpg' });
const gallery = (more: object) => listing({ is_gallery: true, media_metadata: metadata, ...more });
const entryOf = (target: string, id = `t3_${ID}`) =>
  `<feed><entry><author><name>/u/mara</name></author><content type="html">&lt;a href="${target}"&gt;[link]&lt;/a&gt;</content><id>${id}</id><title>A bowl</title></entry></feed>`;
const still = { items: [{ kind: 'image', variants: [{ url: 'https://i.redd.it/bowlbowl1234.jpg' }] }] };

/** Shapes that the site may have tomorrow: what is in them, or the name of the failure. */
it.each<[string, AnswerKind, string, object | string]>([
  [
    'the element of the post has a new name',
    'page',
    asked.replaceAll('shreddit-post', 'post-view'),
    'upstream_changed',
  ],
  ['the id of the post has no prefix', 'page', asked.replace(`id="t3_${ID}"`, `id="${ID}"`), 'upstream_changed'],
  ['the player has a new name', 'page', asked.replaceAll('shreddit-player', 'media-player'), { missingItems: 1 }],
  ['the list of files has a new name', 'page', asked.replace('packaged-media-json', 'media-json'), { missingItems: 1 }],
  ['the list of files is cut short', 'page', asked.replace('}]}}', ''), { missingItems: 1 }],
  ['a file has no size', 'page', asked.replace('"dimensions"', '"frame"'), { items: [{ variants: [{ url: FILE }] }] }],
  ['the kind of the post is not stated', 'page', asked.replace('post-type="video"', ''), { items: [video] }],
  ['no author, no counts', 'page', asked.replace(/author=.*comment-count="3"/, ''), { items: [video] }],
  [
    'another post stands around it',
    'page',
    foreign.replace('</shreddit-post>', `${asked}</shreddit-post>`),
    'upstream_changed',
  ],
  ['the page is cut short', 'page', asked.slice(0, 60), 'upstream_changed'],
  ['the listing is the answer for the page', 'page', image, still],
  ['the listing stands alone', 'app', JSON.stringify(JSON.parse(image)[0]), still],
  ['the listing is one level deeper', 'app', JSON.stringify({ data: JSON.parse(image)[0] }), 'upstream_changed'],
  ['the listing is empty', 'app', '[{"data":{"children":[]}}]', 'upstream_changed'],
  ['the address of an image has a new name', 'app', image.replace('url_overridden_by_dest', 'dest_url'), { items: [] }],
  ['the address is on another host', 'app', image.replace('i.redd.it', 'evil.example'), { items: [] }],
  ['a video has no address', 'app', listing({ secure_media: { reddit_video: { width: 4 } } }), { missingItems: 1 }],
  [
    'nothing but its order shows that a post is a gallery',
    'app',
    gallery({ is_gallery: null, gallery_data: { items: [{ media_id: 'abcdefgh1' }] } }),
    { items: [{ variants: [{ url: 'https://i.redd.it/abcdefgh1.jpg' }, {}] }] },
  ],
  [
    'some slides have no position',
    'page',
    post(
      '<gallery-carousel><li><img src="https://preview.redd.it/a-v0-bowlbowl1.jpg"></li><li slot="page-1"><img src="https://preview.redd.it/a-v0-bowlbowl2.jpg"></li></gallery-carousel>',
      'post-type="gallery"',
    ),
    { items: [{ kind: 'image' }, { kind: 'image' }] },
  ],
  ['the name of the author is empty', 'page', asked.replace('"mara"', '""'), { author: { username: null } }],
  ['a gallery has no order', 'app', gallery({ gallery_data: null }), 'upstream_changed'],
  [
    'a gallery has no files',
    'app',
    gallery({ gallery_data: { items: [{ media_id: 'a' }] }, media_metadata: {} }),
    { missingItems: 1 },
  ],
  [
    'the shared post has no id',
    'app',
    listing({ is_self: true, crosspost_parent_list: [{ author: 'omar' }] }),
    { quoted: null },
  ],
  [
    'the feed names another post alone',
    'card',
    entryOf('https://i.redd.it/ferryferry12.jpg', 't3_1other'),
    'upstream_changed',
  ],
  ['the link of the feed is on another host', 'card', entryOf('https://evil.example/a.jpg'), { items: [] }],
  ['the feed names an image', 'card', entryOf('https://i.redd.it/bowlbowl1234.jpg'), still],
  ['the answer is empty', 'embed', '', 'upstream_changed'],
])('%s: right, or rightly named', (_, kind, text, right) => {
  const found = outcome(text, kind);
  if (typeof right === 'string') expect(found).toBe(right);
  else expect(found).toMatchObject(right);
  // Never a file of another post or another host.
  expect(JSON.stringify(found)).not.toMatch(/ferry|"url":"https:\/\/evil\.example/);
});

it('the words in a feed: their paragraphs, or that they were removed', () => {
  const feed = (words: string) => {
    const content = `<div class="md">${words}</div><a href="https://www.reddit.com/r/a/comments/1bowl77/b/">[link]</a>`;
    return `<feed><entry><content type="html">${content.replaceAll('<', '&lt;')}</content><id>t3_${ID}</id></entry></feed>`;
  };
  expect(outcome(feed('<p>Wedge it</p><p>Fire it <b>twice</b></p>'), 'card')).toMatchObject({
    caption: 'Wedge it\n\nFire it twice',
  });
  expect(outcome(feed('<p>[removed]</p>'), 'card')).toBe('not_found');
});

it('the feed of a post with very many words', () => {
  const words = `&lt;div class="md"&gt;&lt;p&gt;${'Wedge it. '.repeat(4_000)}&lt;/p&gt;&lt;/div&gt;`;
  const entry = (id: string, content: string) =>
    `<entry><author><name>/u/mara</name></author><content type="html">${content}</content><id>${id}</id><title>A bowl</title></entry>`;
  const found = outcome(`<feed>${entry('t1_comment', 'No')}${entry(`t3_${ID}`, words)}</feed>`, 'card');
  expect(found).toMatchObject({
    author: { username: 'mara' },
    title: 'A bowl',
    caption: expect.stringMatching(/^Wedge it/),
    items: [],
  });
});

it('a limit that the API answers in JSON is a limit', () => {
  expect(outcome('{"message": "Too Many Requests", "error": 429}', 'app', 429)).toBe('upstream_rate_limited');
});
