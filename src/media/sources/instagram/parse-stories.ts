/** Stories and highlights: `reels[ID].items[]` or `reels_media[].items[]`, each item in shape A; needs cookies (2026-08). */
import { AppError } from '../../../errors.ts';
import type { PostRef } from '../../extract/source.ts';
import { numericId } from '../../parse/fields.ts';
import { findObjects, isJsonObject, type JsonObject, parseJson } from '../../parse/json-search.ts';
import type { Author } from '../../post.ts';
import type { PostDraft } from './draft.ts';
import { failureOfJson, weakNotFound } from './failures.ts';
import { parseProduct } from './parse-product.ts';

interface Shown {
  readonly mediaId: string | null;
  readonly draft: PostDraft;
}

function itemsOf(reel: JsonObject): readonly Shown[] {
  if (!Array.isArray(reel.items)) return [];
  return reel.items.flatMap((item): Shown[] => {
    const draft = isJsonObject(item) ? parseProduct(item) : null;
    if (draft === null || draft.items.length === 0 || !isJsonObject(item)) return [];
    return [{ mediaId: numericId.parse(item.pk) ?? numericId.parse(item.id), draft }];
  });
}

/** The reel's owner, for items that do not name him. */
function authorOf(reel: JsonObject, shown: readonly Shown[]): Author | null {
  const owner = parseProduct({ user: reel.user, owner: reel.owner })?.author ?? null;
  return owner?.username != null ? owner : (shown[0]?.draft.author ?? owner);
}

/**
 * All that a story or highlight shows, or the one item that the link names.
 * @throws AppError `not_found` (weak) when it shows nothing any more, or what the answer says.
 */
export function parseStories(body: string, ref: PostRef): PostDraft {
  const answer = parseJson(body);
  if (answer === undefined) throw new AppError('upstream_changed', 'the answer about a story is no JSON');
  for (const reel of findObjects(answer, object => Array.isArray(object.items))) {
    const shown = itemsOf(reel);
    const named = shown.filter(one => one.mediaId !== null && one.mediaId === ref.parts.mediaId);
    const wanted = named.length > 0 ? named : shown;
    const [first] = wanted;
    if (first === undefined) continue;
    const items = wanted.flatMap(one => one.draft.items);
    return { ...first.draft, author: authorOf(reel, wanted) ?? first.draft.author, items };
  }
  throw failureOfJson(answer) ?? weakNotFound('the story shows nothing');
}

/** The user's id in a `web_profile_info` answer; null when it is not there. */
export function userIdOf(body: string): string | null {
  const answer = parseJson(body);
  for (const user of findObjects(answer, object => 'username' in object && ('id' in object || 'pk' in object))) {
    const id = numericId.parse(user.pk) ?? numericId.parse(user.id);
    if (id !== null) return id;
  }
  return null;
}
