import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import type { Player, PlayerStatistics } from '../../../beatmaps/model/player.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { profilePicture } from '../../cards/profile-card.ts';
import { type CommandContext, defineCommand, modeOf, usageError } from '../../contract/command.ts';
import { sentence } from '../../contract/command-spec.ts';
import type { Size } from '../../contract/picture.ts';
import type { Block, Card, WordBlock } from '../../contract/reply.ts';
import { button, joined, reply, strong, textBlock } from '../../contract/reply-parts.ts';
import { callerKey } from '../../contract/request.ts';
import { ABOUT_PLAYER, askedUser, MODE_OPTION, PLAYER_OPTION, requirePlayers, rulesetOf } from '../../osu/asked.ts';
import { playerButtons } from '../../osu/buttons.ts';
import { isProvenHere } from '../../osu/chat-players.ts';
import { playsPart } from '../../osu/plays.ts';
import { notice } from '../../views/notice.ts';
import { knownFields, moment, originBlocks, PROVEN_MARK, playerHead, playerTitle } from '../../views/osu/facts.ts';

/** How long the profile waits for the player's best plays, in milliseconds. */
const PLAYS_WAIT_MS = 1_200;
const AVATAR = { width: 160, height: 160 };
const COVER = { width: 640, height: 118 };

export const osuProfile = defineCommand({
  name: 'osu profile',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION },
  ...ABOUT_PLAYER,
  accepts: 'player-link',
  async run({ player, mode }, context: CommandContext) {
    const { caller, services, t } = context;
    const { user, stale, isProven: isOwn } = await askedUser({ player, mode }, context);
    const values = { player: String(user.id), mode: modeOf(user.mode) };
    const isProven = isOwn || (await isProvenHere(user.id, caller, services));
    const words = t.messages.osu;
    const { encode } = services.actions;
    return reply({
      blocks: [
        ...originBlocks({ source: 'osu', stale }, t),
        ...(await profileBlocks(user, isProven, context)),
        ...mappingBlocks(user, t),
      ],
      actions: [
        { kind: 'link', label: words.openAtOsu, url: user.url },
        button(words.profile.best, encode({ command: 'osu scores', values: { type: 'best', ...values } })),
        button(words.profile.recent, encode({ command: 'osu recent', values })),
        button(words.profile.maps, encode({ command: 'osu maps', values: { player: values.player } })),
      ],
    });
  },
});

/** Shows a player's record in the daily challenge, which only osu!lazer has, and only for the ruleset osu!. */
export const osuDaily = defineCommand({
  name: 'osu daily',
  options: { player: PLAYER_OPTION },
  ...ABOUT_PLAYER,
  async run({ player }, context: CommandContext) {
    const { services, t } = context;
    const { user, stale } = await askedUser({ player }, context);
    const words = t.messages.plays.daily;
    const head = playerHead(user, words.title, stale, t);
    const actions = playerButtons(user, ['profile', 'recent'], services, t);
    const daily = user.daily_challenge_user_stats;
    if (daily === null || daily.playcount === 0) {
      return reply({ tone: 'notice', blocks: [...head, textBlock([words.none])], actions });
    }
    const lastDay = moment(daily.last_update, 'date');
    const fields = knownFields([
      [words.days, t.number(daily.daily_streak_current)],
      [words.mostDays, t.number(daily.daily_streak_best)],
      [words.weeks, t.number(daily.weekly_streak_current)],
      [words.mostWeeks, t.number(daily.weekly_streak_best)],
      [words.played, t.number(daily.playcount)],
      [words.topTenth, t.number(daily.top_10p_placements)],
      [words.topHalf, t.number(daily.top_50p_placements)],
      [words.last, lastDay && [lastDay]],
    ]);
    return reply({ blocks: [...head, { kind: 'fields', fields }], actions });
  },
});

/**
 * Shows the profile as an image card, together with a text of the facts that the card lacks; or, without image cards,
 * as text alone.
 */
