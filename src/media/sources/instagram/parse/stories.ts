/** Stories and highlights: `reels[ID].items[]` or `reels_media[].items[]`, each item a product; needs cookies (2026-08). */
import { readId, readList } from '../../../parse/fields.ts';
import { child, isJsonObject, type JsonObject, parseJson, visitObjects } from '../../../parse/json-search.ts';
import { type PostDraft, readableItems } from '../../kit/draft.ts';
import { PRODUCT, parseMedia, readUsers } from './media.ts';

/** Items of one story or highlight: an account shows 100 a day at most (2026). */
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

/** All that is shown, or the one item of `mediaId`; null when none of it can be read. `isHeld`: the answer lists items. */
export function readStories(answer: unknown, mediaId: string | undefined) {
  const reels = reelsOf(answer);
  for (const reel of reels) {
    const shown = readList(reel.items, MAX_ITEMS);
    const named = shown.filter(item => idOf(item) === mediaId);
    const drafts = (named.length > 0 ? named : shown).map(parseItem);
    const first = drafts.find(draft => draft !== null);
    if (first === undefined) continue;
    // Items do not always name the reel's owner.
    const owner = readUsers(PRODUCT.users(reel));
    const author = owner.username === null ? first.author : owner;
    return { draft: { ...first, author, items: drafts.flatMap(draft => draft?.items ?? [null]) }, isHeld: true };
  }
  return { draft: null, isHeld: reels.length > 0 };
}

/** The user's id in a `web_profile_info` answer; null when it is not there. */
export function userIdOf(body: string): string | null {
  let id: string | null = null;
  visitObjects(parseJson(body), user => {
    if ('username' in user) id ??= idOf(user);
  });
  return id;
}
