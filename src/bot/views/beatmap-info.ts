import type { SetAnswer } from '../../beatmaps/beatmaps.ts';
import type { MapDifficulty } from '../../beatmaps/difficulty/difficulty.ts';
import type { Beatmap, Beatmapset, Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { setPage } from '../../beatmaps/model/link.ts';
import type { Translator } from '../../i18n/translate.ts';
import { starSwatch } from '../osu/star-colour.ts';
import { type Action, type Block, type Inline, type PictureBlock, type Reply, reply, type Text } from '../reply.ts';
import {
  bpmText,
  coverOf,
  day,
  joined,
  lengthOfSet,
  link,
  originBlocks,
  setName,
  setTitle,
  stacked,
  starsText,
} from './beatmap.ts';

export interface BeatmapInfoView extends SetAnswer {
  /** The difficulty that was asked for; undefined when it was the set. */
  readonly beatmap: Beatmap | undefined;
  /** The ruleset it was asked for in, where that is not its own; the estimate is of it. */
  readonly convertedTo?: Ruleset | undefined;
  /** With which the settings, lengths and tempo of the difficulties are shown. */
  readonly mods: readonly string[];
  /** What the difficulty comes to with them; undefined where it is not known. */
  readonly estimated: MapDifficulty | undefined;
  readonly picture?: PictureBlock | undefined;
  /** Of the button that brings the download addresses. */
  readonly downloadToken: string;
}

/** Lines of difficulties beyond this are counted instead. */
const MAX_LINES = 16;

/** A set and its difficulties, or one of them with its set. */
export function renderBeatmapInfo(view: BeatmapInfoView, t: Translator): Reply {
  const { set, beatmap, mods, estimated, downloadToken } = view;
  const words = t.messages.osu;
  const cover = coverOf(set, set.cover_url);
  return reply({
    blocks: [
      ...(cover ? [cover] : []),
      { kind: 'heading', text: setTitle(set) },
      ...nativeName(set),
      ...originBlocks(view, t),
      ...(mods.length === 0 ? [] : [{ kind: 'text', text: [words.withMods(mods.join(''))] } as const]),
      { kind: 'fields', fields: setFields(set, beatmap, t) },
      ...(beatmap === undefined ? [] : focusBlocks(beatmap, t)),
      ...(estimated === undefined ? [] : estimateBlocks(estimated, view, t)),
      ...(view.picture === undefined ? [] : [view.picture]),
      ...difficultyBlocks(set, beatmap, t),
      { kind: 'sound', url: set.preview_url, label: words.preview },
    ],
    actions: [
      { kind: 'link', label: words.openAtOsu, url: pageOf(view) },
      ...(set.download_disabled ? [] : [downloadButton(downloadToken, t)]),
    ],
  });
}

function downloadButton(token: string, t: Translator): Action {
  return { kind: 'button', label: t.messages.osu.download, token, style: 'primary' };
}

function pageOf({ set, beatmap, convertedTo }: BeatmapInfoView): string {
  return setPage(set.id, beatmap && { id: beatmap.id, mode: convertedTo ?? beatmap.mode });
}

/** As the artist writes it, where that differs. */
function nativeName(set: Beatmapset): readonly Block[] {
  const { artist, artist_unicode, title, title_unicode } = set;
  const own = setName({ artist: artist_unicode ?? artist, title: title_unicode ?? title });
  return own === setName(set) ? [] : [{ kind: 'text', text: [own] }];
}

function setFields(set: Beatmapset, focus: Beatmap | undefined, t: Translator) {
  const words = t.messages.osu;
  // That of the asked-for difficulty is what its mods make of it.
  const bpm = focus?.bpm ?? set.bpm;
  const dated = set.ranked_date === null ? ([words.fields.updated, set.last_updated] as const) : undefined;
  const date = day(set.ranked_date ?? set.last_updated);
  const state = joined([words.statuses[set.status], set.nsfw ? words.explicit : undefined]);
  const entries: readonly (readonly [string, Text | undefined])[] = [
    [words.fields.mapper, [mapperName(set)]],
    [words.fields.status, state],
    [dated?.[0] ?? words.fields.ranked, date === undefined ? undefined : [date]],
    [words.fields.length, asText(lengthOfSet(set, t))],
    [words.fields.bpm, bpm === null ? undefined : [t.decimal(bpm, 1)]],
    [words.fields.favourites, asText(set.favourite_count === null ? undefined : t.number(set.favourite_count))],
    [words.fields.plays, asText(set.play_count === null ? undefined : t.number(set.play_count))],
    [words.fields.source, asText(set.source)],
  ];
  return entries.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}

function mapperName({ creator, user_id }: Beatmapset): Inline {
  return user_id === null ? creator : link(`https://osu.ppy.sh/users/${user_id}`, creator);
}

function asText(value: string | undefined): Text | undefined {
  return value === undefined || value === '' ? undefined : [value];
}

/** The asked-for difficulty at length. */
function focusBlocks(beatmap: Beatmap, t: Translator): readonly Block[] {
  const words = t.messages.osu;
  const { count_circles, count_sliders, count_spinners, max_combo, mode } = beatmap;
  const counts = [count_circles, count_sliders, count_spinners];
  return [
    { kind: 'divider' },
    { kind: 'heading', text: [starSwatch(beatmap.difficulty_rating), ` ${beatmap.version}`] },
    {
      kind: 'text',
      text: joined([
        [{ kind: 'strong', children: [starsText(beatmap.difficulty_rating, t)] }],
        words.modes[mode],
        settingsText(beatmap, t),
      ]),
    },
    {
      kind: 'text',
      text: joined([
        t.duration(beatmap.total_length * 1000),
        bpmText(beatmap.bpm, t),
        max_combo === null ? undefined : words.combo(t.number(max_combo)),
        counts.every(count => count === null) ? undefined : words.objects(t.number(sum(counts))),
      ]),
    },
  ];
}

/** What a play would be worth, and by whose reckoning. */
function estimateBlocks(
  { stars, maxCombo, pp, algorithm, isOtherFile }: MapDifficulty,
  { mods, convertedTo }: BeatmapInfoView,
  t: Translator,
): readonly Block[] {
  const words = t.messages.osu.estimate;
  const date = t.date(Date.parse(algorithm));
  return [
    {
      kind: 'fields',
      fields: pp.map(each => ({ label: `${t.decimal(each.accuracy, 1)}%`, value: [words.pp(t.decimal(each.pp, 0))] })),
    },
    {
      kind: 'text',
      text: joined([
        convertedTo && [{ kind: 'strong', children: [t.messages.osu.modes[convertedTo]] }],
        words.stars(starsText(stars, t), mods.join('')),
        t.messages.osu.combo(t.number(maxCombo)),
        [{ kind: 'emphasis', children: [isOtherFile ? words.byOtherFile(date) : words.by(date)] }],
      ]),
    },
  ];
}

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((all, count) => all + (count ?? 0), 0);
}

