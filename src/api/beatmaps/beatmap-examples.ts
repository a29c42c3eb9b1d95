/** Example answers for the reference, with made-up songs and people. A test checks them against the schemas. */
import examples from './beatmap-examples.json' with { type: 'json' };

const { cursor, beatmap, set, score, user, download, recommendation } = examples;
const beatmapset = { ...set, beatmaps: [beatmap] };

export const SEARCH_EXAMPLE = { beatmapsets: [beatmapset], total: 1, cursor: null };
export const USER_BEATMAPS_EXAMPLE = {
  beatmapsets: [{ ...beatmapset, count: 214, beatmap_id: beatmap.id }],
  cursor,
};
export const SCORES_EXAMPLE = {
  scores: [{ ...score, beatmap: { ...beatmap, convert: false }, beatmapset: set }],
  cursor,
};
export const USER_EXAMPLE = { user };
export const DOWNLOAD_EXAMPLE = download;
export const RECOMMEND_EXAMPLE = { recommendations: [{ beatmap, beatmapset: set, ...recommendation }] };
