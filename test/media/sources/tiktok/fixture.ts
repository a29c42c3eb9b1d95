/** Made-up posts as TikTok's pages and embeds have them. */
import type { ReadContext } from '../../../../src/media/sources/kit/draft.ts';
import { tiktokRefOf } from '../../../../src/media/sources/tiktok/link.ts';
import { readTiktokPage } from '../../../../src/media/sources/tiktok/parse.ts';
import { bodyOf } from '../../body-of.ts';

export const ID = '7560000000000000777';
const QUERY = 'a=1988&mime_type=video_mp4&expire=1790262381&tk=tt_chain_token';

export type Json = Readonly<Record<string, unknown>>;

export function video(name: string, host = 'v16-webapp-prime.tiktok.com'): string {
  return `https://${host}/video/tos/alisg/${name}/?${QUERY}`;
}

function image(name: string): string {
  return `https://p16-common-sign.tiktokcdn-eu.com/tos-maliva/${name}~tplv-photomode-image.jpeg?x-expires=1790262000&x-signature=aa`;
}

export function rendition(CodecType: string, name: string, short: number, more: Json = {}): Json {
  const PlayAddr = {
    UrlList: [video(name)],
    Width: short,
    Height: short * 2,
    DataSize: String(short * 1_000),
    ...more,
  };
  return { Bitrate: short * 1_000, CodecType, GearName: `normal_${short}_0`, PlayAddr };
}

export const VIDEO: Json = {
  id: ID,
  width: 720,
  height: 1280,
  duration: 47,
  cover: image('cover'),
  playAddr: video('play'),
  downloadAddr: video('marked'),
  size: '5739693',
  bitrate: 964_978,
};

export function item(more: Json = {}): Json {
  return {
    id: ID,
    desc: 'Centring for @omar #pottery',
    createTime: '1789676164',
    author: { id: '6745191554350760966', uniqueId: 'mara.turns.clay', nickname: 'Mara', verified: true },
    music: { title: 'original sound', playUrl: video('sound').replace('video_mp4', 'audio_mpeg'), duration: 46.5 },
    stats: { diggCount: 3_200, commentCount: 212, playCount: 61_400, shareCount: 24, collectCount: '87' },
    statsV2: { diggCount: '3233', commentCount: '212', playCount: '61400', shareCount: '24', collectCount: '87' },
    video: VIDEO,
    ...more,
  };
}

export function slides(...names: readonly string[]): Json {
  const images = names.map(name => ({ imageURL: { urlList: [image(name)] }, imageWidth: 1080, imageHeight: 1920 }));
  return { imagePost: { title: 'Three glazes', images }, video: { id: ID, duration: 0, playAddr: '' } };
}

export function script(id: string, value: unknown): string {
  return `<html><body><script id="${id}" type="application/json">${JSON.stringify(value)}</script></body></html>`;
}

export function page(itemStruct: unknown, detail: Json = { statusCode: 0, statusMsg: '' }, scope: Json = {}): string {
  const itemInfo = itemStruct === undefined ? {} : { itemStruct };
  const __DEFAULT_SCOPE__ = { ...scope, 'webapp.video-detail': { itemInfo, ...detail } };
  return script('__UNIVERSAL_DATA_FOR_REHYDRATION__', { __DEFAULT_SCOPE__ });
}

export const EMBED: Json = {
  itemInfos: {
    id: ID,
    text: 'Centring',
    createTime: '1789676164',
    diggCount: 3_233,
    playCount: 61_400,
    covers: [image('cover')],
    video: { urls: [video('embedded')], videoMeta: { width: 576, height: 1024, duration: 47 } },
  },
  authorInfos: { userId: '67451', uniqueId: 'mara.turns.clay', nickName: 'Mara' },
  musicInfos: { playUrl: [video('sound')] },
};

export function embed(route: unknown): string {
  return script('__FRONTITY_CONNECT_STATE__', { source: { data: { [`/embed/v2/${ID}`]: route } } });
}

export function read(text: string, { status = 200, url = `https://www.tiktok.com/@_/video/${ID}` } = {}) {
  const ref = tiktokRefOf(ID);
  if (ref === undefined) throw new Error('no id');
  const context: ReadContext = { ref, kind: 'page', strategy: 'test', now: 1_790_000_000_000 };
  return readTiktokPage({ status, headers: {}, url, body: bodyOf(text) }, context);
}