/** `AR 9.3 OD 8.5 CS 4 HP 6`; mania has keys in place of CS, and no AR. */
function settingsText({ ar, od, cs, hp, mode }: Beatmap, t: Translator): string {
  const isMania = mode === 'mania';
  const shown = [
    ['AR', isMania || mode === 'taiko' ? null : ar],
    ['OD', od],
    ['CS', isMania || mode === 'taiko' ? null : cs],
    ['HP', hp],
  ] as const;
  const keys = isMania && cs !== null ? [`${t.decimal(cs, 0)}K`] : [];
  const values = shown.flatMap(([name, value]) => (value === null ? [] : [`${name} ${t.decimal(value, 1)}`]));
  return [...keys, ...values].join(' ');
}

function difficultyBlocks(set: Beatmapset, focus: Beatmap | undefined, t: Translator): readonly Block[] {
  const others = set.beatmaps.filter(beatmap => beatmap !== focus);
  if (others.length === 0) return [];
  const words = t.messages.osu;
  const isMixed = new Set(set.beatmaps.map(({ mode }) => mode)).size > 1;
  const shown = others.slice(0, MAX_LINES);
  const lines = shown.map(beatmap => difficultyLine(set, beatmap, isMixed, t));
  const left = others.length - shown.length;
  return [
    { kind: 'divider' },
    { kind: 'heading', text: [focus === undefined ? words.difficultiesTitle : words.otherDifficulties] },
    { kind: 'text', text: stacked([...lines, left > 0 ? [words.moreDifficulties(left)] : []]) },
  ];
}

function difficultyLine(set: Beatmapset, beatmap: Beatmap, isMixed: boolean, t: Translator): Text {
  const words = t.messages.osu;
  const { difficulty_rating: stars, version, mode, bpm, max_combo } = beatmap;
  return [
    starSwatch(stars),
    ' ',
    ...joined([
      [{ kind: 'strong', children: [link(setPage(set.id, beatmap), version)] }],
      starsText(stars, t),
      isMixed ? words.modes[mode] : undefined,
      settingsText(beatmap, t),
      t.duration(beatmap.total_length * 1000),
      bpm === set.bpm ? undefined : bpmText(bpm, t),
      max_combo === null ? undefined : words.combo(t.number(max_combo)),
    ]),
  ];
}
