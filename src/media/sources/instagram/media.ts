/** Reads Instagram's older GraphQL media, its stories and its profiles (as seen in 2026-08). Pure. */
import { AppError } from '../../../errors.ts';
import type { PostRef } from '../../extract/source.ts';
import {
  child,
  isJsonObject,
  type JsonObject,
  parseJson,
  readCount,
  readFlag,
  readId,
  readList,
  readText,
  visitObjects,
} from '../../parse/json-fields.ts';
import { readAddress, sizeOf } from '../kit/cdn-address.ts';
import { type PostDraft, readableItems } from '../kit/draft.ts';
import { listed, MAX_CHILDREN, type MediaShape, PRODUCT, parseMedia, readUsers } from '../kit/product.ts';

/** The older GraphQL shape: `xdt_shortcode_media`, and `shortcode_media` in embeds. */
export const GRAPH: MediaShape = {
  keys: ['display_url', 'display_src', 'display_resources', 'video_url', 'edge_sidecar_to_children'],
  typename: /(Video|Image)$/,
  publishedAt: 'taken_at_timestamp',
  stats: {
    likes: ['edge_media_preview_like.count', 'edge_liked_by.count'],
    comments: ['edge_media_to_parent_comment.count', 'edge_media_to_comment.count', 'edge_media_preview_comment.count'],
    plays: ['video_play_count'],
    views: ['video_view_count'],
    authorFollowers: ['owner.edge_followed_by.count'],
    authorPosts: ['owner.edge_owner_to_timeline_media.count'],
  },
  original: media => sizeOf(media.dimensions),
  images: media => [
    { url: readAddress(media.display_url) ?? media.display_src, ...GRAPH.original(media) },
    ...listed(media.display_resources, 'src', 'config_width', 'config_height'),
    { url: media.thumbnail_src },
  ],
  videos: ({ video_url }) => (readText(video_url) === null ? [] : [{ url: video_url }]),
  manifest: media => child(media.dash_info, 'video_dash_manifest'),
  saysVideo: media => readFlag(media.is_video),
  hasVideoSign: media => readCount(media.video_view_count) !== null,
  children(media) {
    const children = media.edge_sidecar_to_children;
    if (!isJsonObject(children) && !/Sidecar$/.test(readText(media.__typename) ?? '')) return null;
    return readList(child(children, 'edges'), MAX_CHILDREN).map(edge => child(edge, 'node'));
  },
  users: media => [media.owner],
  caption: media => readText(child(readList(child(media.edge_media_to_caption, 'edges'))[0], 'node', 'text')),
};

/** Most items of one story or highlight (`reels[ID].items[]`, `reels_media[].items[]`): an account may post 100 a day (2026). */
const MAX_ITEMS = 200;

function idOf(object: unknown): string | null {
  return readId(child(object, 'pk')) ?? readId(child(object, 'id'));
}

function parseItem(item: unknown): PostDraft | null {
  const draft = isJsonObject(item) ? parseMedia(item, PRODUCT, false) : null;
  return draft !== null && readableItems(draft) > 0 ? draft : null;
}

function reelsOf(answer: unknown): readonly JsonObject[] {
  const reels: JsonObject[] = [];
  visitObjects(answer, object => {
    if (Array.isArray(object.items) && object.items.length > 0) reels.push(object);
  });
  return reels;
}

/**
 * All items of the story, or the requested one; null when the answer shows no story.
 * @throws AppError `upstream_changed` when the answer is no JSON, or no item of the story can be read
 */
export function parseStories(body: string, { parts: { mediaId } }: PostRef): PostDraft | null {
  const answer = parseJson(body);
  if (answer === undefined) throw new AppError('upstream_changed', 'the answer about a story is no JSON');
  const reels = reelsOf(answer);
  for (const reel of reels) {
    const shown = readList(reel.items, MAX_ITEMS);
    const named = shown.filter(item => idOf(item) === mediaId);
    const drafts = (named.length > 0 ? named : shown).map(parseItem);
    const first = drafts.find(draft => draft !== null);
    if (first === undefined) continue;
    // An item does not always state its owner, so the owner of the whole reel is used.
    const owner = readUsers(PRODUCT.users(reel));
    const author = owner.username === null ? first.author : owner;
    return { ...first, author, items: drafts.flatMap(draft => draft?.items ?? [null]) };
  }
  if (reels.length > 0) throw new AppError('upstream_changed', 'the story came without a file that we know');
  return null;
}

/** The user's id in a `web_profile_info` answer; null when it is missing. */
export function userIdOf(body: string): string | null {
  let id: string | null = null;
  visitObjects(parseJson(body), user => {
    if ('username' in user) id ??= idOf(user);
  });
  return id;
}
