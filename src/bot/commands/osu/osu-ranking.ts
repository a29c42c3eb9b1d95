import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { userPage } from '../../../beatmaps/model/link.ts';
import { foldPlayerName, type RankedPlayer } from '../../../beatmaps/model/player.ts';
import { parsePlayerRef, rulesetOfLink } from '../../../beatmaps/players.ts';
import { AppError } from '../../../errors.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { TrackedPlayer } from '../../contract/chat-memory.ts';
import { type CommandContext, defineCommand, type Mode, modeOf, TERMS } from '../../contract/command.ts';
import { sentence } from '../../contract/command-spec.ts';
import type { Action, Reply, Text } from '../../contract/reply.ts';
import { button, headingBlock, joined, link, reply, stacked, strong, textBlock } from '../../contract/reply-parts.ts';
import { callerKey } from '../../contract/request.ts';
import {
  ABOUT_PLAYER,
  askedCountry,
  countryCode,
  MODE_OPTION,
  namedPlayer,
  PLAYER_OPTION,
  REACH_WORDS,
  requirePlayers,
  rulesetOf,
} from '../../osu/asked.ts';
import { playerMenu, tokensOf } from '../../osu/buttons.ts';
import { chatPlayers } from '../../osu/chat-players.ts';
import { decidesForChat } from '../../stores/settings-store.ts';
import { notice } from '../../views/notice.ts';
import { numberedLine, numberedPageActions } from '../../views/osu/beatmap-list.ts';
import { originBlocks, PROVEN_MARK, ppText } from '../../views/osu/facts.ts';

/** How many of a group's most recent members are looked up; osu! is asked for 50 at a time. */
const MOST_MEMBERS = 200;
/** The number of players on a page of a ranking, and how many pages osu!'s has. */
const MOST = 50;
const PAGES = 200;
const MAX_CHOICES = 25;

/** Ranks this chat's members who have a linked player by pp, or shows osu!'s ranking. */
export const osuRanking = defineCommand({
  name: 'osu ranking',
  options: {
    mode: MODE_OPTION,
    of: {
      type: 'choice',
      choices: ['here', 'country', 'world'],
      alias: word => REACH_WORDS.get(word),
    },
    country: { ...TERMS.country, bare: word => countryCode(word) },
    page: { ...TERMS.page, max: PAGES, bare: word => /^#?([1-9]\d{0,2})$/.exec(word)?.[1] },
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
    const asked = linked.slice(0, MOST_MEMBERS).map(({ id }) => id);
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
    const shown = ranked.slice((page - 1) * MOST, page * MOST);
    if (shown.length === 0) return notice(t.messages.osu.scores.noMore);
    const left = linked.length - asked.length;
    const token = tokensOf('osu ranking', { of, mode: modeOf(ruleset), country }, services);
    return reply({
      blocks: [
        headingBlock(joined([words.title({ mode: t.messages.osu.modes[ruleset] }), country])),
        ...originBlocks({ source: 'osu', stale }, t),
        textBlock(stacked([...linesOf(shown, ruleset, t), left > 0 ? [words.more({ n: left })] : []])),
      ],
      actions: [
        ...numberedPageActions(page, ranked.length > page * MOST, token, t),
        ...menuOf(shown, ruleset, context),
      ],
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
  const token = tokensOf('osu ranking', { of: 'world', mode: modeOf(ruleset), country }, services);
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
      ...numberedPageActions(page, players.length >= MOST && page < PAGES, token, t),
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

/** Lets admins choose players whose new best plays are posted in the chat; without a player, lists the chosen ones. */
export const osuTrack = defineCommand({
  name: 'osu track',
  options: {
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
    stop: { type: 'boolean', only: 'typed' },
  },
  ...ABOUT_PLAYER,
  async run({ player, mode, stop = false }, context: CommandContext) {
    const { caller, services, t } = context;
    const { tracked } = services.memory;
    const words = t.messages.plays.track;
    if (!tracked.canPost(caller.platform)) return notice(words.cannotPost);
    if (!stop) requirePlayers(services.beatmaps);
    if (caller.chatKind !== 'group') return notice(words.onlyGroups);
    if (player === undefined) return shown(undefined, context);
    if (!(await decidesForChat(caller))) {
      throw new AppError('forbidden', 'no admin of this chat', { params: { what: 'tracking' } });
    }
    const named = await namedPlayer(player, context);
    if (stop) return shown(await stopTracking(String(named.user), rulesetOf(mode), context), context);
    const { user } = await services.beatmaps.user(
      named.user,
      rulesetOf(mode) ?? named.mode ?? undefined,
      context.signal,
    );
    const asked: TrackedPlayer = { id: user.id, name: user.username, mode: user.mode };
    const hasRoom = await tracked.add(caller, asked);
    return shown(
      hasRoom ? words.added({ name: asked.name, mode: t.messages.osu.modes[asked.mode] }) : words.full,
      context,
    );
  },
});

/**
 * Finds the player among the tracked ones by the stored name or id, without asking osu!. In this way a player can also
 * be removed who has since been renamed or deleted at osu!.
 */
async function stopTracking(
  player: string,
  mode: Ruleset | undefined,
  { caller, services, t }: CommandContext,
): Promise<string> {
  const { tracked } = services.memory;
  const words = t.messages.plays.track;
  const ref = parsePlayerRef(player);
  const name = foldPlayerName(String(ref));
  const isMeant = (each: TrackedPlayer) => each.id === ref || foldPlayerName(each.name) === name;
  const wanted = mode ?? rulesetOfLink(player);
  const all = (await tracked.list(caller)).filter(each => wanted === undefined || each.mode === wanted);
  const meant = all.filter(isMeant);
  const removed: TrackedPlayer[] = [];
  for (const each of meant) if (await tracked.remove(caller, each)) removed.push(each);
  return removed[0] === undefined ? words.notTracked : words.removed({ name: removed[0].name });
}

/** Lists the players whose new plays are posted in the chat. @param change a sentence about what was just changed */
async function shown(change: string | undefined, context: CommandContext): Promise<Reply> {
  const { caller, services, t } = context;
  const players = await services.memory.tracked.list(caller);
  const words = t.messages.plays.track;
  const { modes } = t.messages.osu;
  const said = change === undefined ? [] : [textBlock([change])];
  if (players.length === 0) {
    return reply({ tone: 'notice', blocks: change === undefined ? [textBlock(sentence(words.none))] : said });
  }
  const token = tokensOf('osu track', { stop: true }, services);
  const lines = players.map(({ id, name, mode }) => joined([[link(userPage(id, mode), name)], modes[mode]]));
  const listed = players.map(({ id, name, mode }) => ({ id, name, detail: modes[mode], ruleset: mode }));
  return reply({
    tone: change === undefined ? 'neutral' : 'success',
    blocks: [...said, headingBlock([words.title]), textBlock(stacked(lines))],
    actions: [
      ...playerMenu(listed, context),
      ...players.map(({ id, name, mode }) =>
        button(words.stop({ name }), token({ player: String(id), mode: modeOf(mode) })),
      ),
    ],
  });
}
