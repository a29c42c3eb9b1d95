import type { Beatmapset } from '../../../beatmaps/model/beatmapset.ts';
import { completionOf, type Score } from '../../../beatmaps/model/score.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type ListRow, listCardSize, renderListCard } from '../../cards/list-card.ts';
import { type PlayView, playCardSize, renderPlayCard } from '../../cards/play-card.ts';
import { drawnIn, penFor } from '../../cards/shapes.ts';
import type { Look } from '../../cards/theme.ts';
import { drawableTitle } from '../../cards/typefaces.ts';
import type { Block, PictureBlock, Text, WordBlock } from '../../contract/reply.ts';
import { joined, link, series, stacked, textBlock } from '../../contract/reply-parts.ts';
import type { Services } from '../../contract/services.ts';
import { type AskedMap, accuracyText, coverOf, mapHeading, moment, ppText, setName } from './facts.ts';
import {
  failedText,
  fullComboText,
  mapName,
  missesText,
  modNames,
  pageOf,
  resultNames,
  resultText,
  scoreCard,
  withLines,
  worthText,
} from './score.ts';

/** The size of the cover on a card. */
const COVER = { width: 640, height: 156 };

/**
 * Loads a set's cover for an image card; undefined without one. It is called early, so that the image loads while other
 * data is read. Never rejects.
 */
export async function loadCover(
  set: Beatmapset | null,
  { painter, artwork }: Pick<Services, 'painter' | 'artwork'>,
): Promise<string | undefined> {
  const image = set === null || painter === undefined ? undefined : coverOf(set, set.card_url);
  return image && (await artwork?.load(image.url, COVER));
}

type Cover = ReturnType<typeof loadCover>;

export interface PlayedScore {
  readonly score: Score;
  readonly rating: Rating | undefined;
  readonly cover: Cover;
  /** The player's name, if the play does not contain it. */
  readonly name?: string;
  /** The play's position on the map and among the player's best plays. */
  readonly standing?: Text;
}

/** A play as an image card with a little text, or as text where no image can be drawn. */
export async function playBlock(
  played: PlayedScore,
  { painter }: Pick<Services, 'painter'>,
  t: Translator,
): Promise<Block> {
  const { score, rating, cover, standing = [] } = played;
  const { beatmapset: set } = score;
  const card = withLines(scoreCard(score, { rating }, t), ([first = [], ...others]) => [
    first,
    ...(standing.length === 0 ? [] : [standing]),
    ...others,
  ]);
  if (set === null || score.beatmap === null) return card;
  const alt = t.messages.joining.labelled({ name: mapName(score, t), value: resultText(score, t) });
  const picture = await playPicture({ set, alt, cover, ...playView(played, drawnIn(t)) }, painter, t);
  return picture === undefined ? card : { ...picture, beside: [textBlock(besideText(played, t))], instead: [card] };
}

interface DrawnPlay extends Omit<PlayView, 'title' | 'artist' | 'cover'> {
  readonly set: Beatmapset;
  readonly cover: Cover;
  readonly alt: string;
}

/** The image card of a play; undefined where no images are drawn. */
export async function playPicture(
  { set, cover, alt, ...drawn }: DrawnPlay,
  painter: Services['painter'],
  t: Translator,
): Promise<PictureBlock | undefined> {
  if (painter === undefined) return undefined;
  const view = { ...drawn, ...(await mapHeadOf(set, cover)) };
  const size = playCardSize(view, penFor(t, 'dark'));
  const picture = painter.picture('play', theme => renderPlayCard(view, penFor(t, theme)), size);
  return { kind: 'picture', picture, alt };
}

/** A link to the map, and facts that are not on the image card. */
function besideText({ score, standing = [] }: PlayedScore, t: Translator): Text {
  const words = t.messages.osu.scores;
  const page = pageOf(score);
  const total = score.legacy_total_score ?? score.total_score;
  const ended = moment(score.ended_at, 'relative');
  const facts = joined([
    page === undefined ? undefined : [link(page, words.map)],
    total === null ? undefined : words.score({ shown: t.number(total) }),
    score.weight === null ? undefined : words.weighted({ pp: t.decimal(score.weight.pp, 0) }),
    ended && [ended],
  ]);
  return stacked([facts, standing]);
}

