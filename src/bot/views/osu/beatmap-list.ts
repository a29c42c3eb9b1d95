import type { Beatmapset } from '../../../beatmaps/model/beatmapset.ts';
import type { SortField } from '../../../beatmaps/query/query-words.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Action, Card, Choice, Text } from '../../contract/reply.ts';
import { button, joined } from '../../contract/reply-parts.ts';
import { bpmText, colourOfSet, coverOf, lengthOfSet, setName, setTitle, starsOfSet, stateOf } from './facts.ts';

/** Tokens of the buttons to other pages; undefined for a page that does not exist. */
export interface PagesView {
  readonly back: string | undefined;
  readonly more: string | undefined;
}

interface Opener {
  /** Makes the token of the button that opens a set. */
  openToken(set: Beatmapset): string;
}

/** A menu that opens one of the page's sets, and buttons to the other pages. */
export function listActions(
  sets: readonly Beatmapset[],
  { pages, openToken }: Opener & { readonly pages: PagesView },
  t: Translator,
): readonly Action[] {
  const words = t.messages.osu;
  const choices = sets.map((set): Choice => {
    const detail = [words.mappedBy({ name: set.creator }), words.statuses[set.status]].join(' · ');
    return { label: setName(set), detail, token: openToken(set) };
  });
  return [{ kind: 'menu', label: words.open, choices }, ...pageActions(pages, t)];
}

export function pageActions({ back, more }: PagesView, t: Translator): readonly Action[] {
  const { back: backLabel, more: moreLabel } = t.messages.osu;
  return [
    ...(back === undefined ? [] : [button(backLabel, back)]),
    ...(more === undefined ? [] : [button(moreLabel, more)]),
  ];
}

/** Buttons to the pages beside this one. @param pageToken makes the token of the button to a page */
export function numberedPageActions(
  page: number,
  hasMore: boolean,
  pageToken: (change: { readonly page: number }) => string,
  t: Translator,
): readonly Action[] {
  const back = page === 1 ? undefined : pageToken({ page: page - 1 });
  return pageActions({ back, more: hasMore ? pageToken({ page: page + 1 }) : undefined }, t);
}

interface SetCardOptions extends Opener {
  /** A note at the beginning of the card. */
  readonly note?: Text | undefined;
  /** The requested order; each set shows the value by which it is sorted. */
  readonly sort?: SortField | undefined;
}

export function setCard(set: Beatmapset, t: Translator, { openToken, note, sort }: SetCardOptions): Card {
  const words = t.messages.osu;
  const image = coverOf(set, set.card_url);
  const colour = colourOfSet(set);
  const modes = [...new Set(set.beatmaps.map(({ mode }) => mode))].filter(mode => mode !== 'osu');
  // The facts are one line, which a phone can wrap in the space beside the cover. The mapper and the status are not
  // among them, because the entry of the menu below the list shows these.
  const facts = joined([
    note,
    starsOfSet(set, t),
    ...modes.map(mode => words.modes[mode]),
    lengthOfSet(set, t),
    bpmText(set.bpm, t),
    countText(set, sort, t),
  ]);
  return {
    kind: 'card',
    title: setTitle(set),
    lines: [facts],
    details: [joined([stateOf(set, t), words.mappedBy({ name: set.creator })])],
    ...(image && { image }),
    ...(colour && { colour }),
    sound: { url: set.preview_url, label: words.preview },
    action: button(words.openOne, openToken(set)),
  };
}

function countText(set: Beatmapset, sort: SortField | undefined, t: Translator): string | undefined {
  const { play_count: plays, favourite_count: favourites } = set;
  const words = t.messages.osu;
  if (sort === 'plays' && plays !== null) return words.plays(t.counted(plays));
  if (sort === 'favourites' && favourites !== null) return words.favourites(t.counted(favourites));
  return undefined;
}

/** A line of a numbered list, such as `1. lamp post · 6,241 pp · ID`. */
export function numberedLine(place: number, parts: Parameters<typeof joined>[0], t: Translator): Text {
  return [`${t.number(place)}. `, ...joined(parts)];
}
