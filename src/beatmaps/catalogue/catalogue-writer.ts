import * as z from 'zod';
import type { Store } from '../../infra/store/store.ts';
import { type Beatmapset, hasLeaderboard, starRange, statusNumber } from '../model/beatmapset.ts';
import { dateMs, yearOf } from '../query/query-match.ts';
import { foldText } from '../query/query-text.ts';
import { writeCandidates } from './candidates.ts';
import { figureWords } from './figure-words.ts';
import { packFigures } from './map-figures.ts';
import { mergeSets, packBody, parseBody, renderBody, unpackBody } from './set-body.ts';

/** The bound of sets' ids, which keeps ranks below 2^31. osu! is far from it (2.6 million in 2026-07). */
const MAX_ID = 2 ** 23;
const RANK_STEPS = 256;
/**
 * A set twice as popular is this many steps of rank ahead: so few that small changes of popularity rarely change a
 * rank.
 */
const STEPS_PER_DOUBLING = 9;
/** A favourite counts as much as this many plays. */
const PLAYS_PER_FAVOURITE = 20;

/** The rank of a set: lowest for the most popular one, and different for each set. */
function rankOf({
  id,
  play_count,
  favourite_count,
}: Pick<Beatmapset, 'id' | 'play_count' | 'favourite_count'>): number {
  const popularity = 1 + (play_count ?? 0) + PLAYS_PER_FAVOURITE * (favourite_count ?? 0);
  const step = Math.min(RANK_STEPS - 1, Math.floor(Math.log2(Math.max(1, popularity)) * STEPS_PER_DOUBLING));
  return (RANK_STEPS - 1 - step) * MAX_ID + id;
}

const KnownRow = z.object({ rank: z.number(), body: z.instanceof(Uint8Array) });

const SET_COLUMNS = [
  ...['rank', 'id', 'artist', 'title', 'creator', 'status', 'min_stars', 'max_stars', 'plays', 'favourites', 'rating'],
  ...['genre', 'language', 'video', 'nsfw', 'created', 'updated', 'ranked', 'year', 'figures'],
];
const INSERT_SET = `INSERT INTO catalogue_sets (${SET_COLUMNS.join(', ')}) VALUES (${SET_COLUMNS.map(() => '?').join(', ')})`;
const INSERT_MAP = 'INSERT OR REPLACE INTO catalogue_maps (id, set_id) VALUES (?, ?)';
const INSERT_TEXT =
  'INSERT INTO catalogue_text (rowid, artist, title, creator, source, tags, versions) VALUES (?, ?, ?, ?, ?, ?, ?)';

/**
 * Stores sets with different ids; to be called in a transaction. Fields that a set does not state stay as they were.
 * Sets are inserted in the order of their ranks, because a text index writes a separate piece to the disk for each row
 * whose number is not above all earlier ones.
 * @returns the texts that are new to the index, folded by `foldText` (lower case, without accents)
 */
export function writeSets(store: Store, sets: readonly Beatmapset[]): readonly string[] {
  const changes = sets.flatMap(set => changeOf(store, set) ?? []).sort((a, b) => a.rank - b.rank);
  for (const change of changes) removeKnown(store, change);
  for (const { set, rank, texts, figures, isIndexed, hasFigures } of changes) {
    insertSet(store, set, rank);
    if (!isIndexed) {
      store.run(INSERT_TEXT, [rank, ...texts]);
      store.run('INSERT INTO catalogue_names (rowid, names) VALUES (?, ?)', [rank, texts.slice(0, 3).join(' ')]);
    }
    if (!hasFigures) store.run('INSERT INTO catalogue_figures (rowid, words) VALUES (?, ?)', [rank, figures]);
  }
  // Tables that are ordered by set id are written in the order of set ids, because rows are then added only at their
  // ends.
  for (const { set, before, body } of changes.toSorted((a, b) => a.set.id - b.set.id)) {
    store.run('INSERT OR REPLACE INTO catalogue_bodies (id, body) VALUES (?, ?)', [set.id, body]);
    for (const map of set.beatmaps) store.run(INSERT_MAP, [map.id, set.id]);
    writeCandidates(store, before?.set, set);
  }
  return changes.flatMap(({ texts, isIndexed }) => (isIndexed ? [] : texts));
}

type Change = NonNullable<ReturnType<typeof changeOf>>;