const COLOURS: Readonly<Record<string, keyof Look>> = {
  perfect: 'lilac',
  great: 'sky',
  good: 'accent',
  ok: 'accent',
  large_tick_hit: 'accent',
  meh: 'marigold',
  small_tick_miss: 'marigold',
};

function playView({ score, rating, name }: PlayedScore, t: Translator): Omit<DrawnPlay, 'set' | 'cover' | 'alt'> {
  const { beatmap, accuracy, pp, max_combo, is_perfect_combo, passed } = score;
  const words = t.messages.osu.scores;
  const { cards } = t.messages;
  const most = beatmap?.max_combo ?? rating?.maxCombo ?? null;
  const combo = is_perfect_combo ? words.fullCombo : most === null ? '' : `/ ${t.number(most)}x`;
  const at = passed ? null : (rating?.difficulty?.endsAt ?? completionOf(score));
  const remarks = [
    passed || at !== null ? undefined : words.failed,
    worthText(score, rating, t),
    fullComboText(score, rating, t),
  ];
  return {
    version: beatmap?.version ?? '',
    stars: rating?.stars ?? beatmap?.difficulty_rating ?? null,
    grade: score.rank,
    mods: modNames(score, t),
    figures: [
      { value: accuracyText(accuracy, t), label: cards.accuracy },
      { value: `${t.number(max_combo)}x`, label: combo },
      ...(pp === null ? [] : [{ value: t.decimal(pp, 0), label: cards.pp }]),
    ],
    remarks: remarks.filter(remark => remark !== undefined),
    results: resultNames(score, t).map(({ result, name }) => ({ name, colour: COLOURS[result] ?? 'berry' })),
    note: score.username ?? name ?? '',
    strains: rating?.difficulty?.strains,
    fail: at === null ? undefined : { at, text: failedText(score, t) },
  };
}

/** A row of a card for a play. @param name the player's name, or the date of the play */
export function listRow(score: Score, place: number, name: string, reader: Translator): ListRow {
  const t = drawnIn(reader);
  const { rank, accuracy, max_combo, pp } = score;
  // Plays of osu!'s two clients (stable and lazer) stand in one list, which is ordered by the score on osu!lazer's
  // scale.
  const total = score.total_score ?? score.legacy_total_score;
  const facts = [accuracyText(accuracy, t), t.messages.osu.combo({ shown: t.number(max_combo) }), missesText(score, t)];
  const shownTotal = total === null ? '' : t.number(total);
  return {
    place: t.number(place),
    name,
    grade: rank,
    mods: modNames(score, t),
    facts: facts.filter(fact => fact !== undefined),
    worth: pp === null ? shownTotal : ppText(pp, t),
  };
}

export interface ListedPlays {
  readonly map: AskedMap;
  readonly cover: Cover;
  /** The mods of all these plays, if they were chosen by mods. */
  readonly mods?: readonly string[] | undefined;
  readonly title: string;
  readonly rows: readonly ListRow[];
  /** The plays as text, without the map's name. */
  readonly inWords: readonly WordBlock[];
}

/** Plays on a map as an image card with a link to the map, or as text. */
export async function playsBlocks(
  { map, cover, mods = [], title, rows, inWords }: ListedPlays,
  { painter }: Pick<Services, 'painter'>,
  t: Translator,
): Promise<readonly Block[]> {
  const words = [...mapHeading(map, t), ...inWords];
  if (painter === undefined || rows.length === 0) return words;
  const { version, mode, difficulty_rating } = map.beatmap;
  // The map's star rating with other mods or in another ruleset is unknown.
  const stars = mode === map.ruleset && mods.length === 0 ? difficulty_rating : null;
  const view = { ...(await mapHeadOf(map.set, cover)), version, stars, rows };
  const picture = painter.picture('list', theme => renderListCard(view, penFor(t, theme)), listCardSize(view));
  const about = `${title}${t.comma}${setName(map.set)} [${version}]`;
  const plays = rows.map(({ place, name, worth }) => `${place}. ${name} ${worth}`.trim());
  const alt = t.messages.joining.labelled({ name: about, value: series(plays, t) });
  return [{ kind: 'picture', picture, alt, beside: mapHeading(map, t, true), instead: words }];
}

/** A set's name in characters that can be drawn, and its cover. */
async function mapHeadOf(set: Beatmapset, cover: Cover) {
  return {
    title: drawableTitle(set.title, set.title_unicode),
    artist: drawableTitle(set.artist, set.artist_unicode),
    cover: await cover,
  };
}
