import { statusNumber } from '../../../beatmaps/model/beatmapset.ts';
import { scorePage } from '../../../beatmaps/model/link.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import { type Score, shownMods } from '../../../beatmaps/model/score.ts';
import { replacePlay, type WhatIf } from '../../../beatmaps/plays/totals.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { button, headingBlock, joined, labelled, reply, type Text, textBlock } from '../../contract/reply.ts';
import { modeOf, TERMS } from '../../contract/terms.ts';
import { askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { mapButtons, playerButtons } from '../../osu/buttons.ts';
import { type BestPlays, bestPlays, PLAYS_A_CALL, ratePlays } from '../../osu/plays.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { loadCover, playBlock } from '../../views/osu/play.ts';
import { gainText, playerTitle } from '../../views/osu/player.ts';
import { estimateBlocks } from '../../views/osu/score.ts';

/** Shows one of a player's last plays, with its position on the map and among their best plays. */
export const osuRecent = defineCommand({
  name: 'osu recent',
  options: {
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
    index: { ...TERMS.index, max: PLAYS_A_CALL },
    pass: { type: 'boolean', also: ['passed', 'passes'] },
  },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ player, mode, index: nth = 1, pass = false }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const { user } = await askedUser({ player, mode }, context);
    const options = { ruleset: user.mode, limit: PLAYS_A_CALL, signal };
    const { scores: all, stale } = await services.beatmaps.userScores(user.id, 'recent', options);
    const scores = pass ? all.filter(({ passed }) => passed) : all;
    const score = scores[nth - 1];
    if (score === undefined) {
      const actions = playerButtons(user, ['best', 'profile'], services, t);
      const words = t.messages.plays.recent;
      const [n, inMode] = [scores.length, t.messages.osu.modes[user.mode]];
      const passed = n === 0 ? t.messages.plays.shown.none : t.messages.plays.shown.noSuch({ n, shown: t.number(n) });
      const fewer = n === 0 ? words.none : words.fewer({ n, shown: t.number(n) });
      const text = pass && all.length > 0 ? passed : fewer;
      const heading = headingBlock([...playerTitle(user), ` (${inMode})`]);
      const blocks = [heading, ...originBlocks({ source: 'osu', stale }, t), textBlock([text])];
      return reply({ tone: 'notice', blocks, actions });
    }
    const cover = loadCover(score.beatmapset, services);
    const [ratings, best, rank] = await Promise.all([
      ratePlays([score], context, { strains: services.painter !== undefined }),
      ifKnown(bestPlays(user, services.beatmaps, signal), signal),
      rankOf(score, context),
    ]);
    const map = mapOf(score);
    if (map !== undefined) await services.memory.maps.remember(caller, { id: map.id, ruleset: score.mode });
    const rating = ratings.get(score.id);
    const ifFullCombo = best && rating && placeIfFullCombo(score, rating, best);
    const standing = standingText({ rank, place: best && placeOf(score, best), ifFullCombo }, t);
    const play = await playBlock({ score, rating, cover, name: user.username, standing }, services, t);
    const inMode = t.messages.osu.modes[user.mode];
    const words = t.messages.plays.recent;
    const title = nth === 1 ? words.title({ mode: inMode }) : words.nth({ n: t.number(nth), mode: inMode });
    const page = { kind: 'link', label: t.messages.osu.openAtOsu, url: scorePage(score.id) } as const;
    return reply({
      blocks: [
        headingBlock(labelled(playerTitle(user), [title], t)),
        ...originBlocks({ source: 'osu', stale }, t),
        play,
        ...estimateBlocks([rating], t),
      ],
      actions: [
        // osu!'s site has no page for a failed play.
        ...(score.passed ? [page] : []),
        ...turnButtons(user, { nth, count: scores.length, pass }, context),
        ...(map === undefined ? [] : mapButtons(map, ['map', 'compare', 'leaderboard', 'simulate'], services, t)),
        ...playerButtons(user, ['best', 'profile'], services, t),
      ],
    });
  },
});

/** The result; undefined after a failure, which is logged where it happens and without which the card can do. */
async function ifKnown<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await asked;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** The play's position on the map's leaderboard. osu! states it only if it is asked for the play alone. */
async function rankOf({ id, passed, beatmap }: Score, { services, signal }: CommandContext): Promise<number | null> {
  if (!passed || beatmap === null || statusNumber(beatmap.status) <= 0) return null;
  return (await ifKnown(services.beatmaps.score(id, undefined, signal), signal))?.score.rank_global ?? null;
}

function mapOf({ beatmap_id, beatmap, mode, mods }: Score) {
  if (beatmap_id === null) return undefined;
  const convertedTo = beatmap?.convert === true ? mode : undefined;
  return { id: beatmap_id, convertedTo, mods: shownMods({ mods }) };
}

function placeOf({ id }: Score, { scores }: BestPlays): number | null {
  const index = scores.findIndex(each => each.id === id);
  return index < 0 ? null : index + 1;
}

/** The place that the play would have without misses, if it replaced the player's best play on the map. */
function placeIfFullCombo(score: Score, { play }: Rating, best: BestPlays): WhatIf | undefined {
  const status = score.beatmap === null ? 0 : statusNumber(score.beatmap.status);
  const givesPp = status === 1 || status === 2;
  if (!givesPp || play === null || score.is_perfect_combo) return undefined;
  const index = best.scores.findIndex(({ beatmap_id }) => beatmap_id === score.beatmap_id);
  return replacePlay(best, index, play.ppIfFullCombo);
}

interface Place {
  readonly nth: number;
  readonly count: number;
  readonly pass: boolean;
}

function turnButtons({ id, mode }: Player, { nth, count, pass }: Place, { services, t }: CommandContext) {
  const values = { player: String(id), mode: modeOf(mode), ...(pass && { pass }) };
  const to = (at: number) => services.actions.encode({ command: 'osu recent', values: { ...values, index: at } });
  const words = t.messages.plays.buttons;
  return [
    ...(nth < count ? [button(words.earlier, to(nth + 1))] : []),
    ...(nth > 1 ? [button(words.later, to(nth - 1))] : []),
  ];
}

interface Standing {
  /** The position on the map's leaderboard; null when the play is not on it. */
  readonly rank: number | null;
  /** The position among the player's best plays; null if it is not one of them, undefined if that is unknown. */
  readonly place: number | null | undefined;
  /** The pp and the position that the play would have without its misses. */
  readonly ifFullCombo: WhatIf | undefined;
}

/** A line such as `#12 on this map · #3 of the best plays · as a full combo about #1 …`. */
function standingText({ rank, place, ifFullCombo }: Standing, t: Translator): Text {
  const words = t.messages.plays;
  const worthwhile = ifFullCombo !== undefined && ifFullCombo.gain >= 0.05 ? ifFullCombo : undefined;
  return joined([
    rank === null ? undefined : words.onMap({ rank: t.number(rank) }),
    place == null ? undefined : words.inBest({ place: t.number(place) }),
    worthwhile?.place == null
      ? undefined
      : words.bestIfFullCombo({ place: t.number(worthwhile.place), gain: gainText(worthwhile.gain, t) }),
  ]);
}
