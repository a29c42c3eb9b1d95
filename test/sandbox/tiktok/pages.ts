/** Pages and embeds of TikTok as of 2026-08 to 2026-10. */
import { scriptJson } from '../answer.ts';
import type { Clip } from '../media.ts';
import type { SiteStage } from '../site.ts';
import { fileUrl } from './files.ts';
import type { TiktokPost } from './posts.ts';

type Json = Readonly<Record<string, unknown>>;

function document(id: string, state: unknown): string {
  const script = `<script id="${id}" type="application/json">${scriptJson(state)}</script>`;
  return `<!DOCTYPE html><html lang="en"><head><title>TikTok - Make Your Day</title></head><body><div id="app"></div>${script}</body></html>`;
}

/** In place of an answer, for those who look like a program. */
export function challengePage(): string {
  const parts = [
    '<p id="cs" class="c2FuZGJveA"></p>',
    '<p id="wci" class="_wafchallengeid"></p>',
    '<p id="rci" class="waforiginalreid"></p>',
    '<p id="rs" class="c2FuZA"></p>',
  ];
  return `<!DOCTYPE html><html><head><title></title></head><body>${parts.join('')}Please wait...</body></html>`;
}

function bytesOf(name: string, { files }: SiteStage): string {
  return String(files.get(name)?.body.length ?? 0);
}

function rendition(codec: string, name: string, [Width, Height]: readonly number[], stage: SiteStage): Json {
  const UrlList = [`https://www.tiktok.com/aweme/v1/play/?video_id=1&codec=${codec}`, fileUrl(name, stage, codec)];
  const PlayAddr = { UrlList, Width, Height, DataSize: bytesOf(name, stage), UrlKey: `v1_${codec}_${Height}p_1` };
  return { Bitrate: 900_000, CodecType: codec, GearName: `normal_${Width}_0`, PlayAddr };
}

function videoJson(id: string, clip: Clip, stage: SiteStage): Json {
  const { best, small, cover, width, height, durationMs } = clip;
  const half = [width / 2, height / 2];
  return {
    id,
    width,
    height,
    duration: durationMs / 1000,
    cover: fileUrl(cover, stage),
    originCover: fileUrl(cover, stage),
    playAddr: fileUrl(best, stage),
    // With the site's mark over it.
    downloadAddr: fileUrl('silent-540.mp4', stage, 'download'),
    size: bytesOf(best, stage),
    bitrateInfo: [
      rendition('h265_hvc1', best, [width * 2, height * 2], stage),
      rendition('bytevc2', best, [width * 2, height * 2], stage),
      rendition('h264', best, [width, height], stage),
      ...(small === null ? [] : [rendition('h264_low', small, half, stage)]),
    ],
  };
}

const COUNTS = { diggCount: 3_233, playCount: 61_400, commentCount: 212, shareCount: 24 };

function itemJson(post: TiktokPost, stage: SiteStage): Json {
  const { id, username, name, text, clip, slides, state } = post;
  const images = slides.map(({ best, width, height }) => ({
    imageURL: { urlList: [fileUrl(best, stage)] },
    imageWidth: width,
    imageHeight: height,
  }));
  const shown = clip === null ? { id, duration: 0, playAddr: '' } : videoJson(id, clip, stage);
  return {
    id,
    desc: text,
    createTime: String(BigInt(id) >> 32n),
    author: { id: '6745190000000000001', uniqueId: username, nickname: name, verified: false },
    video: state === 'classified' ? { id, playAddr: '', bitrateInfo: [] } : shown,
    ...(slides.length > 0 && { imagePost: { title: '', images } }),
    music: { title: 'original sound', authorName: name, playUrl: fileUrl('clay-audio.mp4', stage), duration: 6 },
    stats: { ...COUNTS, collectCount: 87 },
    statsV2: Object.fromEntries(
      Object.entries({ ...COUNTS, collectCount: 87 }).map(([key, value]) => [key, String(value)]),
    ),
    isContentClassified: state === 'classified',
  };
}

const STATES: Readonly<Record<'removed' | 'private' | 'abroad', readonly [number, string]>> = {
  removed: [10_204, "item doesn't exist"],
  private: [10_216, 'item is private'],
  abroad: [10_204, 'cross_border_violation_ur'],
};

export function postPage(post: TiktokPost | undefined, stage: SiteStage): string {
  const state = post?.state ?? 'removed';
  const isShown = post !== undefined && (state === 'public' || state === 'classified');
  const [statusCode, statusMsg] = state === 'public' || state === 'classified' ? [0, ''] : STATES[state];
  const itemInfo = isShown ? { itemStruct: itemJson(post, stage) } : {};
  const detail = { itemInfo, statusCode, statusMsg };
  const scope = { 'webapp.app-context': { language: 'en' }, 'webapp.video-detail': detail };
  return document('__UNIVERSAL_DATA_FOR_REHYDRATION__', { __DEFAULT_SCOPE__: scope });
}

/** Embeds know public posts alone. */
export function embedPage(id: string, post: TiktokPost | undefined, stage: SiteStage): string {
  const route = post?.state === 'public' ? { videoData: embedData(post, stage) } : { is404: true, isError: true };
  return document('__FRONTITY_CONNECT_STATE__', { source: { data: { [`/embed/v2/${id}`]: route } } });
}

function embedData({ id, username, name, text, clip, slides }: TiktokPost, stage: SiteStage): Json {
  const { width = 0, height = 0, durationMs = 0 } = clip ?? {};
  const urls = clip === null ? [] : [fileUrl(clip.small ?? clip.best, stage)];
  const video = { urls, videoMeta: { width, height, duration: durationMs / 1000 } };
  const images = slides.map(({ best }) => ({ urlList: [fileUrl(best, stage)] }));
  return {
    itemInfos: { id, text, createTime: String(BigInt(id) >> 32n), video, ...COUNTS },
    authorInfos: { uniqueId: username, nickName: name, verified: false },
    musicInfos: { musicName: 'original sound', playUrl: [fileUrl('clay-audio.mp4', stage)] },
    ...(slides.length > 0 && { imagePostInfo: { displayImages: images } }),
  };
}
