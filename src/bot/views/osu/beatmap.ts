import { type Beatmap, type Beatmapset, type Ruleset, starRange } from '../../../beatmaps/model/beatmapset.ts';
import { setPage } from '../../../beatmaps/model/link.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { SetAnswer } from '../../../beatmaps/set-lookup.ts';
import type { SourceId } from '../../../beatmaps/upstreams/source.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { starColour, starSwatch } from '../../cards/star-colour.ts';
import {
  type Block,
  type Image,
  type Inline,
  joined,
  link,
  strong,
  type Text,
  textBlock,
  type WordBlock,
} from '../../contract/reply.ts';

export function setName({ artist, title }: Pick<Beatmapset, 'artist' | 'title'>): string {
  return `${artist} - ${title}`;
}

/** The name of a set, leading to its page. */
export function setTitle(set: Beatmapset): Text {
  return [link(setPage(set.id), setName(set))];
}

/** The status of a set, and what is to be known beside it. */
export function stateOf(
  { status, spotlight, nsfw }: Pick<Beatmapset, 'status' | 'spotlight' | 'nsfw'>,
  t: Translator,
): Text {
  const words = t.messages.osu;
  return joined([
    words.statuses[status],
    spotlight === true ? words.spotlight : undefined,
    nsfw ? words.explicit : undefined,
  ]);
}

/** Covers of explicit sets are left out of what a whole chat sees. */
export function coverOf(set: Beatmapset, url: string): Image | undefined {
  if (set.nsfw) return undefined;
  const ratio = url === set.cover_url ? COVER_RATIO : url === set.card_url ? CARD_RATIO : 1;
  return { kind: 'image', url, alt: setName(set), ratio };
}

/** 900 x 250 and 400 x 140; lists have squares (osu! 2026-08). */
const COVER_RATIO = 3.6;
const CARD_RATIO = 20 / 7;

function starsText(stars: number, t: Translator): string {
  return `${t.decimal(stars, 2, 2)}★`;
}

/** Stars as they are shown everywhere: `about 7.40★` where they are not osu!'s own. */
export function ratedStars({ stars, isEstimate }: Pick<Rating, 'stars' | 'isEstimate'>, t: Translator): string {
  const shown = starsText(stars, t);
  return isEstimate ? t.messages.osu.estimate.about({ shown }) : shown;
}

/** The same after a spot of their colour. */
export function ratedStarsWithSwatch(rating: Pick<Rating, 'stars' | 'isEstimate'>, t: Translator): Text {
  return [starSwatch(rating.stars), ` ${ratedStars(rating, t)}`];
}

/** `🟢 2.40★ – 🟣 6.40★`, or the one there is. */
export function starsOfSet(set: Beatmapset, t: Translator): Text | undefined {
  const range = starRange(set);
  if (range === null) return undefined;
  const { min, max } = range;
  const easiest: Text = [starSwatch(min), ` ${starsText(min, t)}`];
  return set.beatmaps.length < 2 ? easiest : [...easiest, ' – ', starSwatch(max), ` ${starsText(max, t)}`];
}

export function colourOfSet(set: Beatmapset) {
  const range = starRange(set);
  return range === null ? undefined : starColour(range.max);
}

/** The length of the longest difficulty. */
export function lengthOfSet({ beatmaps }: Beatmapset, t: Translator): string | undefined {
  if (beatmaps.length === 0) return undefined;
  return t.duration(Math.max(...beatmaps.map(({ total_length }) => total_length)) * 1000);
}

export function bpmText(bpm: number | null, t: Translator): string | undefined {
  return bpm === null ? undefined : `${t.decimal(bpm, 1)} BPM`;
}

export function day(iso: string | null): Inline | undefined {
  const at = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(at) ? undefined : { kind: 'time', at, style: 'date' };
}

/** How an answer came to be, where the reader should know. */
export function originBlocks(
  { source, stale, corrected = false }: { source: SourceId; stale: boolean; corrected?: boolean },
  t: Translator,
): readonly Block[] {
  const words = t.messages.osu.origin;
  // Words are mended from memory after osu! found nothing, too: then it was asked.
  const remembered = corrected ? undefined : words.local;
  const notes = [
    corrected ? words.corrected : undefined,
    source === 'catalogue' ? (stale ? words.remembered : remembered) : stale ? words.stale : undefined,
  ].filter(note => note !== undefined);
  return notes.map(note => textBlock([{ kind: 'emphasis', children: [note] }]));
}

/** One difficulty, in the ruleset it is asked for in. */
export interface AskedMap extends SetAnswer {
  readonly beatmap: Beatmap;
  readonly ruleset: Ruleset;
}

/**
 * Names the map of the plays below, its ruleset where it is converted, and its mapper.
 * @param isDrawn an image card has the name
 */
export function mapHeading({ set, beatmap, ruleset }: AskedMap, t: Translator, isDrawn = false): readonly WordBlock[] {
  const words = t.messages.osu;
  const mappers = beatmap.owners.map(({ username }) => username);
  const name = isDrawn ? words.scores.map : `${setName(set)} [${beatmap.version}]`;
  return [
    textBlock(
      joined([
        [strong(link(setPage(set.id, { id: beatmap.id, mode: ruleset }), name))],
        ruleset === beatmap.mode ? undefined : words.modes[ruleset],
        words.mappedBy({ name: mappers.length === 0 ? set.creator : mappers.join(', ') }),
        stateOf({ ...set, status: beatmap.status }, t),
      ]),
    ),
  ];
}
