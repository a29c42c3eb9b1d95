import { type Beatmap, type Beatmapset, type Ruleset, starRange } from '../../../beatmaps/model/beatmapset.ts';
import { setPage, userPage } from '../../../beatmaps/model/link.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { SetAnswer } from '../../../beatmaps/set-lookup.ts';
import type { SourceId } from '../../../beatmaps/upstreams/source.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { starColour, starSwatch } from '../../cards/star-colour.ts';
import type { Block, Field, Image, Inline, Text, WordBlock } from '../../contract/reply.ts';
import { headingBlock, joined, labelled, link, strong, textBlock } from '../../contract/reply-parts.ts';
import type { LinkedPlayer } from '../../contract/settings.ts';

export function setName({ artist, title }: Pick<Beatmapset, 'artist' | 'title'>): string {
  return `${artist} - ${title}`;
}

/** A set's name as a link to its page. */
export function setTitle(set: Beatmapset): Text {
  return [link(setPage(set.id), setName(set))];
}

/** A set's status, with marks for spotlights and explicit sets. */
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

/** The cover image; undefined for an explicit set, because the whole chat would see it. */
export function coverOf(set: Beatmapset, url: string): Image | undefined {
  if (set.nsfw) return undefined;
  const ratio = url === set.cover_url ? COVER_RATIO : url === set.card_url ? CARD_RATIO : 1;
  return { kind: 'image', url, alt: setName(set), ratio };
}

/** The proportions of a set's cover, 900 x 250 pixels; on cards it is 400 x 140, in lists square (osu! 2026-08). */
const COVER_RATIO = 3.6;
const CARD_RATIO = 20 / 7;

function starsText(stars: number, t: Translator): string {
  return `${t.decimal(stars, 2, 2)}★`;
}

/** A star rating as text: `about 7.40★` if osu! does not state it. */
export function ratedStars({ stars, isEstimate }: Pick<Rating, 'stars' | 'isEstimate'>, t: Translator): string {
  const shown = starsText(stars, t);
  return isEstimate ? t.messages.osu.estimate.about({ shown }) : shown;
}

/** A star rating as text, after a dot of its colour. */
export function ratedStarsWithSwatch(rating: Pick<Rating, 'stars' | 'isEstimate'>, t: Translator): Text {
  return [starSwatch(rating.stars), ` ${ratedStars(rating, t)}`];
}

/** A text such as `🟢 2.40★ – 🟣 6.40★`, or one rating when all difficulties have the same. */
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

/** The length of a set's longest difficulty. */
export function lengthOfSet({ beatmaps }: Beatmapset, t: Translator): string | undefined {
  if (beatmaps.length === 0) return undefined;
  return t.duration(Math.max(...beatmaps.map(({ total_length }) => total_length)) * 1000);
}

export function bpmText(bpm: number | null, t: Translator): string | undefined {
  return bpm === null ? undefined : `${t.decimal(bpm, 1)} BPM`;
}

/** The number of keys of a map of mania: `4K`. */
export function keysText(keys: number, t: Translator): string {
  return `${t.decimal(keys, 0)}K`;
}

/** A text such as `201 pp`. */
export function ppText(pp: number, t: Translator): string {
  return t.messages.osu.estimate.pp({ shown: t.decimal(pp, 0) });
}

/** The accuracy of a play such as `98.75%`, rounded down as osu! does it: only a play without a flaw has 100%. */
export function accuracyText(accuracy: number, t: Translator): string {
  // Without the small addition, numbers such as 0.57 would be rounded down too far: 0.57 times 10,000 is 5,699.99….
  return t.percent(Math.floor(accuracy * 10_000 + 1e-6) / 10_000, 2, 2);
}

/** Fields of the values that are known; undefined and empty ones are left out. */
export function knownFields(values: readonly (readonly [label: string, value: Text | string | undefined])[]) {
  return values.flatMap(([label, value]): readonly Field[] => {
    if (value === undefined || value.length === 0) return [];
    return [{ label, value: typeof value === 'string' ? [value] : value }];
  });
}

