/** The part of a page of the post that is made for crawlers (`og:`): one video, its cover, a few words (as of 2026-08). Pure. */
import type { PostRef } from '../../../extract/source.ts';
import type { Body } from '../../../parse/body.ts';
import { readShownCount } from '../../../parse/fields.ts';
import { type PageMeta, readMeta } from '../../../parse/page-meta.ts';
import { NO_STATS } from '../../../post.ts';
import { readAddress, UNKNOWN_SIZE } from '../../kit/cdn-address.ts';
import { EMPTY_DRAFT, type PostDraft, UNKNOWN_AUTHOR } from '../../kit/draft.ts';
import { videoItem } from '../../kit/media-files.ts';
import { matchInstagramLink } from './link.ts';

/** The page says that it is the post's by an address that it gives itself or, where it gives none, in any other way. */
function isAbout({ canonical, og }: PageMeta, page: Body, ref: PostRef): boolean {
  const given = [canonical, og.get('og:url'), og.get('al:ios:url'), og.get('al:android:url')];
  const addresses = given.flatMap(text => (text && URL.canParse(text) ? [new URL(text)] : []));
  if (addresses.length === 0) return page.includes(ref.id);
  return addresses.map(matchInstagramLink).some(match => match?.kind === 'post' && match.ref.id === ref.id);
}

/** `Marla Quill on Instagram: "Kite day"`, with any quotation marks. */
const TITLE = /^(.{1,200}?) on Instagram(?:: ?["\u201c]([\s\S]*)["\u201d])?\s*$/u;
/** `1,234 likes, 56 comments - marla.quill on April 24, 2026: "Kite day"`. */
const DESCRIPTION = /^([\d.,]+[KMB]?) likes?, ([\d.,]+[KMB]?) comments? - ([A-Za-z0-9._]{1,30}) on /;
const QUOTATION = /^[^"\u201c]{1,200}: ?["\u201c]([\s\S]*)["\u201d]\.?\s*$/u;

/** A page may say that its post is a video with or without the file. */
export function saysVideo(page: Body): boolean {
  const { og } = readMeta(page.head);
  return /^video/.test(og.get('og:type') ?? '') || og.has('og:video') || og.get('twitter:card') === 'player';
}

/** The video that a page of the post names; null when it names none, or is another post's. */
export function parseOpenGraph(page: Body, ref: PostRef): PostDraft | null {
  const meta = readMeta(page.head);
  if (!isAbout(meta, page, ref)) return null;
  const read = (property: string) => meta.og.get(property) ?? '';
  const pixels = (property: string) => (/^\d{2,5}$/.test(read(property)) ? Number(read(property)) : null);
  const size = { width: pixels('og:video:width'), height: pixels('og:video:height') };
  const files = ['og:video:secure_url', 'og:video:url', 'og:video'].map(name => readAddress(read(name)));
  const coverUrl = readAddress(read('og:image:secure_url')) ?? readAddress(read('og:image'));
  const item = videoItem({
    files: [{ url: files.find(url => url !== null), ...size }],
    covers: [{ url: coverUrl, ...UNKNOWN_SIZE }],
  });
  if (item === null) return null;
  const [, name, titled] = TITLE.exec(read('og:title')) ?? [];
  const [, likes, comments, username = null] = DESCRIPTION.exec(read('og:description')) ?? [];
  const described = QUOTATION.exec(read('og:description'))?.[1];
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, username, name: name?.trim() || null },
    caption: titled?.trim() || described?.trim() || null,
    stats: { ...NO_STATS, likes: readShownCount(likes), comments: readShownCount(comments) },
    items: [item],
    coverUrl,
  };
}
