/**
 * Reads beatmapsets and beatmaps of the official API v2 and of the mirrors that imitate it (recorded in 2026-07,
 * mirrors from 2023-08 to 2026-09).
 */
import * as z from 'zod';
import { mapInTurns } from '../../infra/concurrency/map-in-turns.ts';
import { type Beatmap, type Beatmapset, orderBeatmaps } from './beatmapset.ts';
import {
  date,
  flag,
  httpsUrl,
  id,
  isSet,
  list,
  name,
  nameOrEmpty,
  number,
  numberOrZero,
  part,
  ruleset,
  status,
  text,
} from './osu-fields.ts';

const MAX_TAGS = 4_000;
/** The most difficulties that are read, twice as many as osu! allows in a set. */
const MAX_BEATMAPS = 256;
const MAX_OWNERS = 32;
const MAX_RATING = 10;

const owner = z
  .looseObject({ id, username: name })
  .transform(({ id, username }) => (id === null || username === null ? [] : [{ id, username }]));

const beatmapShape = z.object({
  id,
  beatmapset_id: id,
  mode: ruleset,
  mode_int: ruleset,
  status,
  ranked: status,
  version: nameOrEmpty,
  difficulty_rating: numberOrZero,
  total_length: numberOrZero,
  hit_length: number,
  bpm: number,
  ar: number,
  accuracy: number,
  cs: number,
  drain: number,
  max_combo: number,
  count_circles: number,
  count_sliders: number,
  count_spinners: number,
  playcount: number,
  passcount: number,
  checksum: text,
  convert: flag,
  deleted_at: date,
  owners: list(owner, MAX_OWNERS),
  user_id: id,
});

const covers = z.looseObject({
  cover: text,
  card: text,
  list: text,
  'cover@2x': text,
  'card@2x': text,
  'list@2x': text,
});
const identified = z.looseObject({ id: number });

const setShape = z.object({
  id,
  artist: name,
  artist_unicode: name,
  title: name,
  title_unicode: name,
  creator: nameOrEmpty,
  user_id: id,
  source: nameOrEmpty,
  tags: text,
  status,
  ranked: status,
  bpm: number,
  favourite_count: number,
  play_count: number,
  rating: number,
  /** How many players gave each of the ratings from 0 to 10. Most answers that lack the `rating` have these. */
  ratings: list(z.number().nonnegative(), MAX_RATING + 1),
  nsfw: isSet,
  spotlight: flag,
  video: isSet,
  storyboard: flag,
  genre_id: number,
  genre: part(identified),
  language_id: number,
  language: part(identified),
  submitted_date: date,
  last_updated: date,
  ranked_date: date,
  availability: part(z.looseObject({ download_disabled: flag, more_information: text })),
  covers: part(covers),
  preview_url: text,
  beatmaps: list(beatmapShape, MAX_BEATMAPS),
});

/** A difficulty as it was played, perhaps in another ruleset than its own. */
export interface PlayedMap extends Beatmap {
  /** True for a map of osu! played in another ruleset; `mode` and stars are then of that ruleset. Default false. */
  readonly convert?: boolean;
}

type RawBeatmap = z.output<typeof beatmapShape>;
type RawSet = z.output<typeof setShape>;

function toBeatmap(raw: RawBeatmap, set: Pick<RawSet, 'id' | 'status' | 'ranked'> | null): Beatmap | undefined {
  const beatmapset_id = raw.beatmapset_id ?? set?.id ?? null;
  if (raw.id === null || beatmapset_id === null) return undefined;
  const { mode_int, ranked, convert: _, deleted_at: __, accuracy, drain, ...fields } = raw;
  return {
    ...fields,
    id: raw.id,
    beatmapset_id,
    mode: raw.mode ?? mode_int ?? 'osu',
    status: raw.status ?? ranked ?? set?.status ?? set?.ranked ?? 'pending',
    od: accuracy,
    hp: drain,
    owners: raw.owners.flat(),
  };
}

