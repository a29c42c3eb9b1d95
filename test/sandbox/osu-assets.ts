/** osu!'s open files: covers and avatars painted on request, a preview for every set. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Resvg } from '@resvg/resvg-js';
import { type Answer, type Ask, plain } from './answer.ts';
import type { BeatmapWorld } from './beatmap-world.ts';
import { answerFile } from './cdn.ts';

export const OSU_ASSET_HOSTS: readonly string[] = ['assets.ppy.sh', 'a.ppy.sh', 'b.ppy.sh'];

const COVER = /^\/beatmaps\/(\d+)\/covers\/(cover|card|list|slimcover)(@2x)?\.jpg$/;
const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  cover: [900, 250],
  card: [400, 140],
  list: [150, 150],
  slimcover: [1920, 360],
};
const TUNES = 3;
/** A set whose cover was never made, as some old ones. */
const WITHOUT_COVER = 13;

interface File {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
}

const files = new Map<string, File>();

function kept(key: string, type: string, make: () => Buffer): File {
  const known = files.get(key);
  if (known) return known;
  const body = make();
  const file = { body, type, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"` };
  files.set(key, file);
  return file;
}

/** Hills under a sky, in colours of its own. The real ones are JPEG; any picture does. */
function painting(seed: number, width: number, height: number): Buffer {
  const hue = (seed * 47) % 360;
  const hill = (index: number) => {
    const top = height * (0.42 + 0.17 * index);
    const bend = height * (0.1 + ((seed * (index + 3)) % 7) / 30);
    const light = 46 - index * 12;
    return `<path fill="hsl(${(hue + 24 * index) % 360} 45% ${light}%)" d="M0 ${top} C${width * 0.3} ${top - bend} ${width * 0.6} ${top + bend} ${width} ${top - bend / 2} V${height} H0 Z"/>`;
  };
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${hue} 60% 32%)"/><stop offset="1" stop-color="hsl(${(hue + 40) % 360} 70% 72%)"/></linearGradient>
    <path fill="url(#sky)" d="M0 0H${width}V${height}H0z"/>
    <circle cx="${width * (0.2 + (seed % 5) / 8)}" cy="${height * 0.34}" r="${height * 0.16}" fill="hsl(${(hue + 60) % 360} 90% 85%)"/>
    ${[0, 1, 2].map(hill).join('')}
  </svg>`;
  return new Resvg(svg, { fitTo: { mode: 'width', value: width } }).render().asPng();
}

function coverOf(pathname: string): File | undefined {
  const [, id = '', name = '', large] = COVER.exec(pathname) ?? [];
  const [width, height] = SIZES[name] ?? [];
  if (width === undefined || height === undefined || Number(id) % 100 === WITHOUT_COVER) return undefined;
  const scale = large === undefined ? 1 : 2;
  return kept(pathname, 'image/png', () => painting(Number(id), width * scale, height * scale));
}

function fileOf({ host, url }: Ask, { players }: BeatmapWorld): File | undefined {
  if (host === 'assets.ppy.sh') {
    return /^\/user-profile-covers\//.test(url.pathname)
      ? kept(url.pathname, 'image/png', () => painting(5, 1000, 250))
      : coverOf(url.pathname);
  }
  if (host === 'a.ppy.sh') {
    const id = Number(url.pathname.slice(1));
    const isKnown = players.some(player => player.id === id && !player.restricted);
    return isKnown ? kept(`avatar ${id}`, 'image/png', () => painting(id, 256, 256)) : undefined;
  }
  const [, id] = /^\/preview\/(\d+)\.mp3$/.exec(url.pathname) ?? [];
  if (id === undefined) return undefined;
  const tune = `tune-${Number(id) % TUNES}.mp3`;
  return kept(tune, 'audio/mpeg', () => readFileSync(new URL(`../fixtures/osu/${tune}`, import.meta.url)));
}

export function answerOsuAsset(ask: Ask, world: BeatmapWorld): Answer {
  if (ask.method !== 'GET' && ask.method !== 'HEAD') return plain(405, 'Method Not Allowed');
  const file = fileOf(ask, world);
  return file === undefined ? plain(404, 'Not Found') : answerFile(ask, file);
}
