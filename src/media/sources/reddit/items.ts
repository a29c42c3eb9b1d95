/** Reads the files that Reddit's answers name into items. Pure. */
import { child, firstOf, mediaAddress, readSize, readText } from '../../parse/json-fields.ts';
import type { UnplacedItem, Variant } from '../../post.ts';
import { listedFile, listedItem } from '../kit/media-files.ts';

/** `redd.it` itself is left out, because it is the host of short links. */
export const REDDIT_MEDIA_HOSTS: readonly string[] = [
  ...['v.redd.it', 'i.redd.it', 'preview.redd.it', 'external-preview.redd.it', 'packaged-media.redd.it'],
];

export type Item = UnplacedItem | null;

/** The manifest of a video of which only the name is known; it lists the files. */
export const MANIFEST = /^https:\/\/v\.redd\.it\/([a-z0-9]{6,24})\/DASHPlaylist\.mpd$/;

export function readAddress(value: unknown): string | null {
  return mediaAddress(value, REDDIT_MEDIA_HOSTS);
}

/** A signed address contains the time when it expires, in unix seconds. */
function expiryOf(url: string): number | null {
  const end = Number(new URL(url).searchParams.get('e'));
  return end > 1_600_000_000 && end < 10_000_000_000 ? end * 1_000 : null;
}

function imageType(url: string): string {
  const type = /\.(png|webp|gif)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? 'jpeg';
  return `image/${type}`;
}

const IMAGE_HOST = /^(?:i|preview|external-preview)\.redd\.it$/;

type Known = Partial<Omit<UnplacedItem, 'kind' | 'variants'>>;

/** `preview.redd.it/TITLE-v0-NAME.png` is a smaller copy of `i.redd.it/NAME.png`. */
export function imageOf(address: unknown, { width = null, height = null, alt = null }: Known = {}): Item {
  const url = readAddress(address);
  if (url === null) return null;
  const { hostname, pathname } = new URL(url);
  if (!IMAGE_HOST.test(hostname)) return null;
  const [, name] = /^\/(?:[^/]{1,200}-v0-)?([a-z0-9]{8,24}\.(?:jpe?g|png|webp|gif))$/i.exec(pathname) ?? [];
  const original = hostname === 'preview.redd.it' && name !== undefined ? `https://i.redd.it/${name}` : null;
  const files = [original, url].filter(one => one !== null);
  const variants = files.map((one, index) =>
    listedFile(one, { mime: imageType(one), hasVideo: false, ...(index === 0 && { width, height }) }),
  );
  // The original comes first, whatever its size is.
  return { kind: 'image', width, height, durationMs: null, thumbnailUrl: url, alt, variants };
}

/** A silent video that is shown as a moving picture. */
export function gifOf(address: unknown, size: Known = {}): Item {
  const url = readAddress(address);
  if (url === null) return null;
  const { width = null, height = null } = size;
  return listedItem('video', [listedFile(url, { mime: 'video/mp4', hasVideo: true, hasAudio: false, width, height })]);
}

/** Makes a video from whole files, as `playbackMp4s` lists them. */
export function packagedVideo(files: readonly unknown[], known: Known): Item {
  const variants = files.flatMap((file): readonly Variant[] => {
    const url = readAddress(child(file, 'url'));
    if (url === null) return [];
    const size = {
      width: readSize(child(file, 'dimensions', 'width')),
      height: readSize(child(file, 'dimensions', 'height')),
    };
    return [listedFile(url, { mime: 'video/mp4', hasVideo: true, hasAudio: null, expiresAt: expiryOf(url), ...size })];
  });
  return listedItem('video', variants, known);
}

/** Makes a video from the first of the addresses that is below `v.redd.it/NAME`. */
export function namedVideo(addresses: unknown, known: Known = {}): Item {
  const texts = [addresses].flat().map(address => readText(address) ?? '');
  const name = firstOf(texts, text => /^https:\/\/v\.redd\.it\/([a-z0-9]{6,24})(?:[/?]|$)/.exec(text)?.[1]);
  if (name == null) return null;
  const url = `https://v.redd.it/${name}/DASHPlaylist.mpd`;
  return listedItem('video', [listedFile(url, { mime: 'application/dash+xml', hasVideo: true })], known);
}