function imageUrls(setId: number, given: z.output<typeof covers> | null) {
  const folder = `https://assets.ppy.sh/beatmaps/${setId}/covers`;
  return {
    cover_url: httpsUrl(given?.['cover@2x'] ?? given?.cover) ?? `${folder}/cover@2x.jpg`,
    card_url: httpsUrl(given?.['card@2x'] ?? given?.card) ?? `${folder}/card@2x.jpg`,
    list_url: httpsUrl(given?.['list@2x'] ?? given?.list) ?? `${folder}/list@2x.jpg`,
  };
}

function toBeatmapset(raw: RawSet): Beatmapset | undefined {
  const { ranked, ratings, genre, language, availability, covers: images, beatmaps: rows, ...fields } = raw;
  const setId = raw.id;
  const title = raw.title ?? raw.title_unicode;
  if (setId === null || title === null) return undefined;
  // A convert is a difficulty of the set in another ruleset, so it is not listed as one more.
  const own = rows.filter(({ convert }) => convert !== true);
  // Some answers still list removed difficulties. If an answer lists no others, the whole set was removed, and its
  // removed difficulties are used.
  const present = own.filter(({ deleted_at }) => deleted_at === null);
  const beatmaps = (present.length > 0 ? present : own).flatMap(each => toBeatmap(each, raw) ?? []);
  return {
    ...fields,
    id: setId,
    artist: raw.artist ?? raw.artist_unicode ?? '',
    title,
    tags: (raw.tags ?? '').slice(0, MAX_TAGS),
    status: raw.status ?? ranked ?? beatmaps[0]?.status ?? 'pending',
    bpm: raw.bpm ?? beatmaps[0]?.bpm ?? null,
    rating: raw.rating ?? averageOf(ratings),
    genre_id: raw.genre_id ?? genre?.id ?? null,
    language_id: raw.language_id ?? language?.id ?? null,
    download_disabled: availability?.download_disabled ?? null,
    download_disabled_reason: availability?.more_information ?? null,
    ...imageUrls(setId, images),
    preview_url: httpsUrl(raw.preview_url) ?? `https://b.ppy.sh/preview/${setId}.mp3`,
    beatmaps: orderBeatmaps(beatmaps),
  };
}

/** The average rating, with five decimals as osu! states it; null for a set without ratings. */
function averageOf(ratings: readonly number[]): number | null {
  const players = ratings.reduce((sum, count) => sum + count, 0);
  const total = ratings.reduce((sum, count, rating) => sum + count * rating, 0);
  return players === 0 ? null : Number((total / players).toFixed(5));
}

/** A beatmapset without converts; undefined when the value has no id or no title. */
export function parseBeatmapset(value: unknown): Beatmapset | undefined {
  const raw = setShape.safeParse(value).data;
  return raw && toBeatmapset(raw);
}

/** Reads one difficulty; undefined when the value is no difficulty. */
export function parseBeatmap(value: unknown): Beatmap | undefined {
  const raw = beatmapShape.safeParse(value).data;
  return raw && toBeatmap(raw, null);
}

/** Reads the difficulty of a play; undefined when the value is no difficulty. */
export function parsePlayedMap(value: unknown): PlayedMap | undefined {
  const raw = beatmapShape.safeParse(value).data;
  const beatmap = raw && toBeatmap(raw, null);
  return beatmap && raw.convert === true ? { ...beatmap, convert: true } : beatmap;
}

/** The sets in a list, in order, without unreadable ones; undefined when it is no list, or no set can be read. */
export async function parseBeatmapsets(value: unknown): Promise<readonly Beatmapset[] | undefined> {
  if (!Array.isArray(value)) return undefined;
  const sets = (await mapInTurns(value, parseBeatmapset)).flatMap(set => set ?? []);
  return sets.length === 0 && value.length > 0 ? undefined : sets;
}
