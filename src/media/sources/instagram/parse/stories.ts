/** Stories and highlights: `reels[ID].items[]` or `reels_media[].items[]`, each item in shape A; needs cookies (2026-08). */
import { AppError } from '../../../../errors.ts';
import type { PostRef } from '../../../extract/source.ts';
import { readId } from '../../../parse/fields.ts';
import { isJsonObject, type JsonObject, parseJson, visitObjects } from '../../../parse/json-search.ts';
import type { Author } from '../../../post.ts';
import { type PostDraft, readableItems } from '../../kit/draft.ts';
import { weakNotFound } from '../../kit/refusal.ts';
import { failureOfJson } from '../failures.ts';
import { parseProduct, readUsers } from './product.ts';

interface Shown {
  readonly mediaId: string | null;
  /** Null for an item that is there and cannot be read. */
  readonly draft: PostDraft | null;
}

/** Items of one story or highlight: an account shows 100 a day at most (2026). */
const MAX_ITEMS = 200;

function itemsOf(reel: JsonObject): readonly Shown[] {
  if (!Array.isArray(reel.items)) return [];
  return reel.items.slice(0, MAX_ITEMS).map((item: unknown): Shown => {
    if (!isJsonObject(item)) return { mediaId: null, draft: null };
    const draft = parseProduct(item, false);
    return { mediaId: readId(item.pk) ?? readId(item.id), draft: readableItems(draft) > 0 ? draft : null };
  });
}

/** The reel's owner, for items that do not name them. */
function authorOf(reel: JsonObject, first: PostDraft): Author {
  const owner = readUsers([reel.user, reel.owner]);
  return owner.username === null ? first.author : owner;
}

/** Every object of the answer that lists items. */
function reelsOf(answer: unknown): readonly JsonObject[] {
  const reels: JsonObject[] = [];
  visitObjects(answer, object => {
    if (Array.isArray(object.items) && object.items.length > 0) reels.push(object);
  });
  return reels;
}

/**
 * All that a story or highlight shows, or the one item that the link names.
 * @throws AppError `not_found` (weak) when it shows nothing any more, or what the answer says.
 */
export function parseStories(body: string, ref: PostRef): PostDraft {
  const answer = parseJson(body);
  if (answer === undefined) throw new AppError('upstream_changed', 'the answer about a story is no JSON');
  const reels = reelsOf(answer);
  for (const reel of reels) {
    const shown = itemsOf(reel);
    const named = shown.filter(one => one.mediaId !== null && one.mediaId === ref.parts.mediaId);
    const wanted = named.length > 0 ? named : shown;
    const first = wanted.find(one => one.draft !== null)?.draft;
    if (first == null) continue;
    const items = wanted.flatMap(one => one.draft?.items ?? [null]);
    return { ...first, author: authorOf(reel, first), items };
  }
  if (reels.length > 0) throw new AppError('upstream_changed', 'the story came without a file that we know');
  throw failureOfJson(answer) ?? weakNotFound('the story shows nothing');
}

/** The user's id in a `web_profile_info` answer; null when it is not there. */
export function userIdOf(body: string): string | null {
  let id: string | null = null;
  visitObjects(parseJson(body), user => {
    if ('username' in user) id ??= readId(user.pk) ?? readId(user.id);
  });
  return id;
}
