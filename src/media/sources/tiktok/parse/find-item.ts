import type { PostRef } from '../../../extract/source.ts';
import type { Body } from '../../../parse/body.ts';
import { readId, readList } from '../../../parse/fields.ts';
import { child, isJsonObject, type JsonObject, parseJson, visitObjects } from '../../../parse/json-search.ts';

export interface FoundItem {
  readonly item: JsonObject | null;
  /** What the site says of its answer. */
  readonly state: JsonObject | null;
  /** The embed says that there is no such post. */
  readonly isAbsent: boolean;
}

/** An embed says the same as a page in other places. */
function itemOfEmbed({ itemInfos, authorInfos, musicInfos, imagePostInfo }: JsonObject): JsonObject {
  const info = isJsonObject(itemInfos) ? itemInfos : {};
  const meta = child(info.video, 'videoMeta');
  const cover = readList(info.coversOrigin)[0] ?? readList(info.covers)[0];
  const images = child(imagePostInfo, 'displayImages');
  return {
    ...info,
    desc: info.text,
    author: isJsonObject(authorInfos) ? { ...authorInfos, nickname: authorInfos.nickName } : null,
    music: musicInfos,
    ...(Array.isArray(images) && { imagePost: { images } }),
    video: { ...(isJsonObject(meta) ? meta : {}), cover, playAddr: child(info.video, 'urls') },
  };
}

/** The site moves its data now and then, so the post is looked for anywhere and bound to the asked id: pages carry related ones. */
export function findItem(page: Body, { id }: PostRef): FoundItem {
  const items: JsonObject[] = [];
  let state: JsonObject | null = null;
  let isAbsent = false;
  const visit = (object: JsonObject) => {
    if (isJsonObject(object.itemInfos) && readId(object.itemInfos.id) === id) items.unshift(itemOfEmbed(object));
    // The video within the post has the same id.
    const isItem = isJsonObject(object.video) || isJsonObject(object.imagePost);
    if (isItem && readId(object.id) === id) items.push(object);
    const detail = 'itemInfo' in object ? object : object['webapp.video-detail'];
    if (isJsonObject(detail) && 'statusCode' in detail) state ??= detail;
    const route = object[`/embed/v2/${id}`];
    if (isJsonObject(route)) isAbsent ||= route.is404 === true || route.isError === true || route.videoData === null;
  };
  for (const script of page.scripts) if (script.isJson) visitObjects(parseJson(script.text), visit);
  return { item: items[0] ?? null, state, isAbsent };
}