type Moment = Extract<Inline, { readonly kind: 'time' }>;

/** Turns osu!'s ISO date into a part of a reply; undefined if it is missing or cannot be read. */
export function moment(iso: string | null, style: Moment['style']): Moment | undefined {
  const at = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(at) ? undefined : { kind: 'time', at, style };
}

/** Notes about an answer with corrected words, from the local catalogue, or from an earlier time. */
export function originBlocks(
  { source, stale, corrected = false }: { source: SourceId; stale: boolean; corrected?: boolean },
  t: Translator,
): readonly Block[] {
  const words = t.messages.osu.origin;
  // Mistyped words are corrected only after osu! found nothing, so "only the local copy was searched" would be wrong.
  const remembered = corrected ? undefined : words.local;
  const notes = [
    corrected ? words.corrected : undefined,
    source === 'catalogue' ? (stale ? words.remembered : remembered) : stale ? words.stale : undefined,
  ].filter(note => note !== undefined);
  return notes.map(note => textBlock([{ kind: 'emphasis', children: [note] }]));
}

/** Names who made the difficulty: the stated owners, who may be guests of the set's mapper, else that mapper. */
export function mappedByText({ owners }: Beatmap, { creator }: Pick<Beatmapset, 'creator'>, t: Translator): string {
  const names = owners.map(({ username }) => username);
  return t.messages.osu.mappedBy({ name: names.length === 0 ? creator : names.join(t.comma) });
}

/** A difficulty with the requested ruleset. */
export interface AskedMap extends SetAnswer {
  readonly beatmap: Beatmap;
  readonly ruleset: Ruleset;
}

/**
 * A heading for a list of plays: the map, its mapper, and the ruleset if it is converted.
 * @param isDrawn an image card shows the map's name already
 */
export function mapHeading({ set, beatmap, ruleset }: AskedMap, t: Translator, isDrawn = false): readonly WordBlock[] {
  const words = t.messages.osu;
  const name = isDrawn ? words.scores.map : `${setName(set)} [${beatmap.version}]`;
  return [
    textBlock(
      joined([
        [strong(link(setPage(set.id, { id: beatmap.id, mode: ruleset }), name))],
        ruleset === beatmap.mode ? undefined : words.modes[ruleset],
        mappedByText(beatmap, set, t),
        stateOf({ ...set, status: beatmap.status }, t),
      ]),
    ),
  ];
}

/** The player's name as a link to the profile. */
export function playerTitle({ username, url }: Pick<Player, 'username' | 'url'>): Text {
  return [link(url, username)];
}

/** The beginning of a reply about a player: the player, what is shown, and whether that may be outdated. */
export function playerHead(
  player: Pick<Player, 'username' | 'url'>,
  title: string,
  stale: boolean,
  t: Translator,
): readonly Block[] {
  return [headingBlock(labelled(playerTitle(player), [title], t)), ...originBlocks({ source: 'osu', stale }, t)];
}

/** A title with the ruleset's name behind it. */
export function inMode(title: string, mode: Ruleset, t: Translator): string {
  return t.messages.joining.aside({ words: title, aside: t.messages.osu.modes[mode] });
}

/** The mark behind a player's name if someone of the chat has proved to be this player by signing in. */
export const PROVEN_MARK = ' ✓';

/** A linked player's name as a link to the profile, with the mark if it is proved. */
export function linkedName({ id, name, mode, proven }: LinkedPlayer): readonly Inline[] {
  return [link(userPage(id, mode ?? undefined), name), ...(proven ? [PROVEN_MARK] : [])];
}

/** A text such as `+12.3`, with one decimal because a single play often adds little. */
export function gainText(gain: number, t: Translator): string {
  const tenths = Math.round(gain * 10);
  return `${tenths < 0 ? '−' : '+'}${t.decimal(Math.abs(tenths) / 10, 1)}`;
}
