import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block, Card, GalleryItem, Inline } from '../../../../src/bot/contract/reply.ts';
import { reply, textBlock } from '../../../../src/bot/contract/reply-parts.ts';
import type { MediaItem, Post } from '../../../../src/media/post.ts';
import type { TunnelFile } from '../../../../src/media/tunnel/tunnel-token.ts';
import type { WebMedia, WebText } from '../../../../src/platforms/web/page/base/protocol.ts';
import { MEDIA_LIFE_MS, REPLY_LIMITS } from '../../../../src/platforms/web/protocol/limits.ts';
import { renderWebReply } from '../../../../src/platforms/web/render/render.ts';
import { carousel, film, photo, post, variant } from '../posts.ts';

const NOW = Date.UTC(2026, 5, 1);

function shown(value: Post, index = 0, form: GalleryItem['form'] = 'original', clip?: GalleryItem['clip']) {
  const files: TunnelFile[] = [];
  const tunnel = {
    address(file: TunnelFile) {
      files.push(file);
      return `/media/${files.length}`;
    },
  };
  const gallery: GalleryItem[] = [{ kind: 'media', post: value, index, form, spoiler: false, ...(clip && { clip }) }];
  const rendered = renderWebReply(reply({ gallery }), { tunnel, assetAddress: () => undefined, now: NOW });
  return { media: rendered.gallery[0], files };
}

/** The same where the server encodes MP3. */
function shownWithMp3(value: Post, form: GalleryItem['form']) {
  const gallery: GalleryItem[] = [{ kind: 'media', post: value, index: 0, form, spoiler: false }];
  const context = { tunnel: { address: () => '/media/7' }, assetAddress: () => undefined, now: NOW, encodesMp3: true };
  return renderWebReply(reply({ gallery }), context).gallery[0];
}

function videoOf(...variants: MediaItem['variants']): Post {
  return post({ items: [{ ...film('sea-360.mp4', 360, 640, 'sea-cover.jpg'), variants }] });
}

const audio = variant({ url: 'https://cdn.test/audio', mime: 'audio/mp4', adaptive: true, hasVideo: false });

function plain(text: WebText): string {
  return text
    .map(inline => (typeof inline === 'string' ? inline : 'children' in inline ? plain(inline.children) : '@'))
    .join('');
}

