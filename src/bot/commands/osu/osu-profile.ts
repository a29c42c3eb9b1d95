import type { Player, PlayerStatistics } from '../../../beatmaps/model/player.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { profilePicture } from '../../cards/profile-card.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import type { Size } from '../../contract/picture.ts';
import {
  type Block,
  button,
  type Card,
  joined,
  reply,
  strong,
  type Text,
  textBlock,
  type WordBlock,
} from '../../contract/reply.ts';
import { modeOf } from '../../contract/terms.ts';
import { askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { isProvenHere } from '../../osu/chat-players.ts';
import { playsPart } from '../../osu/plays.ts';
import { day, originBlocks } from '../../views/osu/beatmap.ts';
import { PROVEN_MARK, playerTitle } from '../../views/osu/player.ts';

/** How long the profile waits for the player's best plays, in milliseconds. */
const PLAYS_WAIT_MS = 1_200;
const AVATAR = { width: 160, height: 160 };
const COVER = { width: 640, height: 118 };

/** Shows a player's profile. */
export const osuProfile = defineCommand({
  name: 'osu profile',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  accepts: 'player-link',
  async run({ player, mode }, context: CommandContext) {
    const { caller, services, t } = context;
    const { user, stale, isProven: isOwn } = await askedUser({ player, mode }, context);
    const values = { player: String(user.id), mode: modeOf(user.mode) };
    const token = (command: string, more: Readonly<Record<string, string>>) =>
      services.actions.encode({ command, values: { ...more, ...values } });
    const isProven = isOwn || (await isProvenHere(user.id, caller, services));
    const inWords = [
      playerCard(user, isProven, t),
      ...(user.statistics === null ? [] : statisticsBlocks(user, user.statistics, t)),
    ];
    const words = t.messages.osu;
    return reply({
      blocks: [
        ...originBlocks({ source: 'osu', stale }, t),
        ...(await profileBlocks(user, isProven, inWords, context)),
        ...mappingBlocks(user, t),
      ],
      actions: [
        { kind: 'link', label: words.openAtOsu, url: user.url },
        button(words.profile.best, token('osu scores', { type: 'best' })),
        button(words.profile.recent, token('osu recent', {})),
        button(words.profile.maps, services.actions.encode({ command: 'osu maps', values: { player: values.player } })),
      ],
    });
  },
});

/** Shows the profile: as an image card with the facts that are not on it, or all of it as text. */
async function profileBlocks(
  player: Player,
  isProven: boolean,
  inWords: readonly WordBlock[],
  context: CommandContext,
): Promise<readonly Block[]> {
  const { painter, artwork } = context.services;
  const { t } = context;
  if (painter === undefined) return inWords;
  const load = (url: string | null, shape: Size) => (url === null ? undefined : artwork?.load(url, shape));
  const [best, avatar, cover] = await Promise.all([
    bestWorth(player, context),
    load(player.avatar_url, AVATAR),
    load(player.cover_url, COVER),
  ]);
  const picture = profilePicture({ player, isProven, best, avatar, cover }, painter, t);
  const { image: _, ...card } = playerCard(player, isProven, t, true);
  const more = player.statistics === null ? [] : statisticsBlocks(player, player.statistics, t, true);
  return [{ ...picture, beside: [card, ...more], instead: inWords, repeats: true }];
}

/** The pp of the best plays. If they fail or do not come in time there are none, and the card has no curve. */
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
 * @param isProven someone of the chat proved to be this player
 * @param isDrawn an image card shows their country, ruleset and title
 */
function playerCard(player: Player, isProven: boolean, t: Translator, isDrawn = false): Card {
  const words = t.messages.osu;
  return {
    kind: 'card',
    title: [...playerTitle(player), ...(isProven ? [PROVEN_MARK] : [])],
    lines: [
      joined([
        ...(isDrawn ? [] : [player.country?.name, words.modes[player.mode]]),
        player.is_supporter ? words.profile.supporter : undefined,
      ]),
      isProven ? [t.messages.linking.proven] : [],
      joined([
        isDrawn ? undefined : (player.title ?? undefined),
        teamText(player),
        ...player.groups.map(({ name }) => name),
      ]),
      joined([joinedText(player, t), seenText(player, t)]),
    ].filter(line => line.length > 0),
    image: { kind: 'image', url: player.avatar_url, alt: player.username, ratio: 1 },
  };
}

function teamText({ team }: Player): string | undefined {
  if (team === null) return undefined;
  return team.short_name === null ? team.name : `[${team.short_name}] ${team.name}`;
}

function joinedText({ join_date }: Player, t: Translator): Text | undefined {
  const date = day(join_date);
  return date === undefined ? undefined : [t.messages.osu.profile.joined, ' ', date];
}

function seenText({ is_online, last_visit }: Player, t: Translator): Text | undefined {
  const words = t.messages.osu.profile;
  if (is_online) return [words.online];
  const at = last_visit === null ? Number.NaN : Date.parse(last_visit);
  return Number.isNaN(at) ? undefined : [words.seen, ' ', { kind: 'time', at, style: 'relative' }];
}

function levelText({ current, progress }: NonNullable<PlayerStatistics['level']>, t: Translator): string {
  return t.messages.joining.aside({ words: t.number(current), aside: t.percent(progress / 100, 0) });
}

/** The player's figures as text. @param isDrawn an image card already shows the most important ones */
function statisticsBlocks(
  player: Player,
  statistics: PlayerStatistics,
  t: Translator,
  isDrawn = false,
): readonly WordBlock[] {
  const words = t.messages.osu.profile;
  const number = (value: number | null) => (value === null ? undefined : [t.number(value)]);
  const { pp, hit_accuracy, play_time, level } = statistics;
  const drawn: readonly (readonly [string, Text | undefined])[] = [
    [words.rank, rankText(player, statistics, t)],
    [words.pp, pp === null ? undefined : [t.decimal(pp, 0)]],
    [words.accuracy, hit_accuracy === null ? undefined : [t.percent(hit_accuracy / 100, 2)]],
    [words.level, level === null ? undefined : [levelText(level, t)]],
    [words.plays, number(statistics.play_count)],
    [
      words.time,
      play_time === null
        ? undefined
        : [words.hours({ n: Math.round(play_time / 3600), shown: t.number(Math.round(play_time / 3600)) })],
    ],
    [words.grades, gradesText(statistics, t)],
  ];
  const others: typeof drawn = [
    [words.combo, statistics.maximum_combo === null ? undefined : [`${t.number(statistics.maximum_combo)}x`]],
    [words.score, number(statistics.ranked_score)],
    [words.peak, peakText(player, t)],
    [words.medals, number(player.achievement_count)],
    [words.followers, number(player.follower_count)],
    [words.keys, keysText(statistics, t)],
  ];
  const known = [...(isDrawn ? [] : drawn), ...others].flatMap(([label, value]) =>
    value === undefined ? [] : [{ label, value }],
  );
  return known.length === 0 ? [] : [{ kind: 'fields', fields: known }];
}

function rankText({ country }: Player, { global_rank, country_rank }: PlayerStatistics, t: Translator): Text {
  const words = t.messages.osu.profile;
  if (global_rank === null) return [words.unranked];
  const own = country_rank === null || country === null ? undefined : `${country.code} #${t.number(country_rank)}`;
  return joined([`#${t.number(global_rank)}`, own]);
}

function gradesText({ grade_counts }: PlayerStatistics, t: Translator): Text | undefined {
  if (grade_counts === null) return undefined;
  const { ss, ssh, s, sh, a } = grade_counts;
  return [`SS ${t.number(ss + ssh)} · S ${t.number(s + sh)} · A ${t.number(a)}`];
}

function peakText({ rank_highest }: Player, t: Translator): Text | undefined {
  if (rank_highest === null) return undefined;
  const date = day(rank_highest.updated_at);
  return joined([`#${t.number(rank_highest.rank)}`, date === undefined ? undefined : [date]]);
}

/** The player's ranks in mania by number of keys. */
function keysText({ variants }: PlayerStatistics, t: Translator): Text | undefined {
  const shown = variants.flatMap(({ variant, global_rank }) =>
    global_rank === null ? [] : [`${variant.toUpperCase()} #${t.number(global_rank)}`],
  );
  return shown.length === 0 ? undefined : [shown.join(' · ')];
}

/** Figures about the maps that a player made; empty for players who make none. */
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
