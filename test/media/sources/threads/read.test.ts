/** Threads' answers as they are and as they might become: the post, or the right name for its absence. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { pacificInstant } from '../../../../src/media/sources/threads/embed.ts';
import {
  album,
  contextOf,
  drawn,
  embed,
  type Json,
  page,
  photo,
  post,
  product,
  read,
  STRANGER,
  solo,
  video,
  WORDS,
} from './fixture.ts';

const names = (text: string) =>
  read(text).items.map(({ kind, variants }) => `${kind} ${/\/([\w.]+)\?/.exec(variants[0]?.url ?? '')?.[1]}`);

function codeOf(text: string): string {
  try {
    return `a post of ${read(text).items.length}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const marks = Object.keys(error.params).join(' ');
    return marks === '' ? error.code : `${error.code} ${marks}`;
  }
}

const QUOTE = drawn({
  code: 'DXtramshed1',
  user: 'ostvik.tram.museum',
  frame: 'OuterContainer OuterContainerFull OuterContainerQuotePost',
  media: solo(video('quoted')),
});
const PARENT = drawn({
  code: 'DXtheparent',
  frame: 'OuterContainer',
  body: 'BodyContainer BodyContainerParent',
  media: solo(video('parent')),
});

describe('an embed', () => {
  it('says all that it draws', () => {
    const text = 'Kiln day<br>with <a href="https://www.threads.com/@omar">@omar</a> #clay';
    expect(read(embed(drawn({ text, media: solo(photo('own.jpg', 'A bowl')) })))).toMatchObject({
      id: 'DZkilnwheel',
      author: { username: 'mara.turns.clay', verified: true, avatarUrl: expect.stringContaining('-19/mara') },
      caption: 'Kiln day\nwith @omar #clay',
      hashtags: ['#clay'],
      mentions: ['@omar'],
      publishedAt: Date.parse('2026-09-02T12:26:00-07:00'),
      stats: { likes: 900, comments: 0, shares: 12, plays: null },
      items: [{ kind: 'image', alt: 'A bowl' }],
      quoted: null,
    });
  });

  it('gives counts as they are shown, and nothing of those that are not drawn or in another form', () => {
    const { stats } = read(embed(drawn({ counts: ['2.1K', '1,234'] })));
    expect(stats).toMatchObject({ likes: 2_100, comments: 1_234, shares: null });
    const other = read(embed(drawn({ counts: ['1.3M', '2,1 Tsd.', '', '139K'] })));
    expect(other.stats).toMatchObject({ likes: 1_300_000, comments: null, shares: 139_000 });
  });

  it('gives no counts where the icons beside them are not known', () => {
    const html = drawn({ counts: ['5', '1', '', '2'] }).replaceAll('ActionBarIcon', 'Icon');
    expect(read(embed(html)).stats).toMatchObject({ likes: null, comments: null, shares: null });
  });

  it('has an album in its order, photos among videos', () => {
    const media = album(video('first'), photo('second.jpg'), video('third'));
    expect(names(embed(drawn({ media })))).toEqual(['video first.mp4', 'image second.jpg', 'video third.mp4']);
  });

  it('keeps the place of an item that has no file', () => {
    const withheld = '<div class="SingleInnerMediaContainer SingleInnerMediaContainerVideo"><img src="x"></div>';
    const { items, missingItems } = read(
      embed(drawn({ media: album(photo('first.jpg'), withheld, photo('third.jpg')) })),
    );
    expect([items.map(({ position }) => position), missingItems]).toEqual([[0, 2], 1]);
  });

  it('of a reply gives what the reply has, wherever its parent is drawn', () => {
    const reply = drawn({ media: solo(photo('own.jpg')) });
    expect(names(embed(PARENT, reply))).toEqual(['image own.jpg']);
    expect(read(embed(PARENT, drawn()))).toMatchObject({ items: [], caption: 'Kiln day', quoted: null });
    const within = `<div class="BodyContainerParent"><span class="BodyTextContainer">Parent</span>${solo(video('parent'))}</div>`;
    const both = drawn({ media: solo(photo('own.jpg')) }).replace('<div class="BodyContainer">', `${within}<div>`);
    expect(names(embed(both))).toEqual(['image own.jpg']);
    expect(read(embed(both)).caption).toBe('Kiln day');
  });

  it.each([
    ['a frame of its own', `<div class="QuotePostContainer">${QUOTE}</div>`],
    ['the frame of a post', QUOTE],
    ['one frame', QUOTE.replace('OuterContainer OuterContainerFull OuterContainerQuotePost', 'QuotePostContainer')],
  ])('gives a quoted post with what is its own, in %s', (_, more) => {
    const both = read(embed(drawn({ text: 'Look', media: solo(photo('own.jpg')), more })));
    expect(both).toMatchObject({ caption: 'Look', items: [{ kind: 'image' }], stats: { likes: 900 } });
    expect(both.quoted).toMatchObject({ id: 'DXtramshed1', author: { username: 'ostvik.tram.museum' } });
    expect(both.quoted?.items).toMatchObject([{ kind: 'video' }]);
    expect(read(embed(drawn({ more })))).toMatchObject({ items: [], quoted: { items: [{ kind: 'video' }] } });
  });
});

describe('an embed that changed', () => {
  const own = drawn({ media: solo(video('own')) });
  it.each([
    ['its frame is not marked', own.replace(' OuterContainerFull', ''), 'a post of 1'],
    ['its link is gone', own.replace(/<div class="LinkContainer">.*<\/div>/, ''), 'a post of 1'],
    [
      'its link is relative',
      own.replaceAll('https://www.threads.com/@', '/@').replace(' OuterContainerFull', ''),
      'a post of 1',
    ],
    [
      'both are',
      own.replace(' OuterContainerFull', '').replace(/<div class="LinkContainer">.*<\/div>/, ''),
      'upstream_changed',
    ],
    ['it is another post', drawn({ code: 'DXsomebody1', media: solo(video('x')) }), 'upstream_changed'],
    ['the places of media have new names', own.replaceAll('MediaContainer', 'NewPlace'), 'a post of 1'],
    ['a photo has a new place', drawn({ media: photo('own.jpg').replace('SingleInner', 'New') }), 'a post of 1'],
    ['the video has no file', own.replace(/<source[^>]*>/, ''), 'upstream_changed'],
    ['the file is on another host', own.replaceAll('cdninstagram.com', 'cdn.example'), 'upstream_changed'],
    ['the text has a new name', own.replace('BodyTextContainer', 'Words'), 'a post of 1'],
    [
      'only an avatar is drawn',
      '<div class="OuterContainer OuterContainerFull"><div class="AvatarContainer"><img src="a"></div></div>',
      'not_found weak',
    ],
    [
      'it says that there is none',
      '<div class="OuterContainer"><span>Thread not available</span></div>',
      'not_found what',
    ],
    ['a header without words or media', drawn({ text: '' }), 'upstream_changed'],
    ['a parent is all that is drawn', PARENT, 'upstream_changed'],
    [
      'a linked page has a picture',
      drawn({ more: '<div class="LinkCard"><img src="https://external.xx.fbcdn.net/emg1/v/t13/1.jpg"></div>' }),
      'a post of 0',
    ],
    ['its time is written otherwise', own.replace('12:26 PM', '12.26'), 'a post of 1'],
  ])('%s', (_, html, outcome) => {
    expect(codeOf(embed(html))).toBe(outcome);
  });

  it('leaves open why there is none', () => {
    const shown = () => read('<div class="OuterContainer"><span>Thread not available</span></div>');
    expect(shown).toThrow(expect.objectContaining({ code: 'not_found', params: { what: 'hidden' } }));
  });

  it('takes the time of publishing from the code when it is not said', () => {
    expect(read(embed(own.replace('12:26 PM', '12.26'))).publishedAt).toBeGreaterThan(Date.parse('2026-01-01'));
  });
});

describe('a page', () => {
  it('says all that it holds', () => {
    expect(read(page(post(), STRANGER))).toMatchObject({
      author: { id: '77', username: 'mara.turns.clay', name: 'Mara', verified: false },
      caption: 'Kiln day',
      publishedAt: 1_788_000_000_000,
      stats: { likes: 12, comments: 3, shares: 4 },
      items: [{ kind: 'video', variants: [{ url: expect.stringContaining('own.mp4') }] }],
    });
  });

  it('takes numbers as text, and a number of the post with its owner', () => {
    const written = { code: null, like_count: '12', taken_at: '1788000000' };
    const asked = post({ ...written, pk: `${contextOf().ref.parts.mediaId}_77` }, { direct_reply_count: '3' });
    const expected = { stats: { likes: 12, comments: 3 }, publishedAt: 1_788_000_000_000 };
    expect(read(page(asked))).toMatchObject(expected);
    expect(codeOf(page({ ...asked, pk: '1_77', id: '1_77' }))).toBe('upstream_changed');
  });

  it('is the same where the answer is its data alone', () => {
    const data = { data: { edges: [{ node: { thread_items: [{ post: post() }] } }] } };
    expect(read(JSON.stringify({ data }))).toEqual(read(page(post())));
    expect(() => read('{"data":{"data":{"edges":[]}}}')).toThrow('not available');
  });

  it('gives the reel that is shared into a post as its item', () => {
    const linked_inline_media = { code: 'DXareelofig', pk: '5', ...product('reel', 'video') };
    expect(names(page(post(WORDS, { linked_inline_media })))).toEqual(['video reel.mp4']);
  });

  it('says that its files are a spoiler, or that those of a shared reel are not for everyone', () => {
    const linked_inline_media = {
      ...product('reel', 'video'),
      sensitivity_friction_info: { should_have_sensitivity_friction: true },
    };
    expect(read(page(post())).sensitive).toBe(false);
    expect(read(page(post({}, { is_spoiler_media: true }))).sensitive).toBe(true);
    expect(read(page(post(WORDS, { linked_inline_media }))).sensitive).toBe(true);
  });

  it.each(['quoted_post', 'reposted_post', 'quoted_attachment_post'])('gives the %s as the post of its author', key => {
    const other = post({
      code: 'DXtramshed1',
      user: { username: 'ostvik.tram.museum' },
      ...product('quoted', 'video'),
    });
    const both = read(page(post(WORDS, { share_info: { [key]: other } })));
    expect(both).toMatchObject({ items: [], caption: 'Kiln day' });
    expect(both.quoted).toMatchObject({ id: 'DXtramshed1', author: { username: 'ostvik.tram.museum' } });
    expect(both.quoted?.items).toHaveLength(1);
  });
});

describe('a page that changed', () => {
  const without = (...keys: readonly string[]): Json => {
    const entries = Object.entries(post()).filter(([key]) => !keys.includes(key));
    return Object.fromEntries(entries);
  };
  const moved = { data: { thread: { post_data: [{ story: post() }] } } };
  it.each([
    ['the post has another place', page(moved, STRANGER), 'a post of 1'],
    ['it has a copy with less', page({ a: { code: post().code, pk: '1', user: {} }, b: post() }), 'a post of 1'],
    ['it has no number', page(without('pk', 'id')), 'a post of 1'],
    [
      'its code has a new name',
      page({ ...without('code', 'pk', 'id'), short_code: post().code, pk: '2' }, STRANGER),
      'upstream_changed',
    ],
    ['it has related posts alone', page(null, STRANGER), 'upstream_changed'],
    [
      'media have new names',
      page({ ...without('image_versions2', 'video_versions'), media_type: 2, clips: [] }),
      'upstream_changed',
    ],
    ['words that are said to be all', page(post(WORDS)), 'a post of 0'],
    [
      'no kind, and no files',
      page({ ...without('media_type', 'video_versions'), image_versions2: { candidates: [] } }),
      'a post of 0',
    ],
    [
      'no kind, and no place for files',
      page(without('media_type', 'video_versions', 'image_versions2', 'carousel_media')),
      'upstream_changed',
    ],
    ['a video without its file', page(post({ video_versions: [] })), 'upstream_changed'],
    [
      'a file on another host',
      page(post(product('own'))).replaceAll('cdninstagram.com', 'cdn.example'),
      'upstream_changed',
    ],
    ['no author, no numbers', page(without('user', 'like_count', 'taken_at', 'text_post_app_info')), 'a post of 1'],
    ['it is said to be unavailable', page(post({ is_post_unavailable: true })), 'not_found weak'],
    ['its place is empty', page(post()).replace(/"edges":\[.*?\]\}\}\]/, '"edges":[]'), 'not_found weak'],
    ['the thread has no posts', page(null).replace('[{"post":null}]', '[]'), 'login_required refused'],
    [
      'a quote of it alone',
      page(post({ code: 'DXsomebody1', pk: '1', id: '1' }, { share_info: { quoted_post: post() } })),
      'a post of 1',
    ],
    [
      'a page for those who may not see it',
      page(null).replace('{', '{"canonicalRouteName":"comet.barcelonawebloggedout.BarcelonaGeoBlockRoute",'),
      'login_required kept',
    ],
    ['a shell', '<html><head><title>Threads</title></head><body></body></html>', 'upstream_rate_limited'],
    ['cut short', page(post()).slice(0, 700), 'upstream_rate_limited'],
  ])('%s', (_, html, outcome) => {
    expect(codeOf(html)).toBe(outcome);
  });

  it.each([
    [{ status: 429 }, 'upstream_rate_limited'],
    [{ status: 404 }, 'not_found'],
    [{ status: 403 }, 'upstream_rate_limited'],
    [{ status: 503 }, 'upstream_unavailable'],
    [{ url: 'https://www.threads.com/login/?next=x' }, 'login_required'],
    [{ url: 'https://www.threads.com/' }, 'not_found'],
  ])('is refused by %j', (head, code) => {
    expect(() => read('', head)).toThrow(expect.objectContaining({ code }));
  });
});

describe('the time of an embed', () => {
  it.each([
    ['12:26 PM · Sep 2, 2026', '2026-09-02T12:26:00-07:00'],
    ['12:05 AM · Jan 31, 2026', '2026-01-31T00:05:00-08:00'],
    ['1:30\u202fAM · Nov 1, 2026', '2026-11-01T01:30:00-08:00'],
    ['3:00 AM · Mar 8, 2026', '2026-03-08T03:00:00-07:00'],
  ])('%s is US Pacific time', (text, expected) => {
    expect(pacificInstant(text)).toBe(Date.parse(expected));
  });

  it.each(['', '2 Sep 2026', '12:26 · Sep 2, 2026', '12:26 PM · Foo 2, 2026', '2d'])('%j is none', text => {
    expect(pacificInstant(text)).toBeNull();
  });
});

it('gives the GIF of a post from a page, which has it apart from other files', () => {
  const gifs = 'https://external.fsac1-2.fna.fbcdn.net/emg1/v/t13/23192858';
  const gifOf = (fixed_height: Json) => ({ first_party_cdn_proxied_images: { fixed_height }, images: {} });
  const file = {
    url: `${gifs}?stp=dst-src&url=https%3A%2F%2Fmedia2.giphy.example%2F200.gif`,
    width: '267',
    height: '200',
  };
  const bare = { ...WORDS, caption: null };
  expect(read(page(post({ ...bare, giphy_media_info: gifOf({ ...file, webp: `${gifs}/webp` }) })))).toMatchObject({
    items: [
      {
        kind: 'image',
        width: 267,
        height: 200,
        variants: [{ url: file.url, mime: 'image/gif' }, { mime: 'image/webp' }],
      },
    ],
    missingItems: 0,
  });
  const webp = { webp: `${gifs}?stp=dst-src` };
  expect(read(page(post({ ...bare, giphy_media_info: gifOf(webp) })))).toMatchObject({
    items: [{ variants: [{ url: webp.webp, mime: 'image/webp' }] }],
  });
  // Without a file on the site's own hosts the words come alone; other files are the post's own.
  const elsewhere = gifOf({ url: 'https://media2.giphy.example/200.gif' });
  const words = { caption: 'Kiln day', items: [], missingItems: 0 };
  expect(read(page(post({ ...WORDS, giphy_media_info: elsewhere })))).toMatchObject(words);
  expect(read(page(post({ giphy_media_info: gifOf(file) })))).toMatchObject({ items: [{ kind: 'video' }] });
  expect(read(page(post({ ...WORDS, giphy_media_info: null })))).toMatchObject(words);
});
