/**
 * Beatmapsets and beatmaps as the official API v2 and the mirrors that imitate it write them (recorded 2026-07, mirrors
 * 2023-08 to 2026-09). One reader for all of them.
 */
import * as z from 'zod';
import { mapInTurns } from '../../infra/concurrency/map-in-turns.ts';
import { type Beatmap, type Beatmapset, orderBeatmaps } from './beatmapset.ts';
import { date, flag, id, list, name, number, part, ruleset, status, text } from './osu-fields.ts';

const MAX_TAGS = 4_000;
/** osu! allows half as many in a set. */
const MAX_BEATMAPS = 256;
const MAX_OWNERS = 32;

const owner = z
  .looseObject({ id, username: name })
  .transform(({ id, username }) => (id === null || username === null ? [] : [{ id, username }]));

const beatmapShape = z.looseObject({
  id,
  beatmapset_id: id,
  mode: ruleset,
  mode_int: ruleset,
  status,
  ranked: status,
  version: name,
  difficulty_rating: number,
  total_length: number,
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
  deleted_at: text,
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

const setShape = z.looseObject({
  id,
  artist: name,
  artist_unicode: name,
  title: name,
  title_unicode: name,
  creator: name,
  user_id: id,
  source: name,
  tags: text,
  status,
  ranked: status,
  bpm: number,
  favourite_count: number,
  play_count: number,
  rating: number,
  nsfw: flag,
  spotlight: flag,
  video: flag,
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

/** A difficulty as it was played. */
export interface PlayedMap extends Beatmap {
  /** One of osu! that was played in another ruleset; osu! gives it with that as `mode`, and with its stars there. Default false. */
  readonly convert?: boolean;
}

type RawBeatmap = z.output<typeof beatmapShape>;
type RawSet = z.output<typeof setShape>;

function toBeatmap(raw: RawBeatmap, set: Pick<RawSet, 'id' | 'status' | 'ranked'> | null): Beatmap | undefined {
  const beatmapset_id = raw.beatmapset_id ?? set?.id ?? null;
  if (raw.id === null || beatmapset_id === null) return undefined;
  return {
    id: raw.id,
    beatmapset_id,
    mode: raw.mode ?? raw.mode_int ?? 'osu',
    status: raw.status ?? raw.ranked ?? set?.status ?? set?.ranked ?? 'pending',
    version: raw.version ?? '',
    difficulty_rating: raw.difficulty_rating ?? 0,
    total_length: raw.total_length ?? 0,
    hit_length: raw.hit_length,
    bpm: raw.bpm,
    ar: raw.ar,
    od: raw.accuracy,
    cs: raw.cs,
    hp: raw.drain,
    max_combo: raw.max_combo,
    count_circles: raw.count_circles,
    count_sliders: raw.count_sliders,
    count_spinners: raw.count_spinners,
    playcount: raw.playcount,
    passcount: raw.passcount,
    checksum: raw.checksum,
    owners: raw.owners.flat(),
    user_id: raw.user_id,
  };
}

/** Upstreams write some addresses without a scheme. */
function httpsUrl(address: string | null | undefined, otherwise: string): string {
  const whole = address?.startsWith('//') === true ? `https:${address}` : address;
  return whole?.startsWith('https://') === true ? whole : otherwise;
}

function imageUrls(setId: number, given: z.output<typeof covers> | null) {
  const folder = `https://assets.ppy.sh/beatmaps/${setId}/covers`;
  return {
    cover_url: httpsUrl(given?.['cover@2x'] ?? given?.cover, `${folder}/cover@2x.jpg`),
    card_url: httpsUrl(given?.['card@2x'] ?? given?.card, `${folder}/card@2x.jpg`),
    list_url: httpsUrl(given?.['list@2x'] ?? given?.list, `${folder}/list@2x.jpg`),
  };
}

function toBeatmapset(raw: RawSet): Beatmapset | undefined {
  const { id: setId } = raw;
  const title = raw.title ?? raw.title_unicode;
  if (setId === null || title === null) return undefined;
  // A convert is the same beatmap played in another ruleset, not one of the set's difficulties.
  const own = raw.beatmaps.filter(({ convert }) => convert !== true);
  const beatmaps = own.flatMap(each => toBeatmap(each, raw) ?? []);
  return {
    id: setId,
    artist: raw.artist ?? raw.artist_unicode ?? '',
    artist_unicode: raw.artist_unicode,
    title,
    title_unicode: raw.title_unicode,
    creator: raw.creator ?? '',
    user_id: raw.user_id,
    source: raw.source ?? '',
    tags: (raw.tags ?? '').slice(0, MAX_TAGS),
    status: raw.status ?? raw.ranked ?? beatmaps[0]?.status ?? 'pending',
    bpm: raw.bpm ?? beatmaps[0]?.bpm ?? null,
    favourite_count: raw.favourite_count,
    play_count: raw.play_count,
    rating: raw.rating,
    nsfw: raw.nsfw ?? false,
    video: raw.video ?? false,
    storyboard: raw.storyboard ?? false,
    genre_id: raw.genre_id ?? raw.genre?.id ?? null,
    language_id: raw.language_id ?? raw.language?.id ?? null,
    submitted_date: raw.submitted_date,
    last_updated: raw.last_updated,
    ranked_date: raw.ranked_date,
    download_disabled: raw.availability?.download_disabled ?? false,
    download_disabled_reason: raw.availability?.more_information ?? null,
    spotlight: raw.spotlight,
    ...imageUrls(setId, raw.covers),
    preview_url: httpsUrl(raw.preview_url, `https://b.ppy.sh/preview/${setId}.mp3`),
    beatmaps: orderBeatmaps(beatmaps),
  };
}

/** A beatmapset, or undefined when the value is none: without an id or a title. Converts are left out. */
export function parseBeatmapset(value: unknown): Beatmapset | undefined {
  const raw = setShape.safeParse(value);
  return raw.success ? toBeatmapset(raw.data) : undefined;
}

/** One difficulty; undefined when the value is none. */
export function parseBeatmap(value: unknown): Beatmap | undefined {
  const raw = beatmapShape.safeParse(value);
  return raw.success ? toBeatmap(raw.data, null) : undefined;
}

/** The difficulty of a play; undefined when the value is none. */
export function parsePlayedMap(value: unknown): PlayedMap | undefined {
  const raw = beatmapShape.safeParse(value);
  const beatmap = raw.success ? toBeatmap(raw.data, null) : undefined;
  return beatmap && raw.data?.convert === true ? { ...beatmap, convert: true } : beatmap;
}

/** Readable sets of a list, in its order; undefined when it is no list, or a list in which nothing can be read. */
export async function parseBeatmapsets(value: unknown): Promise<readonly Beatmapset[] | undefined> {
  if (!Array.isArray(value)) return undefined;
  const sets = (await mapInTurns(value, parseBeatmapset)).flatMap(set => set ?? []);
  return sets.length === 0 && value.length > 0 ? undefined : sets;
}