async function profileBlocks(player: Player, isProven: boolean, context: CommandContext): Promise<readonly Block[]> {
  const { services, t } = context;
  const { painter, artwork } = services;
  const inWords = [playerCard(player, isProven, t), ...statisticsBlocks(player, t)];
  if (painter === undefined) return inWords;
  const load = (url: string | null, shape: Size) => (url === null ? undefined : artwork?.load(url, shape));
  const [best, avatar, cover] = await Promise.all([
    bestWorth(player, context),
    load(player.avatar_url, AVATAR),
    load(player.cover_url, COVER),
  ]);
  const picture = profilePicture({ player, isProven, best, avatar, cover }, painter, t);
  const { image: _, ...card } = playerCard(player, isProven, t, true);
  return [{ ...picture, beside: [card, ...statisticsBlocks(player, t, true)], instead: inWords, repeats: true }];
}

/**
 * The pp of the best plays; empty if the plays cannot be read or do not arrive in time, so that the card has no curve.
 */
async function bestWorth(player: Player, { services, signal }: CommandContext): Promise<readonly number[]> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(PLAYS_WAIT_MS)]);
  try {
    const { scores } = await playsPart(player, 'best', 0, services.beatmaps, soon);
    return scores.flatMap(({ pp }) => (pp === null ? [] : [pp]));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

/**
 * A text card of the player with all that osu! states.
 * @param isProven true when someone in the chat proved, by signing in at osu!, to be this player
 * @param isDrawn true when an image card already shows the player's country, ruleset and title
 */
function playerCard(player: Player, isProven: boolean, t: Translator, isDrawn = false): Card {
  const words = t.messages.osu;
  const since = moment(player.join_date, 'date');
  const visit = moment(player.last_visit, 'relative');
  const seen = visit && [words.profile.seen, ' ', visit];
  return {
    kind: 'card',
    title: [...playerTitle(player), ...(isProven ? [PROVEN_MARK] : [])],
    lines: [
      joined([
        ...(isDrawn ? [] : [player.country === null ? undefined : t.country(player.country), words.modes[player.mode]]),
        player.is_supporter ? words.profile.supporter : undefined,
      ]),
      isProven ? [t.messages.linking.proven] : [],
      joined([
        isDrawn ? undefined : (player.title ?? undefined),
        teamText(player),
        ...player.groups.map(({ name }) => name),
      ]),
      joined([since && [words.profile.joined, ' ', since], player.is_online ? [words.profile.online] : seen]),
    ].filter(line => line.length > 0),
    image: { kind: 'image', url: player.avatar_url, alt: player.username, ratio: 1 },
  };
}

function teamText({ team }: Player): string | undefined {
  if (team === null) return undefined;
  return team.short_name === null ? team.name : `[${team.short_name}] ${team.name}`;
}

/** The player's statistics as text. @param isDrawn an image card already shows the most important ones */
function statisticsBlocks(player: Player, t: Translator, isDrawn = false): readonly WordBlock[] {
  const { statistics, country, rank_highest } = player;
  if (statistics === null) return [];
  const words = t.messages.osu.profile;
  /** A value in words; undefined if osu! does not state the value. */
  const shown = <V>(value: V | null, text: (value: V) => string) => (value === null ? undefined : text(value));
  const place = (rank: number) => `#${t.number(rank)}`;
  const levelText = ({ current, progress }: NonNullable<PlayerStatistics['level']>) =>
    t.messages.joining.aside({ words: t.number(current), aside: t.percent(progress / 100, 0) });
  const hoursText = (seconds: number) => {
    const n = Math.round(seconds / 3600);
    return words.hours({ n, shown: t.number(n) });
  };
  const { global_rank, country_rank, level, grade_counts, variants } = statistics;
  const ofCountry = country && shown(country_rank, rank => `${country.code} ${place(rank)}`);
  const drawn = [
    [words.rank, global_rank === null ? words.unranked : joined([place(global_rank), ofCountry ?? undefined])],
    [words.pp, shown(statistics.pp, pp => t.decimal(pp, 0))],
    [words.accuracy, shown(statistics.hit_accuracy, accuracy => t.percent(accuracy / 100, 2))],
    [words.level, shown(level, levelText)],
    [words.plays, shown(statistics.play_count, t.number)],
    [words.time, shown(statistics.play_time, hoursText)],
    [
      words.grades,
      shown(grade_counts, ({ ss, ssh, s, sh, a }) => {
        return `SS ${t.number(ss + ssh)} · S ${t.number(s + sh)} · A ${t.number(a)}`;
      }),
    ],
  ] as const;
  const reached = rank_highest && moment(rank_highest.updated_at, 'date');
  // In mania, players have a rank for each number of keys.
  const ofKeys = variants.flatMap(({ variant, global_rank: rank }) => {
    return rank === null ? [] : [`${variant.toUpperCase()} ${place(rank)}`];
  });
  const fields = knownFields([
    ...(isDrawn ? [] : drawn),
    [words.combo, shown(statistics.maximum_combo, combo => `${t.number(combo)}x`)],
    [words.score, shown(statistics.ranked_score, t.number)],
    [
      words.peak,
      rank_highest === null ? undefined : joined([place(rank_highest.rank), reached ? [reached] : undefined]),
    ],
    [words.medals, shown(player.achievement_count, t.number)],
    [words.followers, shown(player.follower_count, t.number)],
    [words.keys, ofKeys.join(' · ')],
  ]);
  return fields.length === 0 ? [] : [{ kind: 'fields', fields }];
}

/** Counts of the maps that a player made; empty for players who make none. */
function mappingBlocks(player: Player, t: Translator): readonly Block[] {
  const words = t.messages.osu;
  const counts = [
    [words.mapTypes.ranked, player.ranked_beatmapset_count],
    [words.mapTypes.loved, player.loved_beatmapset_count],
    [words.mapTypes.pending, player.pending_beatmapset_count],
    [words.mapTypes.graveyard, player.graveyard_beatmapset_count],
    [words.mapTypes.guest, player.guest_beatmapset_count],
  ] as const;
  const shown = counts.flatMap(([name, count]) =>
    count === null || count === 0 ? [] : [t.messages.joining.labelled({ name, value: t.number(count) })],
  );
  if (shown.length === 0) return [];
  return [textBlock([strong(words.profile.mapping), ' ', ...joined(shown)])];
}

/**
 * Links the caller to an osu! player, whose name they may then leave out of commands. The caller names the player or,
 * if the host configured sign-in, signs in at osu! as the player.
 */
export const osuLink = defineCommand({
  name: 'osu link',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION },
  ...ABOUT_PLAYER,
  visibility: 'caller',
  async run({ player, mode }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    requirePlayers(services.beatmaps);
    const ruleset = rulesetOf(mode);
    if (player === undefined) return offerSignIn(ruleset ?? null, context);
    const { user } = await services.beatmaps.user(player, ruleset, signal);
    const { player: known } = await services.settings.user(callerKey(caller));
    const linked = {
      id: user.id,
      name: user.username,
      mode: ruleset ?? null,
      // A person who has proved to be this player, and only chooses another mode, stays proven.
      proven: known?.proven === true && known.id === user.id,
    };
    await services.settings.setUser(callerKey(caller), { player: linked });
    const words = t.messages.osu;
    const text =
      ruleset === undefined
        ? words.linked({ name: linked.name })
        : words.linkedIn({ name: linked.name, mode: words.modes[ruleset] });
    return reply({ tone: 'success', blocks: [textBlock(sentence(text))], visibility: 'caller' });
  },
});

async function offerSignIn(mode: Ruleset | null, { caller, services, t }: CommandContext) {
  if (services.accountLinks === undefined) throw usageError('noName');
  // The sign-in address links the person who opens it to the caller, so it is never shown to a group.
  const isSeen = caller.chatKind === 'group' && caller.answersAlone !== true;
  if (isSeen) return notice(t.messages.linking.inPrivate);
  const words = t.messages.linking;
  const url = await services.accountLinks.offer(callerKey(caller), mode);
  return reply({
    blocks: [textBlock([words.offer]), textBlock(sentence(words.byName))],
    actions: [{ kind: 'link', label: words.button, url }],
    visibility: 'caller',
  });
}

export const osuUnlink = defineCommand({
  name: 'osu unlink',
  options: {},
  visibility: 'caller',
  cost: 0,
  subject: 'player',
  async run(_values, { caller, services, t }: CommandContext) {
    const { player } = await services.settings.user(callerKey(caller));
    await services.settings.setUser(callerKey(caller), { player: null });
    const words = t.messages.osu;
    return reply({
      tone: player === null ? 'notice' : 'success',
      blocks: [textBlock([player === null ? words.notLinked : words.unlinked({ name: player.name })])],
      visibility: 'caller',
    });
  },
});