function removeKnown(store: Store, { set, before, isIndexed, hasFigures }: Change): void {
  if (before === undefined) return;
  store.run('DELETE FROM catalogue_sets WHERE rank = ?', [before.rank]);
  const kept = new Set(set.beatmaps.map(map => map.id));
  for (const { id } of before.set?.beatmaps ?? []) {
    if (!kept.has(id)) store.run('DELETE FROM catalogue_maps WHERE id = ? AND set_id = ?', [id, set.id]);
  }
  if (!isIndexed) {
    store.run('DELETE FROM catalogue_text WHERE rowid = ?', [before.rank]);
    store.run('DELETE FROM catalogue_names WHERE rowid = ?', [before.rank]);
  }
  if (!hasFigures) store.run('DELETE FROM catalogue_figures WHERE rowid = ?', [before.rank]);
}

/** The change needed to store a set; undefined when there is nothing new or nothing to store. */
function changeOf(store: Store, fresh: Beatmapset) {
  if (fresh.beatmaps.length === 0 || fresh.id >= MAX_ID) return undefined;
  const row = store.get(
    'SELECT s.rank, b.body FROM catalogue_sets s JOIN catalogue_bodies b ON b.id = s.id WHERE s.id = ?',
    [fresh.id],
    KnownRow,
  );
  const knownText = row && unpackBody(row.body);
  const known = knownText === undefined ? undefined : parseBody(knownText);
  const set = known === undefined ? fresh : mergeSets(known, fresh);
  const text = renderBody(set);
  if (known !== undefined && text === knownText) return undefined;
  const rank = rankOf(set);
  const texts = textsOf(set);
  const isIndexed = row?.rank === rank && known !== undefined && textsOf(known).join('\n') === texts.join('\n');
  const figures = figureWords(set);
  const hasFigures = row?.rank === rank && known !== undefined && figureWords(known) === figures;
  return {
    ...{ set, body: packBody(text), rank, texts, figures },
    /** The stored row; it has no set if an older version of Medley stored it in another shape. */
    before: row && { rank: row.rank, set: known },
    /** True when the set's texts are in the text index already, at this rank. */
    isIndexed,
    /** True when the index of numbers such as stars has the set at this rank already. */
    hasFigures,
  };
}

function insertSet(store: Store, set: Beatmapset, rank: number): void {
  const stars = starRange(set);
  store.run(INSERT_SET, [
    ...[rank, set.id, set.artist, set.title, set.creator, statusNumber(set.status)],
    ...[stars?.min ?? null, stars?.max ?? null, set.play_count, set.favourite_count, set.rating],
    ...[set.genre_id, set.language_id, Number(set.video), Number(set.nsfw)],
    ...[dateMs(set.submitted_date), dateMs(set.last_updated), hasLeaderboard(set) ? dateMs(set.ranked_date) : null],
    ...[yearOf(set), packFigures(set)],
  ]);
}

/** The texts of a set, in the order of the text index's columns. */
function textsOf(set: Beatmapset): readonly string[] {
  const owners = set.beatmaps.flatMap(beatmap => beatmap.owners.map(owner => owner.username));
  return [
    foldBoth(set.artist, set.artist_unicode),
    foldBoth(set.title, set.title_unicode),
    foldText([...new Set([set.creator, ...owners])].join(' ')),
    foldText(set.source),
    foldText(set.tags),
    foldText(set.beatmaps.map(beatmap => beatmap.version).join(' ')),
  ];
}

function foldBoth(latin: string, unicode: string | null): string {
  return foldText(unicode === null || unicode === latin ? latin : `${latin} ${unicode}`);
}

/** How many pages of a text index are merged in one step of about 10 ms. */
const MERGED_AT_ONCE = 64;
const TotalRow = z.object({ total: z.number() });

/** Merges the pieces of the text indexes, which makes them faster to read, one step per call. */
export function* tidySteps(store: Store): Generator<void> {
  const total = () => store.get('SELECT total_changes() AS total', [], TotalRow)?.total ?? 0;
  for (const index of ['catalogue_text', 'catalogue_names', 'catalogue_figures']) {
    // A negative number of pages begins a merge, positive ones continue it.
    for (let pages = -MERGED_AT_ONCE, merged = 2; merged > 1; pages = MERGED_AT_ONCE) {
      const before = total();
      store.run(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`, [pages]);
      // SQLite counts the merge command itself as one change, so fewer than two mean that nothing was merged.
      merged = total() - before;
      yield;
    }
  }
}
