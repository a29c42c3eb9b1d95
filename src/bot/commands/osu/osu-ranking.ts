import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { userPage } from '../../../beatmaps/model/link.ts';
import type { RankedPlayer } from '../../../beatmaps/model/player.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { sentence } from '../../contract/command-spec.ts';
import type { Action, Reply, Text } from '../../contract/reply.ts';
import { headingBlock, joined, link, reply, stacked, strong, textBlock } from '../../contract/reply-parts.ts';
import { callerKey } from '../../contract/request.ts';
import { type Mode, modeOf, TERMS } from '../../contract/terms.ts';
import { askedCountry, countryCode } from '../../osu/asked-country.ts';
import { MODE_OPTION, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { chatPlayers } from '../../osu/chat-players.ts';
import { notice } from '../../views/notice.ts';
import { originBlocks, ppText } from '../../views/osu/beatmap.ts';
import { numberedPageActions } from '../../views/osu/beatmap-list.ts';
import { PROVEN_MARK } from '../../views/osu/player.ts';
import { ABOUT_PLAYER, numberedLine, playerMenu } from './osu-command.ts';

/** The number of players on a page of osu!'s ranking, and how many pages it has. */
const MOST = 50;
const PAGES = 200;
const MAX_CHOICES = 25;

/** Ranks this chat's members who have a linked player by pp, or shows osu!'s ranking. */
export const osuRanking = defineCommand({
  name: 'osu ranking',
  options: {
    mode: MODE_OPTION,
    of: { type: 'choice', choices: ['here', 'country', 'world'] },
    country: { ...TERMS.country, bare: word => countryCode(word) },
    page: { ...TERMS.page, max: PAGES },
  },
  ...ABOUT_PLAYER,
  async run({ mode, of, country: named, page = 1 }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const isPrivate = caller.chatKind !== 'group';
    if (of === 'world' || (isPrivate && (of === 'country' || named !== undefined))) {
      const country = of === 'world' && named === undefined ? undefined : await askedCountry(named, context);
      return worldRanking(await rulesetFor(mode, context), country, page, context);
    }
    if (isPrivate) return notice(t.messages.plays.onlyGroups);
    requirePlayers(services.beatmaps);
    const ruleset = await rulesetFor(mode, context);
    const linked = await chatPlayers(caller, services);
    if (linked.length === 0) return notice(t.messages.plays.noMembers);
    const asked = linked.slice(0, MOST).map(({ id }) => id);
    const isOfCountry = of === 'country' || named !== undefined;
    const country = isOfCountry ? await askedCountry(named, context) : undefined;
    const { players, stale } = await services.beatmaps.standings(asked, signal);
    const words = t.messages.plays.ranking;
    const proven = new Set(linked.flatMap(player => (player.proven ? [player.id] : [])));
    const ranked = players
      .filter(({ country_code }) => country === undefined || country_code === country)
      .map(({ standings, ...player }) => ({ ...player, isProven: proven.has(player.id), ...standings[ruleset] }))
      .toSorted((a, b) => (b.pp ?? 0) - (a.pp ?? 0))
      .map(({ pp, ...player }, index) => ({ ...player, worth: pp ? ppText(pp, t) : words.noPp, place: index + 1 }));
    if (ranked.length === 0 && country !== undefined) return notice(words.noneOfCountry({ country }));
    if (ranked.length === 0) return reply({ tone: 'notice', blocks: [textBlock(sentence(words.none))] });
    const left = linked.length - asked.length;
    return reply({
      blocks: [
        headingBlock(joined([words.title({ mode: t.messages.osu.modes[ruleset] }), country])),
        ...originBlocks({ source: 'osu', stale }, t),
        textBlock(stacked([...linesOf(ranked, ruleset, t), left > 0 ? [words.more({ n: left })] : []])),
      ],
      actions: menuOf(ranked, ruleset, context),
    });
  },
});

/** The ruleset that the person names, else that of their own player. */
async function rulesetFor(mode: Mode | undefined, { caller, services }: CommandContext): Promise<Ruleset> {
  const { player } = await services.settings.user(callerKey(caller));
  return rulesetOf(mode) ?? player?.mode ?? 'osu';
}

/** A page of osu!'s ranking. @param country two letters; undefined for the world */
async function worldRanking(
  ruleset: Ruleset,
  country: string | undefined,
  page: number,
  context: CommandContext,
): Promise<Reply> {
  const { services, signal, t } = context;
  const { players, stale } = await services.beatmaps.ranking(ruleset, { page, country }, signal);
  const words = t.messages.plays.ranking;
  const pageToken = (to: number) =>
    services.actions.encode({
      command: 'osu ranking',
      values: { of: 'world', mode: modeOf(ruleset), page: to, ...(country && { country }) },
    });
  const before = (page - 1) * MOST;
  const ranked = players.map(({ pp, ...player }, index) => {
    return { ...player, worth: ppText(pp, t), place: before + index + 1 };
  });
  return reply({
    blocks: [
      headingBlock(joined([words.world({ mode: t.messages.osu.modes[ruleset] }), country])),
      ...originBlocks({ source: 'osu', stale }, t),
      textBlock(ranked.length === 0 ? [words.nobody] : stacked(linesOf(ranked, ruleset, t))),
    ],
    actions: [
      ...numberedPageActions(page, players.length >= MOST && page < PAGES, pageToken, t),
      ...menuOf(ranked, ruleset, context),
    ],
  });
}

interface Ranked extends Pick<RankedPlayer, 'id' | 'username' | 'country_code'> {
  readonly global_rank?: number | null;
  readonly hit_accuracy?: number | null;
  readonly worth: string;
  readonly place: number;
  readonly isProven?: boolean;
}

function menuOf(players: readonly Ranked[], ruleset: Ruleset, context: CommandContext): readonly Action[] {
  const shown = players.slice(0, MAX_CHOICES);
  return playerMenu(
    shown.map(({ id, username, worth }) => ({ id, name: username, detail: worth, ruleset })),
    context,
  );
}

/** Lines such as `1. lamp post · 6,241 pp · #21,480 · ID · 97.85%`. */
function linesOf(players: readonly Ranked[], ruleset: Ruleset, t: Translator): readonly Text[] {
  return players.map(player => {
    const { id, username, country_code, global_rank = null, hit_accuracy = null, worth, place, isProven } = player;
    const parts = [
      [strong(link(userPage(id, ruleset), username)), ...(isProven ? [PROVEN_MARK] : [])],
      worth,
      global_rank === null || global_rank === place ? undefined : `#${t.number(global_rank)}`,
      country_code ?? undefined,
      hit_accuracy === null ? undefined : t.percent(hit_accuracy / 100, 2),
    ];
    return numberedLine(place, parts, t);
  });
}
