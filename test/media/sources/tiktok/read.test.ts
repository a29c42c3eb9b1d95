/** TikTok's answers as they are and as they might become: the post, or the right name for its absence. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { EMBED, embed, ID, item, type Json, page, read, rendition, script, slides, VIDEO, video } from './fixture.ts';

function namesOf(text: string): readonly string[] {
  return read(text).items.flatMap(({ kind, variants }) =>
    variants.map(({ url }) => `${kind} ${/\/(\w+)(?:~[^/]*|\/)?\?/.exec(url)?.[1]}`),
  );
}

function outcomeOf(text: string): string {
  try {
    return namesOf(text).join(', ');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.code, ...Object.keys(error.params)].join(' ');
  }
}

const without = (...keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(item()).filter(([key]) => !keys.includes(key)));

describe('a page of a video', () => {
  it('says all that it holds', () => {
    expect(read(page(item()))).toMatchObject({
      id: ID,
      url: `https://www.tiktok.com/@_/video/${ID}`,
      author: { id: '6745191554350760966', username: 'mara.turns.clay', name: 'Mara', verified: true },
      caption: 'Centring for @omar #pottery',
      hashtags: ['#pottery'],
      mentions: ['@omar'],
      publishedAt: 1_789_676_164_000,
      stats: { likes: 3_233, comments: 212, plays: 61_400, shares: 24, saves: 87, views: null },
      items: [{ kind: 'video', width: 720, height: 1280, durationMs: 47_000 }],
      sensitive: false,
      expiresAt: 1_790_262_381_000,
    });
    const [file] = read(page(item())).items[0]?.variants ?? [];
    expect(file).toMatchObject({ bytes: 5_739_693, bitrate: 964_978, mime: 'video/mp4', hasAudio: null });
  });

  it('has H.264 before HEVC, the larger first, and neither what plays nowhere nor what is marked', () => {
    const bitrateInfo = [
      rendition('h265_hvc1', 'hevc', 1_080),
      rendition('h264', 'small', 540),
      rendition('bytevc2', 'nowhere', 1_440),
      rendition('h264', 'large', 720),
      rendition('', 'named', 1_080, { UrlKey: 'v0_bytevc1_1080p_1' }),
    ];
    const { items } = read(
      page(item({ video: { ...VIDEO, bitrateInfo, playAddr: video('large', 'v19-webapp-prime.tiktok.com') } })),
    );
    const names = items[0]?.variants.map(({ url, codecs, bytes }) => [/alisg\/(\w+)/.exec(url)?.[1], codecs, bytes]);
    expect(names).toEqual([
      ['large', 'avc1', 720_000],
      ['small', 'avc1', 540_000],
      ['hevc', 'hvc1', 1_080_000],
      ['named', 'hvc1', 1_080_000],
    ]);
  });

  it('prefers the hosts that give files', () => {
    const own = 'https://www.tiktok.com/aweme/v1/play/?video_id=1';
    const info = rendition('h264', 'x', 720, { UrlList: [own, video('good')] });
    expect(namesOf(page(item({ video: { ...VIDEO, playAddr: '', bitrateInfo: [info] } })))).toEqual(['video good']);
    const alone = rendition('h264', 'x', 720, { UrlList: [own] });
    expect(read(page(item({ video: { ...VIDEO, playAddr: '', bitrateInfo: [alone] } }))).items).toHaveLength(1);
  });

  it('is sensitive where it is classified and shown all the same', () => {
    expect(read(page(item({ isContentClassified: true }))).sensitive).toBe(true);
  });
});

describe('photos', () => {
  it('come in their order with their sound', () => {
    const post = read(page(item(slides('one', 'two', 'three'))));
    expect(post.items.map(({ kind, width, durationMs }) => [kind, width, durationMs])).toEqual([
      ['image', 1080, null],
      ['image', 1080, null],
      ['image', 1080, null],
      ['audio', null, 46_500],
    ]);
    expect(post.items[3]?.variants).toMatchObject([{ mime: 'audio/mpeg', hasAudio: true, hasVideo: false }]);
    expect(post.title).toBe('Three glazes');
  });

  it('are taken in a format that every chat shows', () => {
    const files = ['heic', 'jpeg'].map(
      type => `https://p16-sign.tiktokcdn-us.com/one~tplv-photomode.${type}?x-expires=1`,
    );
    const imagePost = { images: [{ imageURL: { urlList: files } }] };
    expect(read(page(item({ ...slides(), imagePost }))).items[0]?.variants).toMatchObject([{ url: files[1] }]);
  });

  it('keep the place of one that cannot be read, and come without a sound that may not be heard', () => {
    const { imagePost } = slides('one', 'two');
    const images = [{ imageURL: { urlList: [] } }, ...(imagePost as { readonly images: readonly Json[] }).images];
    const post = read(page(item({ ...slides(), imagePost: { images }, music: { playUrl: '' } })));
    expect([post.items.map(({ position }) => position), post.missingItems]).toEqual([[1, 2], 1]);
  });
});

describe('an embed', () => {
  it('says the same in other places', () => {
    expect(read(embed({ videoData: EMBED }))).toMatchObject({
      author: { id: '67451', username: 'mara.turns.clay', name: 'Mara' },
      caption: 'Centring',
      stats: { likes: 3_233, plays: 61_400, shares: null },
      items: [
        { kind: 'video', width: 576, height: 1024, durationMs: 47_000, thumbnailUrl: expect.stringContaining('cover') },
      ],
    });
  });

  it('of photos has them with their sound', () => {
    const displayImages = ['one', 'two'].map(name => ({ height: 800, width: 600, urlList: [video(name)] }));
    const videoData = { ...EMBED, imagePostInfo: { displayImages } };
    const { items } = read(embed({ videoData }));
    expect(items.map(({ kind, width }) => [kind, width])).toEqual([
      ['image', 600],
      ['image', 600],
      ['audio', null],
    ]);
  });

  it.each([
    ['is404', embed({ is404: true, isError: true }), 'not_found weak'],
    ['no data', embed({ videoData: null }), 'not_found weak'],
    ['a code in place of data', embed({ customErrorCode: 10_204 }), 'not_found weak'],
    ['a code of a private post', embed({ customErrorCode: 10_222 }), 'private'],
    ['an unknown code', embed({ customErrorCode: 10_999 }), 'upstream_changed'],
    [
      'another post',
      embed({ videoData: { ...EMBED, itemInfos: { id: '7000000000000000000', video: {} } } }),
      'upstream_changed',
    ],
    ['a new name', embed({ postData: { item: {} } }), 'upstream_changed'],
    ['no files', embed({ videoData: { ...EMBED, itemInfos: { id: ID, video: { urls: [] } } } }), 'upstream_changed'],
  ])('with %s', (_, html, outcome) => {
    expect(outcomeOf(html)).toBe(outcome);
  });
});

it('an embed without its post says so whatever its status', () => {
  const absent = embed({ is400: true, isError: true, errorStatus: 400 });
  expect(() => read(absent, { status: 400 })).toThrow(expect.objectContaining({ code: 'not_found' }));
  expect(() => read(absent, { status: 403 })).toThrow(expect.objectContaining({ code: 'upstream_rate_limited' }));
  expect(() => read('', { status: 400 })).toThrow(expect.objectContaining({ message: 'status 400' }));
});

describe('a page that changed', () => {
  const related = {
    'webapp.related': { itemList: [item({ id: '7000000000000000001', video: { playAddr: video('foreign') } })] },
  };
  it.each([
    [
      'the scope has a new name',
      script('x', { s: { 'webapp.reflow.video.detail': { itemInfo: { itemStruct: item() } } } }),
      'video play',
    ],
    ['the post has another place', script('x', { ItemModule: { [ID]: item() } }), 'video play'],
    ['related posts stand before it', page(item(), undefined, related), 'video play'],
    ['related posts alone', page(undefined, undefined, related), 'upstream_changed'],
    [
      'it is another post',
      page(item({ id: '7000000000000000001', video: { playAddr: video('foreign') } })),
      'upstream_changed',
    ],
    ['it has no id', page(without('id')), 'upstream_changed'],
    ['the files have a new name', page(item({ video: { id: ID, files: [video('new')] } })), 'upstream_changed'],
    [
      'the address is an object',
      page(item({ video: { ...VIDEO, playAddr: { UrlList: [video('inner')] } } })),
      'video inner',
    ],
    [
      'the address stands in its structure alone',
      page(
        item({
          video: { ...VIDEO, playAddr: '', PlayAddrStruct: { UrlList: [video('struct')], UrlKey: 'v_h264_720p' } },
        }),
      ),
      'video struct',
    ],
    ['only a marked file is left', page(item({ video: { ...VIDEO, playAddr: '' } })), 'video marked'],
    ['only HEVC is left', page(item({ video: { bitrateInfo: [rendition('h265_hvc1', 'hevc', 720)] } })), 'video hevc'],
    [
      'only what plays nowhere is left',
      page(item({ video: { bitrateInfo: [rendition('bytevc2', 'x', 720)] } })),
      'upstream_changed',
    ],
    ['a file is on another host', page(item({ video: { playAddr: 'https://cdn.example/x.mp4' } })), 'upstream_changed'],
    ['no author, no counts', page(without('author', 'stats', 'statsV2', 'createTime', 'desc', 'music')), 'video play'],
    ['the photos have no list', page(item({ imagePost: { images: [] } })), 'video play'],
    ['nothing of it is there', page(undefined), 'upstream_changed'],
    ['the author is a name', page(item({ author: 'mara.turns.clay', nickname: 'Mara' })), 'video play'],
    ['it is cut short', page(item()).slice(0, 900), 'upstream_changed'],
    ['it is empty', '', 'upstream_changed'],
    [
      'it is a shell without data',
      '<head><link rel="preload" as="script" href="/a.js" data-source="downgrade-mssdk-preload"></head>',
      'upstream_unavailable',
    ],
  ])('%s', (_, html, outcome) => {
    expect(outcomeOf(html)).toBe(outcome);
  });

  it('says of the post what is left', () => {
    expect(read(page(without('author', 'stats', 'statsV2', 'createTime', 'desc')))).toMatchObject({
      author: { username: null, verified: null },
      caption: null,
      publishedAt: Number(BigInt(ID) >> 32n) * 1000,
      stats: { likes: null },
    });
    expect(read(page(item({ author: 'mara.turns.clay', nickname: 'Mara' }))).author).toMatchObject({ name: 'Mara' });
  });
});

describe('a refusal', () => {
  const said = (statusCode: unknown, statusMsg = '') => page(undefined, { statusCode, statusMsg });
  const challenge = '<p id="cs" class="x"></p><p id="wci" class="_wafchallengeid"></p>Please wait...';
  it.each([
    ['10204', said(10_204, "item doesn't exist"), 'not_found weak'],
    ['10204 as text', said('10204'), 'not_found weak'],
    ['10204 on the page for phones', script('api-data', { videoDetail: { statusCode: 10_204 } }), 'not_found weak'],
    [
      '10222 on the page for shared links',
      script('x', { 'webapp.reflow.video.detail': { statusCode: 10_222 } }),
      'private',
    ],
    [
      '10204 without a place for the post',
      script('x', { 'webapp.video-detail': { statusCode: 10_204 } }),
      'not_found weak',
    ],
    ['the border', said(10_204, 'cross_border_violation_ur'), 'region_blocked weak'],
    ['a licence of its sound', said(10_204, 'copyright_geo_filter'), 'region_blocked weak'],
    ['a fence', said(10_231), 'region_blocked weak'],
    ['an author who keeps it', said(10_204, 'author_status,status_self_see'), 'private'],
    ['a post of a class', said(10_204, 'content_classification'), 'age_restricted weak'],
    ['10217', said(10_217, 'status_deleted'), 'not_found weak'],
    ['an author whose account is private', said(10_204, 'author_secret'), 'private'],
    ['10216', said(10_216), 'private'],
    ['10222', said(10_222), 'private'],
    ['an unknown state', said(10_999), 'upstream_changed'],
    ['age', page(item({ isContentClassified: true, video: { playAddr: '' } })), 'age_restricted'],
    ['a private account', page(item({ author: { privateAccount: true }, video: { playAddr: '' } })), 'private'],
    ['a challenge', challenge, 'upstream_rate_limited'],
  ])('by %s', (_, html, outcome) => {
    expect(outcomeOf(html)).toBe(outcome);
  });

  it.each([
    [{ status: 403 }, 'upstream_rate_limited'],
    [{ status: 404 }, 'not_found'],
    [{ status: 429 }, 'upstream_rate_limited'],
    [{ url: 'https://www.tiktok.com/login?redirect_url=x' }, 'login_required'],
    [{ url: 'https://www.tiktok.com/?_r=1' }, 'not_found'],
  ])('by %j', (head, code) => {
    expect(() => read('', head)).toThrow(expect.objectContaining({ code }));
  });
});
