import { statusNumber } from '../../../beatmaps/model/beatmapset.ts';
import { matchOsuLink, scorePage, userPage } from '../../../beatmaps/model/link.ts';
import { areMods, clockRateOf } from '../../../beatmaps/model/mods.ts';
import { type Score, shownMods } from '../../../beatmaps/model/score.ts';
import { replacePlay, type WhatIf } from '../../../beatmaps/plays/total-pp.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand, modeOf, TERMS, usageError } from '../../contract/command.ts';
import type { Text } from '../../contract/reply.ts';
import { button, headingBlock, joined, link, reply, textBlock } from '../../contract/reply-parts.ts';
import { ABOUT_PLAYER, askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked.ts';
import { mapButtons, mapOfPlay, openMapToken, openPlayerToken, playerButtons, tokensOf } from '../../osu/buttons.ts';
import { type BestPlays, bestPlays, PLAYS_A_CALL, ratePlays } from '../../osu/plays.ts';
import { gainText, inMode, originBlocks, playerHead, playerTitle } from '../../views/osu/facts.ts';
import { loadCover, playBlock } from '../../views/osu/play.ts';
import { estimateBlocks } from '../../views/osu/score.ts';

const MAX_LINK = 300;

/** Shows one of a player's last plays, with its position on the map and among their best plays. */
export const osuRecent = defineCommand({
  name: 'osu recent',
  options: {
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
    index: { ...TERMS.index, max: PLAYS_A_CALL },
    pass: { type: 'boolean', also: ['passed', 'passes'] },
  },
  ...ABOUT_PLAYER,
  async run({ player, mode, index: nth = 1, pass = false }, context: CommandContext) {
    const { services, signal, t } = context;
    const { user } = await askedUser({ player, mode }, context);
    const options = { ruleset: user.mode, limit: PLAYS_A_CALL, signal };
    const { scores: all, stale } = await services.beatmaps.userScores(user.id, 'recent', options);
    const scores = pass ? all.filter(({ passed }) => passed) : all;
    const score = scores[nth - 1];
    const words = t.messages.plays.recent;
    const ruleset = t.messages.osu.modes[user.mode];
    const actions = playerButtons(user, ['best', 'profile'], services, t);
    if (score === undefined) {
      const count = { n: scores.length, shown: t.number(scores.length) };
      const { none, noSuch } = t.messages.plays.shown;
      const passed = count.n === 0 ? none : noSuch(count);
      const fewer = count.n === 0 ? words.none : words.fewer(count);
      const text = pass && all.length > 0 ? passed : fewer;
      const heading = headingBlock([...playerTitle(user), ` (${ruleset})`]);
      const blocks = [heading, ...originBlocks({ source: 'osu', stale }, t), textBlock([text])];
      return reply({ tone: 'notice', blocks, actions });
    }
    const cover = loadCover(score.beatmapset, services);
    const [rating, best, rank] = await Promise.all([
      rate(score, context),
      ifKnown(bestPlays(user, services.beatmaps, signal), signal),
      rankOf(score, context),
    ]);
    await remember(score, context);
    const standing = standingText(score, rank, rating, best, t);
    const play = await playBlock({ score, rating, cover, name: user.username, standing }, services, t);
    const title = nth === 1 ? words.title({ mode: ruleset }) : words.nth({ n: t.number(nth), mode: ruleset });
    const values = { player: String(user.id), mode: modeOf(user.mode), pass: pass || undefined };
    const token = tokensOf('osu recent', values, services);
    const { earlier, later } = t.messages.plays.buttons;
    const map = mapOf(score);
    return reply({
      blocks: [...playerHead(user, title, stale, t), play, ...estimateBlocks([rating], t)],
      actions: [
        ...(hasPage(score)
          ? [{ kind: 'link', label: t.messages.osu.openAtOsu, url: scorePage(score.id) } as const]
          : []),
        ...(nth < scores.length ? [button(earlier, token({ index: nth + 1 }))] : []),
        ...(nth > 1 ? [button(later, token({ index: nth - 1 }))] : []),
        ...(map === undefined ? [] : mapButtons(map, ['map', 'compare', 'leaderboard', 'simulate'], services, t)),
        ...actions,
      ],
    });
  },
});

export const osuScore = defineCommand({
  name: 'osu score',
  options: { play: { type: 'string', form: 'word', required: true, maxLength: MAX_LINK } },
  ...ABOUT_PLAYER,
  accepts: 'score-link',
  async run({ play }, context: CommandContext) {
    const { services, signal, t } = context;
    // A number alone is the id of a play.
    const asked = matchOsuLink(/^\d+$/.test(play) ? scorePage(Number(play)) : play);
    if (asked?.kind !== 'score') throw usageError('notScoreLink');
    const { score, stale } = await services.beatmaps.score(asked.id, asked.ruleset, signal);
    const cover = loadCover(score.beatmapset, services);
    const rating = await rate(score, context);
    await remember(score, context);
    const { user_id, username, mode } = score;
    const map = mapOfPlay(score);
    const words = t.messages.osu;
    const name = username ?? words.scores.unknownPlayer;
    return reply({
      blocks: [
        headingBlock([user_id === null ? name : link(userPage(user_id, mode), name), inMode('', mode, t)]),
        ...originBlocks({ source: 'osu', stale }, t),
        await playBlock({ score, rating, cover }, services, t),
        ...estimateBlocks([rating], t),
      ],
      actions: [
        { kind: 'link', label: words.openAtOsu, url: scorePage(asked.id, asked.ruleset) },
        ...(map === undefined
          ? []
          : [button(words.scores.map, openMapToken(services, { ...map, mods: modsToOpen(score) }))]),
        ...(user_id === null ? [] : [button(words.scores.player, openPlayerToken(context, user_id, mode))]),
      ],
    });
  },
});

/** The play's rating, with the strains that its image card shows. */
async function rate(score: Score, context: CommandContext): Promise<Rating | undefined> {
  const ratings = await ratePlays([score], context, { strains: context.services.painter !== undefined });
  return ratings.get(score);
}

/** Remembers the play's map as the last one that was shown in the chat. */
async function remember({ beatmap_id, mode }: Score, { caller, services }: CommandContext): Promise<void> {
  if (beatmap_id !== null) await services.memory.maps.remember(caller, { id: beatmap_id, ruleset: mode });
}

/** The mods with which to open a play's map: the play's own mods, if the map can have them. */
function modsToOpen(score: Score): readonly string[] {
  const mods = shownMods(score);
  return score.mode === score.beatmap?.mode && areMods(mods, score.mode) ? mods : [];
}

/** The result; undefined after a failure, which was logged where it happened: the card can do without the result. */
async function ifKnown<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await asked;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** The play's position on the map's leaderboard. osu! states it only in an answer about this play alone. */
async function rankOf(score: Score, { services, signal }: CommandContext): Promise<number | null> {
  const { id, beatmap } = score;
  if (!hasPage(score) || beatmap === null || statusNumber(beatmap.status) <= 0) return null;
  return (await ifKnown(services.beatmaps.score(id, undefined, signal), signal))?.score.rank_global ?? null;
}

/** True for a play that has a page at osu!: a passed play with an id of osu!'s. */
function hasPage({ id, passed }: Score): boolean {
  return passed && id > 0;
}

function mapOf(score: Score) {
  const map = mapOfPlay(score);
  const shown = shownMods(score);
  const rate = clockRateOf(score.mods);
  return map && { ...map, mods: shown, rate: rate === clockRateOf(shown) ? undefined : rate };
}

/** The place that the play would have without misses, if it replaced the player's best play on the map. */
function placeIfFullCombo(score: Score, { play }: Rating, best: BestPlays): WhatIf | undefined {
  const status = score.beatmap === null ? 0 : statusNumber(score.beatmap.status);
  const givesPp = status === 1 || status === 2;
  if (!givesPp || play === null || score.is_perfect_combo) return undefined;
  const index = best.scores.findIndex(({ beatmap_id }) => beatmap_id === score.beatmap_id);
  return replacePlay(best, index, play.ppIfFullCombo);
}

/**
 * A line such as `#12 on this map · #3 of the best plays · as a full combo about #1 …`.
 * @param rank the position on the map's leaderboard; null when the play is not on it
 */
function standingText(
  score: Score,
  rank: number | null,
  rating: Rating | undefined,
  best: BestPlays | undefined,
  t: Translator,
): Text {
  const words = t.messages.plays;
  const index = best?.scores.findIndex(({ id }) => id === score.id) ?? -1;
  const { gain = 0, place = null } = (best && rating && placeIfFullCombo(score, rating, best)) ?? {};
  return joined([
    rank === null ? undefined : words.onMap({ rank: t.number(rank) }),
    index < 0 ? undefined : words.inBest({ place: t.number(index + 1) }),
    place !== null && gain >= 0.05
      ? words.bestIfFullCombo({ place: t.number(place), gain: gainText(gain, t) })
      : undefined,
  ]);
}