describe('the file of a gallery item', () => {
  it('is an address in the tunnel, with its cover and a way to download it', () => {
    const { media, files } = shown(post({ id: 'AbC-1_x', items: [film('a.mp4', 720, 1280, 'a.jpg')] }));
    expect(media).toEqual<WebMedia>({
      kind: 'video',
      src: '/media/1',
      mime: 'video/mp4',
      poster: '/media/2',
      width: 720,
      height: 1280,
      durationMs: 8_000,
      alt: '',
      downloadUrl: '/media/1?download=1',
      fileName: 'mira.holm-2026-05-17-AbC-1_x.mp4',
      label: '720p',
      clipUrl: '/api/clip?url=https%3A%2F%2Fwww.instagram.com%2Fp%2FSeaLight_01%2F&item=1',
      spoiler: false,
      expiresAt: NOW + MEDIA_LIFE_MS,
    });
    expect(files.map(file => [file.url, file.mime, file.fileName])).toEqual([
      ['https://cdn.test/a.mp4', 'video/mp4', 'mira.holm-2026-05-17-AbC-1_x.mp4'],
      ['https://cdn.test/a.jpg', 'image/jpeg', 'mira.holm-2026-05-17-AbC-1_x-cover.jpg'],
    ]);
  });

  it('offers the sizes that every browser plays, largest first, and its audio alone', () => {
    const sides = [360, 1080, 720];
    const plain = sides.map(side =>
      variant({ url: `https://cdn.test/${side}.mp4`, width: side, height: (side * 16) / 9 }),
    );
    const few = variant({ url: 'https://cdn.test/480', width: 480, height: 854, codecs: 'vp09.00.40.08' });
    const { media, files } = shown(videoOf(...plain, few, audio));
    expect(media?.qualities?.map(({ label, fileName }) => [label, fileName])).toEqual([
      ['1080p', 'mira.holm-2026-05-17-SeaLight_01.mp4'],
      ['720p', 'mira.holm-2026-05-17-SeaLight_01.mp4'],
      ['360p', 'mira.holm-2026-05-17-SeaLight_01.mp4'],
    ]);
    const place = (src: string | undefined) => files[Number(/\d+/.exec(src ?? '')?.[0]) - 1]?.url;
    expect(media?.qualities?.map(({ src }) => place(src))).toEqual([
      'https://cdn.test/1080.mp4',
      'https://cdn.test/720.mp4',
      'https://cdn.test/360.mp4',
    ]);
    expect(media?.qualities?.every(({ src, downloadUrl }) => downloadUrl === `${src}?download=1`)).toBe(true);
    expect(place(media?.audio?.downloadUrl)).toBe('https://cdn.test/audio');
  });

  it('offers the audio of a video as the MP3 that the API makes, where there is an encoder', () => {
    const mp3 = {
      downloadUrl: '/api/audio?url=https%3A%2F%2Fwww.instagram.com%2Fp%2FSeaLight_01%2F&item=1',
      fileName: 'mira.holm-2026-05-17-SeaLight_01.mp3',
    };
    const whole = videoOf(variant({ url: 'https://cdn.test/film', hasAudio: true }));
    expect(shownWithMp3(whole, 'original')?.audio).toEqual(mp3);
    expect(shownWithMp3(whole, 'audio')).toMatchObject({ kind: 'audio', ...mp3 });
    expect(shownWithMp3(whole, 'audio')).not.toHaveProperty('bytes');
    const silent = videoOf(variant({ url: 'https://cdn.test/film', hasAudio: false }));
    expect(shownWithMp3(silent, 'original')).not.toHaveProperty('audio');
    const tune = variant({ url: 'https://cdn.test/tune', mime: 'audio/mpeg', hasVideo: false, bytes: 9 });
    const music = post({ items: [{ ...film('a.mp4', 1, 1, 'a.jpg'), kind: 'audio', variants: [tune] }] });
    expect(shownWithMp3(music, 'audio')).toMatchObject({ downloadUrl: '/media/7?download=1', bytes: 9 });
  });

  it('says how large a file is, as far as its site does, by its rate where that is all', () => {
    const size = (...variants: MediaItem['variants']) => {
      const { label, bytes, isRough } = shown(videoOf(...variants)).media ?? {};
      return { label, bytes, isRough };
    };
    const track = variant({ width: 1080, height: 1920, bytes: 8_000_000, adaptive: true, hasAudio: false });
    expect(size(variant({ bytes: 5_000 }))).toEqual({ label: '360p', bytes: 5_000, isRough: undefined });
    expect(size(variant({ bitrate: 1_000_000 }))).toEqual({ label: '360p', bytes: 1_000_000, isRough: true });
    expect(size(track, { ...audio, bytes: 400_000 })).toEqual({ label: '1080p', bytes: 8_400_000, isRough: undefined });
    expect(size(track, audio).bytes).toBeUndefined();
    expect(shown(carousel, 1).media).not.toHaveProperty('label');
  });

  it('offers no size of a photo, and none where there is one', () => {
    expect(shown(carousel, 1).media).not.toHaveProperty('qualities');
    expect(shown(videoOf(variant({}))).media).not.toHaveProperty('qualities');
    expect(shown(videoOf(variant({}))).media).not.toHaveProperty('audio');
  });

  it('is named by its place when the post has several', () => {
    const { media, files } = shown(carousel, 1);
    expect(media?.fileName).toBe('studio.lumen-2026-05-17-FiveThings-2.jpg');
    expect(files[0]).toMatchObject({ index: 1, post: { source: 'instagram', id: 'FiveThings' } });
  });

  it('lives six hours, whenever the address of the CDN ends: the tunnel then asks for a new one', () => {
    const soon = videoOf(variant({ expiresAt: NOW + 500 }));
    expect(shown(soon).media?.expiresAt).toBe(NOW + 6 * 3_600_000);
  });

  it('is the largest up to 1080p that every browser plays, whatever the order', () => {
    const small = variant({ url: 'https://cdn.test/small', width: 480, height: 854 });
    const full = variant({ url: 'https://cdn.test/full', width: 1080, height: 1920 });
    const huge = variant({ url: 'https://cdn.test/huge', width: 2160, height: 3840 });
    const modern = variant({ url: 'https://cdn.test/vp9', width: 1080, height: 1920, codecs: 'vp09.00.40.08' });
    const silent = variant({
      url: 'https://cdn.test/dash',
      width: 1080,
      height: 1920,
      adaptive: true,
      hasAudio: false,
    });
    fc.assert(
      fc.property(fc.shuffledSubarray([small, full, huge, modern, silent], { minLength: 5 }), variants => {
        expect(shown(videoOf(...variants)).files[0]?.url).toBe('https://cdn.test/full');
      }),
    );
    expect(shown(videoOf(huge, silent)).files[0]?.url).toBe('https://cdn.test/huge');
    expect(shown(videoOf(modern, silent)).files[0]?.url).toBe('https://cdn.test/vp9');
  });

  it('plays the part that was wanted, in whichever size, and saves that part alone', () => {
    const sizes = [480, 720].map(width => variant({ url: `https://cdn.test/${width}`, width, height: width * 2 }));
    const { media } = shown(videoOf(...sizes), 0, 'original', { startMs: 5_000, endMs: 20_500 });
    const addresses = [media?.src, ...(media?.qualities ?? []).map(({ src }) => src)];
    expect(addresses).toHaveLength(3);
    for (const address of addresses) expect(address).toMatch(/#t=5,20\.5$/);
    const saved = [media, ...(media?.qualities ?? [])].map(file => [file?.downloadUrl, file?.fileName, file?.bytes]);
    const address = expect.stringMatching(/^\/api\/clip\?url=.*&item=1&from=5&to=20\.5$/);
    expect(saved).toEqual(saved.map(() => [address, expect.stringMatching(/-clip\.mp4$/), undefined]));
  });

  it('is made of two tracks where they are better, with their size', () => {
    const small = variant({ url: 'https://cdn.test/small', width: 720, height: 1280 });
    const video = {
      ...small,
      url: 'https://cdn.test/video',
      width: 1080,
      height: 1920,
      adaptive: true,
      hasAudio: false,
    };
    const { media, files } = shown(videoOf(small, video, audio));
    expect(media).toMatchObject({ kind: 'video', mime: 'video/mp4', width: 1080, height: 1920 });
    expect(media?.fileName).toMatch(/\.mp4$/);
    const tracks = { video: 'https://cdn.test/video', audio: 'https://cdn.test/audio' };
    expect(files[0]).toMatchObject({ url: 'https://cdn.test/small', tracks });
    expect(shown(videoOf(audio, video)).files[0]).toMatchObject({ url: 'https://cdn.test/video', tracks });
  });

  it('states the size of the file, not that of the original', () => {
    const small = variant({ url: 'https://cdn.test/small', width: 720, height: 1280 });
    const [item] = videoOf(small).items;
    const original = item && post({ items: [{ ...item, width: 1080, height: 1920 }] });
    expect(original && shown(original).media).toMatchObject({ width: 720, height: 1280 });
  });

  it('is the audio alone when only that is wanted, else the video played as audio', () => {
    const whole = variant({ url: 'https://cdn.test/film' });
    const apart = shown(videoOf(whole, audio), 0, 'audio');
    expect(apart.media).toMatchObject({ kind: 'audio', mime: 'audio/mp4' });
    expect(apart.media?.fileName).toMatch(/\.m4a$/);
    expect(apart.files[0]?.url).toBe('https://cdn.test/audio');
    expect(shown(videoOf(whole), 0, 'audio').media).toMatchObject({ kind: 'audio', mime: 'video/mp4' });
    expect(shown(videoOf({ ...whole, hasAudio: false }), 0, 'audio').files[0]?.url).toBe('https://cdn.test/film');
  });

  it('is a photo a browser can show, with no cover of its own', () => {
    const { media } = shown(post({ items: [photo('a.jpg', 'Two boats')] }));
    expect(media).toMatchObject({ kind: 'image', alt: 'Two boats', poster: null });
  });
});

describe('what a reply says', () => {
  const context = {
    tunnel: { address: () => '/media/x' },
    assetAddress: (url: string, kind: 'image' | 'audio') =>
      url.startsWith('https://assets.test/') ? `/media/${kind}` : undefined,
    now: NOW,
  };

  it('keeps the tree of a text and shortens what is too long, once, with an ellipsis', () => {
    const text: Inline[] = [
      'before ',
      { kind: 'strong', children: ['x'.repeat(REPLY_LIMITS.heading)] },
      { kind: 'emphasis', children: ['never seen'] },
    ];
    const [block] = renderWebReply(reply({ blocks: [{ kind: 'heading', text }] }), context).blocks;
    const words = block?.kind === 'heading' ? plain(block.text) : '';
    expect(words).toHaveLength(REPLY_LIMITS.heading);
    expect(words.match(/…/g)).toHaveLength(1);
    expect(words).toMatch(/^before x+…$/);
  });

  it('never cuts a character in two, and always says that something is missing', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 400 }), { maxLength: 8 }), parts => {
        const [block] = renderWebReply(reply({ blocks: [{ kind: 'heading', text: parts }] }), context).blocks;
        const words = block?.kind === 'heading' ? plain(block.text) : '';
        expect(words).not.toMatch(/\p{Surrogate}/u);
        expect(words.length).toBeLessThanOrEqual(REPLY_LIMITS.heading + 1);
        if (words !== parts.join('')) expect(words).toMatch(/…$/);
      }),
    );
  });

  it('links only to web addresses', () => {
    const bad: Inline = { kind: 'link', url: 'javascript:alert(1)', children: ['press'] };
    const good: Inline = { kind: 'link', url: 'https://example.org/', children: ['press'] };
    const rendered = renderWebReply(
      reply({
        blocks: [{ kind: 'text', text: [bad, good] }],
        actions: [
          { kind: 'link', label: 'bad', url: 'data:text/html,x' },
          { kind: 'link', label: 'good', url: 'https://example.org/' },
        ],
      }),
      context,
    );
    expect(rendered.blocks).toEqual([
      { kind: 'text', folded: false, text: [{ kind: 'emphasis', children: ['press'] }, good] },
    ]);
    expect(rendered.actions).toEqual([{ kind: 'link', label: 'good', url: 'https://example.org/' }]);
  });

  it('shows pictures of this server and those that are brought here, and links to those of others', () => {
    const { blocks } = renderWebReply(
      reply({
        blocks: [
          { kind: 'image', url: '/pictures/1.png', alt: 'A chart' },
          { kind: 'image', url: 'https://assets.test/1.jpg', alt: 'A hill', ratio: 3.6 },
          { kind: 'image', url: 'https://elsewhere.example/1.png', alt: 'A cover' },
          { kind: 'image', url: '//elsewhere.example/1.png', alt: 'A trick' },
        ],
      }),
      context,
    );
    expect(blocks).toEqual([
      { kind: 'image', url: '/pictures/1.png', alt: 'A chart', ratio: null },
      { kind: 'image', url: '/media/image', alt: 'A hill', ratio: 3.6 },
      {
        kind: 'text',
        folded: false,
        text: [{ kind: 'link', url: 'https://elsewhere.example/1.png', children: ['A cover'] }],
      },
      { kind: 'text', folded: false, text: ['A trick'] },
    ]);
  });

  it('says so when there are more fields or files than fit', () => {
    const fields = Array.from({ length: REPLY_LIMITS.fields + 3 }, (_, i) => ({ label: `${i}`, value: ['x'] }));
    const gallery = Array.from({ length: REPLY_LIMITS.gallery + 1 }, (): GalleryItem => {
      return { kind: 'media', post: carousel, index: 0, form: 'original', spoiler: true };
    });
    const rendered = renderWebReply(reply({ blocks: [{ kind: 'fields', fields }], gallery }), context);
    const [list, rest] = rendered.blocks;
    expect(list?.kind === 'fields' && list.fields.at(-1)).toEqual({ label: '…', value: ['…'] });
    expect(rest).toEqual({ kind: 'text', text: ['…'], folded: false });
    expect(rendered.gallery).toHaveLength(REPLY_LIMITS.gallery);
    expect(rendered.gallery[0]?.spoiler).toBe(true);
  });

  it('shows a card with what it looks and sounds like, and the way in', () => {
    const card: Card = {
      kind: 'card',
      title: ['Marble Lanterns - ', { kind: 'strong', children: ['Paper Comet'] }],
      lines: [[{ kind: 'swatch', colour: '#4ebfff', symbol: '🔵' }, ' 1.6'], ['mapped by quietmallet']],
      image: { kind: 'image', url: 'https://assets.test/list.jpg', alt: 'Cover' },
      colour: '#4ebfff',
      sound: { url: 'https://assets.test/1.mp3', label: 'Preview' },
      action: { kind: 'button', label: 'Open', token: 'open-1', style: 'secondary' },
    };
    const { blocks, actions } = renderWebReply(reply({ blocks: [card] }), context);
    expect(blocks).toEqual([
      {
        kind: 'card',
        card: {
          title: card.title,
          lines: [[{ kind: 'swatch', colour: '#4ebfff' }, ' 1.6'], ['mapped by quietmallet']],
          image: { url: '/media/image', alt: 'Cover' },
          colour: '#4ebfff',
          sound: { url: '/media/audio', label: 'Preview' },
          action: card.action,
        },
      },
    ]);
    expect(actions).toEqual([]);
  });

  it('says of a card what cannot be shown in it, and shortens what is too much', () => {
    const lines = Array.from({ length: REPLY_LIMITS.cardLines + 2 }, (_, i) => [`${i}`]);
    const far = { url: 'https://elsewhere.example/1.mp3', label: 'Preview' };
    const [block] = renderWebReply(
      reply({
        blocks: [
          {
            kind: 'card',
            title: ['x'.repeat(1_000)],
            lines: [['one']],
            image: { kind: 'image', url: 'https://elsewhere.example/1.jpg', alt: 'Cover' },
            sound: far,
            action: { kind: 'link', label: 'Open', url: 'javascript:alert(1)' },
          },
        ],
      }),
      context,
    ).blocks;
    const card = block?.kind === 'card' ? block.card : undefined;
    expect(card).toMatchObject({ image: null, colour: null, sound: null, action: null });
    expect(plain(card?.title ?? [])).toHaveLength(REPLY_LIMITS.heading);
    expect(card?.lines).toEqual([['one'], [{ kind: 'link', url: far.url, children: ['Preview'] }]]);
    const [long] = renderWebReply(reply({ blocks: [{ kind: 'card', title: ['x'], lines }] }), context).blocks;
    expect(long?.kind === 'card' && long.card.lines.slice(-2)).toEqual([[`${REPLY_LIMITS.cardLines - 1}`], ['…']]);
  });

  it('plays a sound that is brought here, and links to any other', () => {
    const near = { kind: 'sound', url: 'https://assets.test/1.mp3', label: 'Preview' } as const;
    const far = { ...near, url: 'https://elsewhere.example/1.mp3' };
    expect(renderWebReply(reply({ blocks: [near, far] }), context).blocks).toEqual([
      { kind: 'sound', sound: { url: '/media/audio', label: 'Preview' } },
      { kind: 'text', folded: false, text: [{ kind: 'link', url: far.url, children: ['Preview'] }] },
    ]);
  });

  it('names the place of a drawn picture and its size', () => {
    const picture = { key: 'strain-4-nm', width: 800, height: 240, draw: () => Promise.reject(new Error('not now')) };
    expect(renderWebReply(reply({ blocks: [{ kind: 'picture', picture, alt: 'Strain' }] }), context).blocks).toEqual([
      { kind: 'picture', url: '/picture/strain-4-nm.png', alt: 'Strain', width: 800, height: 240 },
    ]);
  });

  it('keeps a menu, but not one that repeats what the cards do', () => {
    const choices = ['a', 'b'].map(token => ({ label: `Map ${token}`, token }));
    const menu = { kind: 'menu', label: 'Open one', choices } as const;
    const cardOf = (token: string): Card => ({
      kind: 'card',
      title: [token],
      lines: [],
      action: { kind: 'button', label: 'Open', token, style: 'secondary' },
    });
    const actionsWith = (blocks: readonly Block[]) =>
      renderWebReply(reply({ blocks, actions: [menu] }), context).actions;
    const whole = { ...menu, choices: choices.map(choice => ({ ...choice, detail: '' })) };
    expect(actionsWith([])).toEqual([whole]);
    expect(actionsWith([cardOf('a')])).toEqual([whole]);
    expect(actionsWith([cardOf('a'), cardOf('b')])).toEqual([]);
    expect(renderWebReply(reply({ actions: [{ ...menu, choices: [] }] }), context).actions).toEqual([]);
    const linkOf = (token: string): Inline => ({ kind: 'link', url: 'https://osu.test/', children: [token], token });
    expect(actionsWith([{ kind: 'text', text: [{ kind: 'strong', children: [linkOf('a')] }, linkOf('b')] }])).toEqual(
      [],
    );
  });

  it('opens a link here that a button opens, too', () => {
    const link: Inline = { kind: 'link', url: 'https://osu.test/', children: ['Insane'], token: 'open-2' };
    const { blocks } = renderWebReply(reply({ blocks: [{ kind: 'text', text: [link] }] }), context);
    expect(blocks).toEqual([{ kind: 'text', text: [link], folded: false }]);
  });

  it('sets apart what a card comes to, without saying it twice', () => {
    const card: Card = {
      kind: 'card',
      title: ['A map'],
      lines: [['179 pp · at 96.6%'], ['like another']],
      worth: { value: '179 pp', detail: '+4 pp', lines: [['at 96.6%'], [], ['like another']] },
    };
    const [block] = renderWebReply(reply({ blocks: [card] }), context).blocks;
    expect(block).toMatchObject({
      card: { worth: { value: '179 pp', detail: '+4 pp' }, lines: [['at 96.6%'], ['like another']] },
    });
  });

  it('brings the avatar of an author here, and no other', () => {
    const led = (url: string) => {
      const image = { kind: 'image' as const, url, alt: 'Avatar' };
      const site = { name: 'Tramway', colour: '#1877f2' as const };
      const blocks: Block[] = [{ kind: 'heading', text: ['Mira Holm'], image, site }];
      return renderWebReply(reply({ blocks }), context).blocks[0];
    };
    const site = { name: 'Tramway', colour: '#1877f2' };
    expect(led('https://assets.test/mira.jpg')).toEqual({
      kind: 'heading',
      text: ['Mira Holm'],
      image: '/media/image',
      site,
    });
    expect(led('https://other.test/mira.jpg')).toEqual({ kind: 'heading', text: ['Mira Holm'], site });
  });

  it('has the charts of an image card as data, below what the card says', () => {
    const picture = { key: 'a', width: 1, height: 1, draw: () => Promise.reject(new Error('not drawn')) };
    const charts = [{ label: 'rank', points: [{ height: -3, text: '#3', name: 'today' }] }];
    const blocks: Block[] = [
      { kind: 'picture', picture, alt: '', instead: [textBlock(['words'])], repeats: true, charts: () => charts },
      { kind: 'divider' },
    ];
    expect(renderWebReply(reply({ blocks }), context).blocks).toEqual([
      { kind: 'text', text: ['words'], folded: false },
      { kind: 'charts', charts },
      { kind: 'divider' },
    ]);
  });

  it('leaves out an image that says what stands below it', () => {
    const picture = { key: 'profile-1', width: 10, height: 10, draw: () => Promise.reject(new Error('not drawn')) };
    const block = { kind: 'picture', picture, alt: 'A player' } as const;
    expect(renderWebReply(reply({ blocks: [{ ...block, repeats: true }] }), context).blocks).toEqual([]);
    const words = { beside: [textBlock(['beside'])], instead: [textBlock(['instead'])] };
    const shown = (more: object) =>
      renderWebReply(reply({ blocks: [{ ...block, ...words, ...more }] }), context).blocks;
    expect(shown({})).toMatchObject([{ kind: 'picture' }, { text: ['beside'] }]);
    expect(shown({ repeats: true })).toMatchObject([{ text: ['instead'] }]);
    expect(renderWebReply(reply({ blocks: [block] }), context).blocks).toHaveLength(1);
  });
});
