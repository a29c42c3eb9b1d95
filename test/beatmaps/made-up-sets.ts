/** Sets of made-up artists and mappers. */
import type { Beatmap, Beatmapset } from '../../src/beatmaps/model/beatmapset.ts';

export function madeUpBeatmap(fields: Partial<Beatmap> = {}): Beatmap {
  return {
    id: 9_001,
    beatmapset_id: 901,
    mode: 'osu',
    status: 'ranked',
    version: 'Insane',
    difficulty_rating: 5.2,
    total_length: 180,
    hit_length: 170,
    bpm: 180,
    ar: 9,
    od: 8,
    cs: 4,
    hp: 5,
    max_combo: 900,
    count_circles: 400,
    count_sliders: 200,
    count_spinners: 1,
    playcount: 10_000,
    passcount: 2_000,
    checksum: null,
    owners: [],
    user_id: 77,
    ...fields,
  };
}

export function madeUpSet(fields: Partial<Beatmapset> = {}): Beatmapset {
  const id = fields.id ?? 901;
  return {
    id,
    artist: 'Paper Lanterns',
    artist_unicode: null,
    title: 'Kite Season',
    title_unicode: null,
    creator: 'Mappy McMapface',
    user_id: 77,
    source: '',
    tags: '',
    status: 'ranked',
    bpm: 180,
    favourite_count: 100,
    play_count: 10_000,
    rating: 9.1,
    nsfw: false,
    video: false,
    storyboard: false,
    genre_id: 10,
    language_id: 5,
    submitted_date: '2019-03-01T10:00:00Z',
    last_updated: '2020-04-20T10:00:00Z',
    ranked_date: '2020-05-04T10:00:00Z',
    download_disabled: false,
    download_disabled_reason: null,
    spotlight: null,
    cover_url: `https://assets.ppy.sh/beatmaps/${id}/covers/cover.jpg`,
    card_url: `https://assets.ppy.sh/beatmaps/${id}/covers/card.jpg`,
    list_url: `https://assets.ppy.sh/beatmaps/${id}/covers/list.jpg`,
    preview_url: `https://b.ppy.sh/preview/${id}.mp3`,
    beatmaps: [madeUpBeatmap({ id: id * 10, beatmapset_id: id })],
    ...fields,
  };
}
