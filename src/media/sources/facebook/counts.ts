/** Counts of one post, from the feedback objects that carry its id. Pure. */
import { z } from 'zod';
import { count, objectOf, text } from '../../parse/fields.ts';
import type { JsonObject } from '../../parse/json-search.ts';
import { NO_STATS, type Stats } from '../../post.ts';

const MULTIPLES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['K', 1e3],
  ['M', 1e6],
  ['B', 1e9],
]);

/** `1,234` exactly, `4.7K` as 4700: the site's short form is a rounded number. Null for anything else. */
function parseCount(shown: string | null): number | null {
  const match =
    shown === null ? null : /^(\d{1,3}(?:,\d{3}){1,4}|\d{1,15}(?:\.\d{1,3})?)\s?([KMB]?)$/i.exec(shown.trim());
  if (match === null) return null;
  const number = Number((match[1] ?? '').replaceAll(',', '')) * (MULTIPLES.get((match[2] ?? '').toUpperCase()) ?? 1);
  return Number.isFinite(number) ? Math.round(number) : null;
}

const counted = z.union([count.pipe(z.number()), objectOf({ count, total_count: count })]).catch(null);
const summary = objectOf({ comments: objectOf({ total_count: count, count }) });

const feedback = z.object({
  reaction_count: counted,
  unified_reactors: counted,
  reactors: counted,
  i18n_reaction_count: text,
  likers: counted,
  total_comment_count: count,
  comment_count: counted,
  i18n_comment_count: text,
  comment_rendering_instance: summary,
  share_count: counted,
  i18n_share_count: text,
  share_count_reduced: text,
  video_view_count: count,
  video_post_view_count: count,
  play_count: count,
  play_count_reduced: text,
});
type Feedback = z.infer<typeof feedback>;

function numberOf(value: Feedback['likers']): number | null {
  if (value === null || typeof value === 'number') return value;
  return value.total_count ?? value.count;
}

/** Ways to read each count; an exact one of any object is better than a rounded one of another. */
const READINGS: Readonly<Partial<Record<keyof Stats, readonly ((one: Feedback) => number | null)[]>>> = {
  likes: [
    one => numberOf(one.reaction_count),
    one => numberOf(one.unified_reactors),
    one => numberOf(one.reactors),
    one => parseCount(one.i18n_reaction_count),
    one => numberOf(one.likers),
  ],
  comments: [
    one => one.total_comment_count,
    one => numberOf(one.comment_count),
    one => one.comment_rendering_instance?.comments?.total_count ?? null,
    one => parseCount(one.i18n_comment_count),
  ],
  shares: [
    one => numberOf(one.share_count),
    one => parseCount(one.i18n_share_count),
    one => parseCount(one.share_count_reduced),
  ],
  views: [one => one.video_view_count, one => one.video_post_view_count],
  plays: [one => one.play_count, one => parseCount(one.play_count_reduced)],
};

/** Reads all objects that speak of one post; what none of them says is null. */
export function readCounts(nodes: readonly JsonObject[]): Stats {
  const all = nodes.flatMap(node => {
    const result = feedback.safeParse(node);
    return result.success ? [result.data] : [];
  });
  const stats: Record<keyof Stats, number | null> = { ...NO_STATS };
  for (const key of ['likes', 'comments', 'shares', 'views', 'plays'] as const) {
    for (const read of READINGS[key] ?? []) stats[key] ??= all.map(read).find(value => value !== null) ?? null;
  }
  return stats;
}
