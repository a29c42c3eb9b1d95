/** What a page of the post says to crawlers (`og:`): one video, its cover, a few words (as of 2026-08). */

import type { PostRef } from '../../../extract/source.ts';
import type { Body } from '../../../parse/body.ts';
import { readShownCount } from '../../../parse/fields.ts';
import { type PageMeta, readMeta } from '../../../parse/page-meta.ts';
import { NO_STATS } from '../../../post.ts';
import { readAddress } from '../../kit/cdn-address.ts';
import { EMPTY_DRAFT, type PostDraft, UNKNOWN_AUTHOR } from '../../kit/draft.ts';
import { videoItem } from '../../kit/media-files.ts';
import { matchInstagramLink } from '../link.ts';

/** Whether the page says that it is the post's: by an address that it gives itself or, where it gives none, in any other way. */
function isAbout({ canonical, og }: PageMeta, page: Body, ref: PostRef): boolean {
  const given = [canonical, og.get('og:url'), og.get('al:ios:url'), og.get('al:android:url')];
  const addresses = given.flatMap(text => (text && URL.canParse(text) ? [new URL(text)] : []));
  if (addresses.length === 0) return page.includes(ref.id);
  return addresses.some(address => {
    const match = matchInstagramLink(address);
    return match?.kind === 'post' && match.ref.id === ref.id;
  });
}

const UNKNOWN_SIZE = { width: null, height: null };

function sizeOf(og: PageMeta['og']) {
  const pixels = (property: string) => {
    const text = og.get(property) ?? '';
    return /^\d{2,5}$/.test(text) ? Number(text) : null;
  };
  return { width: pixels('og:video:width'), height: pixels('og:video:height') };
}

/** `Marla Quill on Instagram: "Kite day"`, with any quotation marks. */
function titleParts(title: string): { readonly name: string | null; readonly caption: string | null } {
  const match = /^(.{1,200}?) on Instagram(?:: ?["\u201c]([\s\S]*)["\u201d])?\s*$/u.exec(title);
  return { name: match?.[1]?.trim() || null, caption: match?.[2]?.trim() || null };
}

/** `1,234 likes, 56 comments - marla.quill on April 24, 2026: "Kite day"`. */
function descriptionParts(description: string) {
  const match = /^([\d.,]+[KMB]?) likes?, ([\d.,]+[KMB]?) comments? - ([A-Za-z0-9._]{1,30}) on /.exec(description);
  return {
    likes: readShownCount(match?.[1]),
    comments: readShownCount(match?.[2]),
    username: match?.[3] ?? null,
    caption: /^[^"\u201c]{1,200}: ?["\u201c]([\s\S]*)["\u201d]\.?\s*$/u.exec(description)?.[1]?.trim() || null,
  };
}

/** Whether a page says that its post is a video, with or without the file. */
export function saysVideo(page: Body): boolean {
  const { og } = readMeta(page.head);
  return /^video/.test(og.get('og:type') ?? '') || og.has('og:video') || og.get('twitter:card') === 'player';
}

/** The video that a page of the post names; null when it names none, or is another post's. */
export function parseOpenGraph(page: Body, ref: PostRef): PostDraft | null {
  const meta = readMeta(page.head);
  const { og } = meta;
  if (!isAbout(meta, page, ref)) return null;
  const cover = readAddress(og.get('og:image:secure_url')) ?? readAddress(og.get('og:image'));
  const url = ['og:video:secure_url', 'og:video:url', 'og:video'].map(name => readAddress(og.get(name)));
  const item = videoItem({
    files: [{ url: url.find(one => one !== null) ?? null, ...sizeOf(og) }],
    covers: [{ url: cover, ...UNKNOWN_SIZE }],
    original: UNKNOWN_SIZE,
    dashManifest: null,
    durationMs: null,
    hasAudio: null,
    alt: null,
  });
  if (item === null) return null;
  const title = titleParts(og.get('og:title') ?? '');
  const description = descriptionParts(og.get('og:description') ?? '');
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, username: description.username, name: title.name },
    caption: title.caption ?? description.caption,
    stats: { ...NO_STATS, likes: description.likes, comments: description.comments },
    items: [item],
    coverUrl: cover,
  };
}
