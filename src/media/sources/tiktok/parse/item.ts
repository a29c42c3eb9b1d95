import type { PostRef } from '../../../extract/source.ts';
import { firstOf, readCount, readFlag, readId, readInstant, readList, readText } from '../../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../../parse/json-search.ts';
import { type Author, NO_STATS, type Stats } from '../../../post.ts';
import type { PostDraft } from '../../kit/draft.ts';
import { imageItem, readAddress, soundItem, videoItem } from './media.ts';

const MAX_IMAGES = 60;

const STATS: Readonly<Partial<Record<keyof Stats, string>>> = {
  likes: 'diggCount',
  comments: 'commentCount',
  plays: 'playCount',
  shares: 'shareCount',
  saves: 'collectCount',
};

/** In 2026 as text and as numbers, which are rounded at times; embeds have them beside the text. */
function readStats(item: JsonObject): Stats {
  const read = (name: string) => firstOf([item.statsV2, item.stats, item], place => readCount(child(place, name)));
  return { ...NO_STATS, ...Object.fromEntries(Object.entries(STATS).map(([key, name]) => [key, read(name)])) };
}

function readAuthor({ author, nickname }: JsonObject): Author {
  const user = isJsonObject(author) ? author : { uniqueId: author, nickname };
  return {
    id: readId(user.id) ?? readId(user.userId),
    username: readText(user.uniqueId),
    name: readText(user.nickname),
    verified: readFlag(user.verified),
    avatarUrl: firstOf([user.avatarLarger, user.avatarMedium, user.avatarThumb], readAddress),
  };
}

/** Seconds since 1970 are the upper half of an id. */
function publishTimeOf(id: string): number {
  return Number(BigInt(id) >> 32n) * 1000;
}

/** Photos in their order with the sound that they are shown to, or a video. */
function readItems({ imagePost, video, music }: JsonObject): PostDraft['items'] {
  const images = readList(child(imagePost, 'images'), MAX_IMAGES).map(one =>
    isJsonObject(one) ? imageItem(one) : null,
  );
  if (images.length === 0) return [isJsonObject(video) ? videoItem(video) : null];
  const sound = isJsonObject(music) ? soundItem(music) : null;
  return sound === null ? images : [...images, sound];
}

/** Null stands for all that the item does not say. */
export function parseItem(item: JsonObject, { id }: PostRef): PostDraft & { readonly isPrivate: boolean } {
  return {
    author: readAuthor(item),
    title: readText(child(item.imagePost, 'title')),
    caption: readText(item.desc)?.trim() || null,
    publishedAt: readInstant(item.createTime) ?? publishTimeOf(id),
    stats: readStats(item),
    items: readItems(item),
    coverUrl: firstOf([child(item.video, 'originCover'), child(item.video, 'cover')], readAddress),
    sensitive: readFlag(item.isContentClassified) === true,
    isPrivate: [item.privateItem, item.secret, child(item.author, 'privateAccount')].includes(true),
  };
}
