/** Reads what is made for other sites: the head of a page (`og:`, as of 2026-08) and oEmbed (2026-07 to 2026-09). Pure. */
import { AppError } from '../../../errors.ts';
import type { PostRef } from '../../extract/source.ts';
import type { Body } from '../../parse/body.ts';
import { firstOf, type JsonObject, readId, readShownCount, readSize, readText } from '../../parse/json-fields.ts';
import { type PageMeta, readMarkup, readMeta } from '../../parse/markup.ts';
import { NO_STATS } from '../../post.ts';
import { readAddress } from '../kit/cdn-address.ts';
import { EMPTY_DRAFT, type PostDraft, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { videoItem } from '../kit/media-files.ts';
import { instagramIdOf } from './link.ts';

const USER_NAME = /^[A-Za-z0-9._]{1,30}$/;

export function userNameOf(text: string | null): string | null {
  return text !== null && USER_NAME.test(text) ? text : null;
}

/** Says whether the page is about the post: by the addresses that it states or, if none, by the post's id in it. */
function isAbout({ canonical, og }: PageMeta, page: Body, ref: PostRef): boolean {
  const given = [canonical, og.get('og:url'), og.get('al:ios:url'), og.get('al:android:url')];
  const addresses = given.filter(text => text && URL.canParse(text));
  return addresses.length === 0 ? page.includes(ref.id) : addresses.some(address => instagramIdOf(address) === ref.id);
}

/** Titles such as `Marla Quill on Instagram: "Kite day"`, with any quotation marks. */
const TITLE = /^(.{1,200}?) on Instagram(?:: ?["\u201c]([\s\S]*)["\u201d])?\s*$/u;
/** Descriptions such as `1,234 likes, 56 comments - marla.quill on April 24, 2026: "Kite day"`. */
const DESCRIPTION = /^([\d.,]+[KMB]?) likes?, ([\d.,]+[KMB]?) comments? - ([A-Za-z0-9._]{1,30}) on /;
const QUOTATION = /^[^"\u201c]{1,200}: ?["\u201c]([\s\S]*)["\u201d]\.?\s*$/u;

/** Says whether the page calls its post a video, with or without a file. */
export function saysVideo(page: Body): boolean {
  const { og } = readMeta(page.head);
  return /^video/.test(og.get('og:type') ?? '') || og.has('og:video') || og.get('twitter:card') === 'player';
}

/** Null when the head of the page has no video, or is about another post. */
export function readOpenGraph(page: Body, ref: PostRef): PostDraft | null {
  const meta = readMeta(page.head);
  if (!isAbout(meta, page, ref)) return null;
  const read = (property: string) => meta.og.get(property) ?? '';
  const addressOf = (...properties: readonly string[]) => firstOf(properties, property => readAddress(read(property)));
  const url = addressOf('og:video:secure_url', 'og:video:url', 'og:video');
  const coverUrl = addressOf('og:image:secure_url', 'og:image');
  const size = { width: readSize(read('og:video:width')), height: readSize(read('og:video:height')) };
  const item = videoItem({ files: [{ url, ...size }], covers: [{ url: coverUrl }] });
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

function nameIn(html: string): string | null {
  const words: string[] = [];
  readMarkup(html.slice(0, 50_000), { ontext: text => words.push(text) }, { xml: false });
  return /A post shared by (.{1,100}?) \(@/.exec(words.join(''))?.[1]?.trim() || null;
}

/** Null when the answer has neither author nor cover. */
export function readCard(answer: JsonObject, ref: PostRef): PostDraft | null {
  const mediaId = readId(answer.media_id);
  if (mediaId !== null && mediaId !== ref.parts.mediaId) {
    throw new AppError('upstream_changed', 'oEmbed: an answer about another post');
  }
  const username = userNameOf(readText(answer.author_name));
  const coverUrl = readAddress(answer.thumbnail_url);
  if (username === null && coverUrl === null) return null;
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, id: readId(answer.author_id), username, name: nameIn(readText(answer.html) ?? '') },
    caption: readText(answer.title),
    // A cover image is not an item: the post has at least one item, which is not in the answer.
    items: [null],
    coverUrl,
  };
}
