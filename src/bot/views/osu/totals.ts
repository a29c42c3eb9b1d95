import type { Player } from '../../../beatmaps/model/player.ts';
import type { WhatIf } from '../../../beatmaps/plays/totals.ts';
import type { Translator } from '../../../i18n/translate.ts';
import {
  type Action,
  type Block,
  headingBlock,
  joined,
  type Reply,
  reply,
  strong,
  textBlock,
} from '../../contract/reply.ts';
import { originBlocks } from './beatmap.ts';
import { playerTitle } from './player.ts';

interface TotalsView {
  readonly player: Player;
  readonly stale: boolean;
  readonly actions: readonly Action[];
}

export interface WhatIfView extends TotalsView {
  readonly pp: number;
  readonly times: number;
  readonly whatIf: WhatIf;
}

export interface TargetView extends TotalsView {
  readonly rank: number | undefined;
  /** To reach; undefined where osu! does not say what the rank takes. */
  readonly total: number | undefined;
  /** So many plays, each of so much; null where none gives that much. */
  readonly ways: readonly { readonly times: number; readonly pp: number | null }[];
}

function heading({ player }: TotalsView, title: string, t: Translator): Block {
  return headingBlock([...playerTitle(player), `: ${title} (${t.messages.osu.modes[player.mode]})`]);
}

function shown(pp: number, t: Translator): string {
  return t.decimal(pp, 0);
}

/** `+12.3`; two digits, since what one play adds is often little. */
export function gainText(gain: number, t: Translator): string {
  return `${gain < 0 ? '−' : '+'}${t.decimal(Math.abs(gain), 1)}`;
}

/** What the total would be with other plays. */
export function renderWhatIf(view: WhatIfView, t: Translator): Reply {
  const { pp, times, whatIf, stale, actions } = view;
  const { total, gain, place } = whatIf;
  const words = t.messages.plays.whatIf;
  const counts = gain >= 0.05;
  return reply({
    blocks: [
      heading(view, words.title({ times, pp: shown(pp, t) }), t),
      ...originBlocks({ source: 'osu', stale }, t),
      textBlock(
        counts
          ? joined([
              [strong(words.total({ now: shown(total - gain, t), after: shown(total, t) }))],
              words.gain({ gain: gainText(gain, t) }),
              place === null ? undefined : words.place({ n: t.number(place) }),
            ])
          : [words.nothing],
      ),
    ],
    actions,
  });
}

/** The plays that lead to a total. */
export function renderTarget(view: TargetView, t: Translator): Reply {
  const { player, stale, rank, total, ways, actions } = view;
  const words = t.messages.plays.target;
  const now = player.statistics?.pp ?? 0;
  if (total === undefined) {
    const text = words.unknownRank({ rank: t.number(rank ?? 0) });
    return reply({ tone: 'notice', blocks: [textBlock([text])], actions });
  }
  const title =
    rank === undefined
      ? words.title({ pp: shown(total, t) })
      : words.titleRank({ rank: t.number(rank), pp: shown(total, t) });
  const body: readonly Block[] =
    total <= now
      ? [textBlock([words.reached({ now: shown(now, t) })])]
      : [
          textBlock([words.now({ now: shown(now, t), left: shown(total - now, t) })]),
          {
            kind: 'fields',
            fields: ways.map(({ times, pp }) => ({
              label: words.plays({ times }),
              // Rounded down it would fall short.
              value: [pp === null ? words.tooFar : words.each({ times, pp: shown(Math.ceil(pp), t) })],
            })),
          },
        ];
  return reply({
    blocks: [heading(view, title, t), ...originBlocks({ source: 'osu', stale }, t), ...body],
    actions,
  });
}
