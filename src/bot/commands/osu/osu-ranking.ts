import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { userPage } from '../../../beatmaps/model/link.ts';
import type { PlayerStandings, RankedPlayer } from '../../../beatmaps/model/player.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { sentence } from '../../contract/command-spec.ts';
import {
  type Action,
  headingBlock,
  joined,
  link,
  menu,
  type Reply,
  reply,
  stacked,
  strong,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { callerKey } from '../../contract/request.ts';
import { type Mode, modeOf, TERMS } from '../../contract/terms.ts';
import { askedCountry, MODE_OPTION, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { chatPlayers } from '../../osu/chat-players.ts';
import { notice } from '../../views/notice.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { pageActions } from '../../views/osu/beatmap-list.ts';
import { PROVEN_MARK } from '../../views/osu/player.ts';

/** The number of players on a page of osu!'s ranking. */
const MOST = 50;
/** The most choices of a menu. */
const MAX_CHOICES = 25;

/** Ranks this chat's members who have a linked player by pp, or shows osu!'s ranking. */
export const osuRanking = defineCommand({
  name: 'osu ranking',
  options: {
    mode: MODE_OPTION,
    of: { type: 'choice', choices: ['here', 'country', 'world'] },
    country: TERMS.country,
    page: { ...TERMS.page, max: 200 },
  },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ mode, of, country: named, page = 1 }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const isPrivate = caller.chatKind !== 'group';
    if (of === 'world' || (isPrivate && (of === 'country' || named !== undefined))) {
      const country = of === 'world' && named === undefined ? undefined : await askedCountry(named, context);
      return worldRanking({ mode, country, page }, context);
    }
    if (isPrivate) return notice(t.messages.plays.onlyGroups);
    requirePlayers(services.beatmaps);
    const own = await services.settings.user(callerKey(caller));
    const ruleset = rulesetOf(mode) ?? own.player?.mode ?? 'osu';
    const linked = await chatPlayers(caller, services);
    if (linked.length === 0) return notice(t.messages.plays.noMembers);
    const asked = linked.slice(0, MOST).map(({ id }) => id);
    const isOfCountry = of === 'country' || named !== undefined;
    const country = isOfCountry ? await askedCountry(named, context) : undefined;
    const { players: all, stale } = await services.beatmaps.standings(asked, signal);
    const players = all.filter(({ country_code }) => country === undefined || country_code === country);
    const words = t.messages.plays.ranking;
    if (players.length === 0 && country !== undefined) return notice(words.noneOfCountry({ country }));
    if (players.length === 0) return reply({ tone: 'notice', blocks: [textBlock(sentence(words.none))] });
    const proven = new Set(linked.flatMap(player => (player.proven ? [player.id] : [])));
    const left = linked.length - asked.length;
    const ppOf = (player: PlayerStandings) => player.standings[ruleset]?.pp ?? 0;
    const ordered = players.toSorted((a, b) => ppOf(b) - ppOf(a));
    const lines = ordered.map((player, index) => line(player, proven.has(player.id), index + 1, ruleset, t));
    return reply({
      blocks: [
        headingBlock(joined([words.title({ mode: t.messages.osu.modes[ruleset] }), country])),
        ...originBlocks({ source: 'osu', stale }, t),
        textBlock(stacked([...lines, left > 0 ? [words.more({ n: left })] : []])),
      ],
      actions: profileMenu(ordered, player => worthText(player, ruleset, t), ruleset, context),
    });
  },
});

interface AskedRanking {
  readonly mode: Mode | undefined;
  /** The country's two letters; undefined for the world. */
  readonly country: string | undefined;
  readonly page: number;
}

/** A page of osu!'s ranking. */
async function worldRanking({ mode, country, page }: AskedRanking, context: CommandContext): Promise<Reply> {
  const { caller, services, signal, t } = context;
  const { player } = await services.settings.user(callerKey(caller));
  const ruleset = rulesetOf(mode) ?? player?.mode ?? 'osu';
  const { players, stale } = await services.beatmaps.ranking(ruleset, { page, country }, signal);
  const words = t.messages.plays.ranking;
  const turn = (to: number) =>
    services.actions.encode({
      command: 'osu ranking',
      values: { of: 'world', mode: modeOf(ruleset), page: to, ...(country && { country }) },
    });
  const before = (page - 1) * MOST;
  const lines = players.map(({ pp, ...other }, index) => {
    return rankedLine({ ...other, worth: ppText(pp, t), place: before + index + 1 }, ruleset, t);
  });
  const pages = {
    page,
    back: page === 1 ? undefined : turn(page - 1),
    more: players.length < MOST ? undefined : turn(page + 1),
  };
  return reply({
    blocks: [
      headingBlock(joined([words.world({ mode: t.messages.osu.modes[ruleset] }), country])),
      ...originBlocks({ source: 'osu', stale }, t),
      textBlock(lines.length === 0 ? [words.nobody] : stacked(lines)),
    ],
    actions: [...pageActions(pages, t), ...profileMenu(players, ({ pp }) => ppText(pp, t), ruleset, context)],
  });
}

function profileMenu<P extends { readonly id: number; readonly username: string }>(
  players: readonly P[],
  detailOf: (player: P) => string,
  ruleset: Ruleset,
  { services, t }: CommandContext,
): readonly Action[] {
  const choices = players.slice(0, MAX_CHOICES).map(player => ({
    label: player.username,
    detail: detailOf(player),
    token: services.actions.encode({
      command: 'osu profile',
      values: { player: String(player.id), mode: modeOf(ruleset) },
    }),
  }));
  return menu(t.messages.plays.buttons.profile, choices);
}

const ppText = (pp: number, t: Translator) => t.messages.osu.estimate.pp({ shown: t.decimal(pp, 0) });

function worthText({ standings }: PlayerStandings, ruleset: Ruleset, t: Translator): string {
  const pp = standings[ruleset]?.pp ?? 0;
  return pp > 0 ? ppText(pp, t) : t.messages.plays.ranking.noPp;
}

function line(player: PlayerStandings, isProven: boolean, place: number, ruleset: Ruleset, t: Translator): Text {
  const { id, username, country_code, standings } = player;
  const { global_rank = null, hit_accuracy = null } = standings[ruleset] ?? {};
  const worth = worthText(player, ruleset, t);
  return rankedLine({ id, username, country_code, global_rank, hit_accuracy, worth, place, isProven }, ruleset, t);
}

type Ranked = Omit<RankedPlayer, 'pp'> & {
  readonly worth: string;
  readonly place: number;
  readonly isProven?: boolean;
};

/** A line such as `1. lamp post · 6,241 pp · #21,480 · ID · 97.85%`. */
function rankedLine(player: Ranked, ruleset: Ruleset, t: Translator): Text {
  const { id, username, country_code, global_rank, hit_accuracy, worth, place, isProven = false } = player;
  return [
    `${t.number(place)}. `,
    ...joined([
      [strong(link(userPage(id, ruleset), username)), ...(isProven ? [PROVEN_MARK] : [])],
      worth,
      global_rank === null || global_rank === place ? undefined : `#${t.number(global_rank)}`,
      country_code ?? undefined,
      hit_accuracy === null ? undefined : t.percent(hit_accuracy / 100, 2),
    ]),
  ];
}
