import type { Beatmapset } from '../../beatmaps/beatmapset.ts';
import type { SearchResult } from '../../beatmaps/set-search.ts';
import type { Translator } from '../../i18n/translate.ts';
import { type Action, type Card, type Choice, type Reply, reply, type Text } from '../reply.ts';
import {
  bpmText,
  colourOfSet,
  coverOf,
  joined,
  lengthOfSet,
  originBlocks,
  setName,
  setTitle,
  starsOfSet,
} from './beatmap.ts';

/** Ways to the other pages; undefined where there is none. */
export interface PagesView {
  /** From 1. */
  readonly page: number;
  readonly back: string | undefined;
  readonly more: string | undefined;
}

export interface SearchView extends Pick<SearchResult, 'sets' | 'total' | 'source' | 'stale' | 'corrected'> {
  readonly query: string;
  readonly pages: PagesView;
  /** Of the button that opens a set. */
  openToken(set: Beatmapset): string;
}

/** Found sets as cards, a menu to open one, and the way to the other pages. */
export function renderSearch(view: SearchView, t: Translator): Reply {
  const words = t.messages.osu.search;
  const { sets, query, pages, total } = view;
  if (sets.length === 0) return reply({ tone: 'notice', blocks: [{ kind: 'text', text: [words.none(query)] }] });
  const count = total === null ? undefined : t.messages.osu.sets(total, t.number(total));
  const place = pages.page === 1 && pages.more === undefined ? undefined : t.messages.osu.page(pages.page);
  const line = joined([count, place]);
  return reply({
    blocks: [
      { kind: 'heading', text: [words.title(query)] },
      ...(line.length === 0 ? [] : [{ kind: 'text', text: line } as const]),
      ...originBlocks(view, t),
      ...sets.map(set => setCard(set, t, { openToken: view.openToken })),
    ],
    actions: listActions(sets, view, t),
  });
}

/** The menu of a page of sets, and its way to the other pages. */
export function listActions(
  sets: readonly Beatmapset[],
  { pages, openToken }: Pick<SearchView, 'pages' | 'openToken'>,
  t: Translator,
): readonly Action[] {
  const words = t.messages.osu;
  const choices = sets.map((set): Choice => {
    const detail = [words.mappedBy(set.creator), words.statuses[set.status]].join(' · ');
    return { label: setName(set), detail, token: openToken(set) };
  });
  return [{ kind: 'menu', label: words.open, choices }, ...pageActions(pages, t)];
}

export function pageActions({ back, more }: PagesView, t: Translator): readonly Action[] {
  const { back: backLabel, more: moreLabel } = t.messages.osu;
  return [
    ...(back === undefined ? [] : [{ kind: 'button', label: backLabel, token: back, style: 'secondary' } as const]),
    ...(more === undefined ? [] : [{ kind: 'button', label: moreLabel, token: more, style: 'secondary' } as const]),
  ];
}

export interface SetCardOptions {
  readonly openToken: SearchView['openToken'];
  /** Said before all else. */
  readonly note?: Text;
}

export function setCard(set: Beatmapset, t: Translator, { openToken, note }: SetCardOptions): Card {
  const words = t.messages.osu;
  const image = coverOf(set, set.card_url);
  const colour = colourOfSet(set);
  const modes = [...new Set(set.beatmaps.map(({ mode }) => mode))].filter(mode => mode !== 'osu');
  const lines: readonly Text[] = [
    joined([note, words.mappedBy(set.creator), words.statuses[set.status], set.nsfw ? words.explicit : undefined]),
    joined([
      starsOfSet(set, t),
      set.beatmaps.length > 1 ? words.difficulties(set.beatmaps.length) : undefined,
      ...modes.map(mode => words.modes[mode]),
    ]),
    joined([
      lengthOfSet(set, t),
      bpmText(set.bpm, t),
      set.play_count === null ? undefined : words.plays(set.play_count, t.compact(set.play_count)),
      set.favourite_count === null ? undefined : words.favourites(set.favourite_count, t.compact(set.favourite_count)),
    ]),
  ];
  return {
    kind: 'card',
    title: setTitle(set),
    lines: lines.filter(line => line.length > 0),
    ...(image && { image }),
    ...(colour && { colour }),
    sound: { url: set.preview_url, label: words.preview },
    action: { kind: 'button', label: words.openOne, token: openToken(set), style: 'secondary' },
  };
}
