import type { Beatmap, Beatmapset, Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { setPage, userPage } from '../../../beatmaps/model/link.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { SetAnswer } from '../../../beatmaps/set-lookup.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { starSwatch } from '../../cards/star-colour.ts';
import type { Action, Block, PictureBlock, Reply, Text } from '../../contract/reply.ts';
import {
  button,
  headingBlock,
  joined,
  link,
  listed,
  menu,
  reply,
  stacked,
  strong,
  textBlock,
} from '../../contract/reply-parts.ts';
import {
  bpmText,
  coverOf,
  keysText,
  knownFields,
  lengthOfSet,
  moment,
  originBlocks,
  ppText,
  ratedStars,
  setName,
  setTitle,
  stateOf,
} from './facts.ts';
import { estimateBlocks } from './score.ts';

export interface BeatmapInfoView extends SetAnswer {
  /** The requested difficulty; undefined when a whole set was requested. */
  readonly beatmap: Beatmap | undefined;
  /** The requested ruleset, if it differs from the difficulty's own; its rating is then for this ruleset. */
  readonly convertedTo?: Ruleset | undefined;
  /** The mods that change the shown settings, lengths and tempo. */
  readonly mods: readonly string[];
  /** Ratings with these mods, by the difficulty's id; other difficulties show osu!'s rating without mods. */
  readonly ratings: ReadonlyMap<number, Rating>;
  readonly picture?: PictureBlock | undefined;
  /** The token of the button to the download addresses. */
  readonly downloadToken: string;
  /** Makes the token of a button that opens a difficulty of the set with the mods of this view. */
  openToken(mapId: number): string;
  /** Buttons that show plays on the map. */
  readonly plays: readonly Action[];
}

/** The most difficulties that are listed; further ones are only counted. */
export const MAX_LINES = 16;

/** Renders a set with its difficulties, or one difficulty with its set. */
export function renderBeatmapInfo(view: BeatmapInfoView, t: Translator): Reply {
  const { set, beatmap, mods, ratings, downloadToken } = view;
  const rating = beatmap && ratings.get(beatmap.id);
  const words = t.messages.osu;
  const worths = (rating?.pp ?? []).map(({ accuracy, pp }) => {
    return { label: t.percent(accuracy / 100, 1), value: [ppText(pp, t)] };
  });
  const others = set.beatmaps.filter(each => each !== beatmap);
  const choices = others.slice(0, MAX_LINES).map(each => ({
    label: each.version,
    detail: ratedStars(ratingOf(each, view), t),
    token: view.openToken(each.id),
  }));
  const cover = coverOf(set, set.cover_url);
  const page = setPage(set.id, beatmap && { id: beatmap.id, mode: view.convertedTo ?? beatmap.mode });
  return reply({
    blocks: [
      ...(cover ? [cover] : []),
      headingBlock(setTitle(set)),
      ...nativeName(set),
      ...originBlocks(view, t),
      ...(mods.length === 0 ? [] : [textBlock([words.withMods({ mods: mods.join('') })])]),
      { kind: 'fields', fields: setFields(set, beatmap, t) },
      ...(beatmap === undefined ? [] : focusBlocks(beatmap, view, t)),
      ...(worths.length === 0 ? [] : [{ kind: 'fields', fields: worths } as const]),
      ...(view.picture === undefined ? [] : [view.picture]),
      ...difficultyBlocks(others, view, t),
      ...estimateBlocks([...ratings.values()], t),
      { kind: 'sound', url: set.preview_url, label: words.preview },
    ],
    actions: [
      { kind: 'link', label: words.openAtOsu, url: page },
      ...(set.download_disabled ? [] : [button(words.download, downloadToken, 'primary')]),
      ...view.plays,
      ...menu(words.openDifficulty, choices),
    ],
  });
}

/** Artist and title in their own script, if they differ from the romanised ones. */
function nativeName(set: Beatmapset): readonly Block[] {
  const { artist, artist_unicode, title, title_unicode } = set;
  const own = setName({ artist: artist_unicode ?? artist, title: title_unicode ?? title });
  return own === setName(set) ? [] : [textBlock([own])];
}

/**
 * The date to show for a set, and the date's name. For a qualified or loved set, osu! states in `ranked_date` when the
 * set became qualified or loved.
 */
function setDate({ status, ranked_date, last_updated }: Beatmapset, t: Translator) {
  const { fields, statuses } = t.messages.osu;
  const isRanked = status === 'ranked' || status === 'approved';
  if (ranked_date === null || (!isRanked && status !== 'qualified' && status !== 'loved'))
    return { name: fields.updated, date: last_updated };
  const word = statuses[status];
  return {
    name: isRanked ? fields.ranked : word.charAt(0).toLocaleUpperCase(t.locale) + word.slice(1),
    date: ranked_date,
  };
}

function setFields(set: Beatmapset, focus: Beatmap | undefined, t: Translator) {
  const words = t.messages.osu.fields;
  // The tempo of the requested difficulty is already changed by its mods.
  const bpm = focus?.bpm ?? set.bpm;
  const { creator, user_id, favourite_count, play_count } = set;
  const { name, date: at } = setDate(set, t);
  const date = moment(at, 'date');
  return knownFields([
    [words.mapper, [user_id === null ? creator : link(userPage(user_id), creator)]],
    [words.status, stateOf(set, t)],
    [name, date && [date]],
    [words.length, lengthOfSet(set, t)],
    [words.bpm, bpm === null ? undefined : t.decimal(bpm, 1)],
    [words.favourites, favourite_count === null ? undefined : t.number(favourite_count)],
    [words.plays, play_count === null ? undefined : t.number(play_count)],
    [words.source, set.source],
  ]);
}

/** The details of the requested difficulty. */
function focusBlocks(beatmap: Beatmap, view: BeatmapInfoView, t: Translator): readonly Block[] {
  const words = t.messages.osu;
  const { count_circles, count_sliders, count_spinners, mode } = beatmap;
  const rating = ratingOf(beatmap, view);
  const max_combo = (view.convertedTo === undefined ? beatmap.max_combo : null) ?? rating.maxCombo;
  const counts = [count_circles, count_sliders, count_spinners].filter(count => count !== null);
  const objects = counts.reduce((sum, count) => sum + count, 0);
  return [
    { kind: 'divider' },
    headingBlock([starSwatch(rating.stars), ` ${beatmap.version}`]),
    textBlock(
      joined([
        [strong(ratedStars(rating, t))],
        words.modes[view.convertedTo ?? mode],
        ownersText(beatmap, view.set, t),
        settingsText(beatmap, t),
      ]),
    ),
    textBlock(
      joined([
        t.duration(beatmap.total_length * 1000),
        bpmText(beatmap.bpm, t),
        max_combo === null ? undefined : words.combo({ shown: t.number(max_combo) }),
        counts.length === 0 ? undefined : words.objects({ n: objects, shown: t.number(objects) }),
      ]),
    ),
  ];
}

type Shown = Pick<Rating, 'stars' | 'isEstimate' | 'maxCombo'>;

/** The difficulty's rating with the requested mods; if that is not known, osu!'s rating without mods. */
function ratingOf(beatmap: Beatmap, { ratings }: Pick<BeatmapInfoView, 'ratings'>): Shown {
  return ratings.get(beatmap.id) ?? { stars: beatmap.difficulty_rating, isEstimate: false, maxCombo: null };
}

/** The mappers of a difficulty, if they are not the mapper of the set. */
function ownersText({ owners }: Beatmap, { creator, user_id }: Beatmapset, t: Translator): Text | undefined {
  const isOwn = owners.every(({ id, username }) => id === user_id || username === creator);
  if (owners.length === 0 || isOwn) return undefined;
  const named = owners.map(({ id, username }) => link(userPage(id), username));
  return [t.messages.osu.by, ' ', ...listed(named, t)];
}

/** A text such as `AR 9.3 OD 8.5 CS 4 HP 6`; mania has keys instead of CS, and no AR. */
export function settingsText({ ar, od, cs, hp, mode }: Beatmap, t: Translator): string {
  const isMania = mode === 'mania';
  const shown = [
    ['AR', isMania || mode === 'taiko' ? null : ar],
    ['OD', od],
    ['CS', isMania || mode === 'taiko' ? null : cs],
    ['HP', hp],
  ] as const;
  const keys = isMania && cs !== null ? [keysText(cs, t)] : [];
  const values = shown.flatMap(([name, value]) => (value === null ? [] : [`${name} ${t.decimal(value, 1)}`]));
  return [...keys, ...values].join(' ');
}

function difficultyBlocks(others: readonly Beatmap[], view: BeatmapInfoView, t: Translator): readonly Block[] {
  if (others.length === 0) return [];
  const words = t.messages.osu;
  const shown = others.slice(0, MAX_LINES);
  const lines = shown.map(beatmap => difficultyLine(beatmap, view, t));
  const left = others.length - shown.length;
  return [
    { kind: 'divider' },
    headingBlock([view.beatmap === undefined ? words.difficultiesTitle : words.otherDifficulties]),
    textBlock(stacked([...lines, left > 0 ? [words.moreDifficulties({ n: left })] : []])),
  ];
}

function difficultyLine(beatmap: Beatmap, view: BeatmapInfoView, t: Translator): Text {
  const { set } = view;
  const words = t.messages.osu;
  const { version, mode, bpm, max_combo } = beatmap;
  const isMixed = new Set(set.beatmaps.map(each => each.mode)).size > 1;
  const rating = ratingOf(beatmap, view);
  return [
    starSwatch(rating.stars),
    ' ',
    ...joined([
      [strong({ ...link(setPage(set.id, beatmap), version), token: view.openToken(beatmap.id) })],
      ratedStars(rating, t),
      isMixed ? words.modes[mode] : undefined,
      ownersText(beatmap, set, t),
      settingsText(beatmap, t),
      t.duration(beatmap.total_length * 1000),
      bpm === set.bpm ? undefined : bpmText(bpm, t),
      max_combo === null ? undefined : words.combo({ shown: t.number(max_combo) }),
    ]),
  ];
}
