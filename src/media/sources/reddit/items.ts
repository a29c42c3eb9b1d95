/** Turns the files that Reddit's answers name into items. Pure. */
import { addressReader, child, firstOf, type PixelSize } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import type { Variant } from '../../post.ts';
import type { DraftItem } from '../kit/draft.ts';
import { type ItemFacts, imageMime, listedFile, listedItem, orderedItem } from '../kit/media-files.ts';

/** `redd.it` itself is not listed, because it only serves short links. */
export const REDDIT_MEDIA_HOSTS: readonly string[] = ['v', 'i', 'preview', 'external-preview', 'packaged-media'].map(
  name => `${name}.redd.it`,
);

/** The address of a manifest, which lists a video's files. The address contains the video's name. */
export const MANIFEST = /^https:\/\/v\.redd\.it\/([a-z0-9]{6,24})\/DASHPlaylist\.mpd$/;

export const readAddress = addressReader(REDDIT_MEDIA_HOSTS);

const IMAGE_HOST = /^(?:i|preview|external-preview)\.redd\.it$/;

/** Makes an image. `preview.redd.it/TITLE-v0-NAME.png` is a smaller copy of `i.redd.it/NAME.png`. */
export function imageOf(address: unknown, { width = null, height = null, alt = null }: ItemFacts = {}): DraftItem {
  const url = readAddress(address);
  const { hostname, pathname } = new URL(url ?? 'https://reddit.invalid/');
  if (url === null || !IMAGE_HOST.test(hostname)) return null;
  const [, name] = /^\/(?:[^/]{1,200}-v0-)?([a-z0-9]{8,24}\.(?:jpe?g|png|webp|gif))$/i.exec(pathname) ?? [];
  const isCopy = hostname === 'preview.redd.it' && name !== undefined;
  // The original comes first, even if its stated size is smaller or missing.
  const variants = (isCopy ? [`https://i.redd.it/${name}`, url] : [url]).map((file, index) =>
    listedFile(file, { mime: imageMime(file), hasVideo: false, ...(index === 0 && { width, height }) }),
  );
  return orderedItem('image', variants, { width, height, thumbnailUrl: url, alt });
}

export function gifOf(address: unknown, { width, height }: PixelSize): DraftItem {
  const url = readAddress(address);
  if (url === null) return null;
  return listedItem('video', [listedFile(url, { mime: 'video/mp4', hasVideo: true, hasAudio: false, width, height })]);
}

/** Makes a video from the whole files that `playbackMp4s` lists. */
export function packagedVideo(files: readonly unknown[], known: ItemFacts): DraftItem {
  const variants = files.flatMap((file): readonly Variant[] => {
    const url = readAddress(child(file, 'url'));
    if (url === null) return [];
    const expiresAt = read.instant(new URL(url).searchParams.get('e'));
    const size = read.dimensions(child(file, 'dimensions'));
    return [listedFile(url, { mime: 'video/mp4', hasVideo: true, expiresAt, ...size })];
  });
  return listedItem('video', variants, known);
}

/** The video of the first address `v.redd.it/NAME`; null if no address has this form. */
export function namedVideo(addresses: unknown, known: ItemFacts = {}): DraftItem {
  const texts = [addresses].flat().map(address => read.text(address) ?? '');
  const name = firstOf(texts, text => /^https:\/\/v\.redd\.it\/([a-z0-9]{6,24})(?:[/?]|$)/.exec(text)?.[1]);
  if (name == null) return null;
  const url = `https://v.redd.it/${name}/DASHPlaylist.mpd`;
  return listedItem('video', [listedFile(url, { mime: 'application/dash+xml', hasVideo: true })], known);
}

/** The image or video to which a post links; null if the post links to anything else. */
export function linkedItem(target: unknown, size: ItemFacts, thumbnailUrl: string | null): DraftItem {
  return imageOf(target, size) ?? namedVideo(target, { thumbnailUrl });
}
