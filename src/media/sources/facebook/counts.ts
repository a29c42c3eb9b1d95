/** Counts of one post, from the feedback objects that carry its id. Pure. */
import { readCount, readShownCount } from '../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../parse/json-search.ts';
import { NO_STATS, type Stats } from '../../post.ts';

/** A count by itself, or inside an object about it. */
function readTotal(value: unknown): number | null {
  if (!isJsonObject(value)) return readCount(value);
  return readCount(value.total_count) ?? readCount(value.count);
}

/** Ways to read each count; an exact one of any object is better than a rounded one of another. */
const READINGS: Readonly<Partial<Record<keyof Stats, readonly ((one: JsonObject) => number | null)[]>>> = {
  likes: [
    one => readTotal(one.reaction_count),
    one => readTotal(one.unified_reactors),
    one => readTotal(one.reactors),
    one => readShownCount(one.i18n_reaction_count),
    one => readTotal(one.likers),
  ],
  comments: [
    one => readCount(one.total_comment_count),
    one => readTotal(one.comment_count),
    one => readCount(child(one.comment_rendering_instance, 'comments', 'total_count')),
    one => readShownCount(one.i18n_comment_count),
  ],
  shares: [
    one => readTotal(one.share_count),
    one => readShownCount(one.i18n_share_count),
    one => readShownCount(one.share_count_reduced),
  ],
  views: [one => readCount(one.video_view_count), one => readCount(one.video_post_view_count)],
  plays: [one => readCount(one.play_count), one => readShownCount(one.play_count_reduced)],
};

/** More objects than the feedback on one post is ever spread over. */
const MAX_NODES = 200;

/** Reads all objects that speak of one post; what none of them says is null. */
export function readCounts(nodes: readonly JsonObject[]): Stats {
  const all = nodes.slice(0, MAX_NODES);
  const stats: Record<keyof Stats, number | null> = { ...NO_STATS };
  for (const key of ['likes', 'comments', 'shares', 'views', 'plays'] as const) {
    for (const read of READINGS[key] ?? []) {
      if (stats[key] === null) stats[key] = all.map(read).find(value => value !== null) ?? null;
    }
  }
  return stats;
}
