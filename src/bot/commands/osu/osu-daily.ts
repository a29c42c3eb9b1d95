import type { DailyChallenge } from '../../../beatmaps/model/player.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { type Field, headingBlock, labelled, reply, textBlock } from '../../contract/reply.ts';
import { askedUser, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { playerButtons } from '../../osu/buttons.ts';
import { day, originBlocks } from '../../views/osu/beatmap.ts';
import { playerTitle } from '../../views/osu/player.ts';

/** Shows a player's record in the daily challenge, which only osu!lazer has, and only for the ruleset osu!. */
export const osuDaily = defineCommand({
  name: 'osu daily',
  options: { player: PLAYER_OPTION },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ player }, context: CommandContext) {
    const { services, t } = context;
    const { user, stale } = await askedUser({ player }, context);
    const words = t.messages.plays.daily;
    const heading = [
      headingBlock(labelled(playerTitle(user), [words.title], t)),
      ...originBlocks({ source: 'osu', stale }, t),
    ];
    const actions = playerButtons(user, ['profile', 'recent'], services, t);
    const daily = user.daily_challenge_user_stats;
    if (daily === null || daily.playcount === 0) {
      return reply({ tone: 'notice', blocks: [...heading, textBlock([words.none])], actions });
    }
    return reply({ blocks: [...heading, { kind: 'fields', fields: dailyFields(daily, t) }], actions });
  },
});

function dailyFields(daily: DailyChallenge, t: Translator): readonly Field[] {
  const words = t.messages.plays.daily;
  const lastDay = day(daily.last_update);
  const counted = (label: string, value: number): Field => ({ label, value: [t.number(value)] });
  return [
    counted(words.days, daily.daily_streak_current),
    counted(words.mostDays, daily.daily_streak_best),
    counted(words.weeks, daily.weekly_streak_current),
    counted(words.mostWeeks, daily.weekly_streak_best),
    counted(words.played, daily.playcount),
    counted(words.topTenth, daily.top_10p_placements),
    counted(words.topHalf, daily.top_50p_placements),
    ...(lastDay === undefined ? [] : [{ label: words.last, value: [lastDay] }]),
  ];
}
