import { randomInt } from 'node:crypto';
import { type ModFilter, parseModFilter } from '../../beatmaps/recommend/mod-filter.ts';
import { parseWishRange, type WishRange } from '../../beatmaps/recommend/wish-range.ts';
import { type CommandContext, callerKey, defineCommand } from '../command.ts';
import { usageError } from '../dispatch/usage-error.ts';
import { openMapToken } from '../osu/beatmap-buttons.ts';
import { MODE_OPTION, rulesetOf } from '../osu/mode-option.ts';
import { type AskedPlayer, askedPlayer, PLAYER_OPTION, suggestPlayers } from '../osu/player-option.ts';
import { renderRecommendations } from '../views/recommendations.ts';

const PER_REPLY = 5;
const SEEDS = 2 ** 31;
const MOST_STEPS = 3;
const MAX_WORD = 40;
const MAX_LINK = 300;
const RANGE = { type: 'string', form: 'word', required: false, maxLength: MAX_WORD } as const;
/** `lamp post +HDDT -HR`, and the mods alone. */
const MODS_AT_END = /^(.*?)((?:(?:^|\s+)[+-][a-z]{2,40}!?)+)$/i;

/** What to play next, and why. */
export const beatmapRecommend = defineCommand({
  name: 'beatmap recommend',
  options: {
    player: PLAYER_OPTION,
    mods: { type: 'string', form: 'word', required: false, maxLength: MAX_WORD },
    stars: RANGE,
    pp: RANGE,
    ar: RANGE,
    bpm: RANGE,
    length: RANGE,
    like: { type: 'string', form: 'word', required: false, maxLength: MAX_LINK },
    farm: { type: 'boolean', required: false },
    mode: MODE_OPTION,
    steps: { type: 'integer', required: false, min: -MOST_STEPS, max: MOST_STEPS, only: 'button' },
  },
  visibility: 'chat',
  cost: 2,
  subject: 'player',
  async run({ player, mods, mode, steps = 0, ...wishes }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const owner = callerKey(caller);
    const [, name = player, ending = ''] = (mods === undefined && MODS_AT_END.exec(player ?? '')) || [];
    const named = name === '' ? undefined : name;
    const wished = (mods ?? ending).trim();
    const { like, farm } = wishes;
    const read = {
      mods: wished === '' ? undefined : parseModFilter(wished),
      stars: rangeOf('stars', wishes.stars),
      pp: rangeOf('pp', wishes.pp),
      ar: rangeOf('ar', wishes.ar),
      bpm: rangeOf('bpm', wishes.bpm),
      length: rangeOf('length', wishes.length),
    };
    const asked = await askerOf(named, wishes, context);
    const result = await services.recommend({
      ...read,
      user: asked?.user,
      ruleset: rulesetOf(mode) ?? asked?.mode ?? undefined,
      like,
      farm,
      bias: steps,
      limit: PER_REPLY,
      seed: randomInt(SEEDS),
      caller: owner,
      signal,
    });
    const told = Object.entries({ player: named, mods: wished, mode, ...wishes }).filter(
      (pair): pair is [string, string | boolean] => pair[1] !== undefined && pair[1] !== '',
    );
    const token = (more: Readonly<Record<string, string | number>>) =>
      services.actions.encode({
        command: 'beatmap recommend',
        values: { ...Object.fromEntries(told), ...(steps === 0 ? {} : { steps }), ...more },
        owner,
      });
    const tokens = {
      another: token({}),
      easier: steps > -MOST_STEPS ? token({ steps: steps - 1 }) : undefined,
      harder: steps < MOST_STEPS ? token({ steps: steps + 1 }) : undefined,
      withDoubleTime: canTurnTo(wished) ? token({ mods: '+DT' }) : undefined,
    };
    const openToken = (mapId: number) => openMapToken(services, mapId);
    return renderRecommendations({ result, tokens, openToken, painter: services.painter }, t);
  },
  suggest: async (option, partial, context) => (option === 'player' ? suggestPlayers(partial, context) : []),
});

/** Who says what they want need not be a player. */
async function askerOf(
  named: string | undefined,
  { stars, pp, like }: Readonly<Record<'stars' | 'pp' | 'like', string | undefined>>,
  context: CommandContext,
): Promise<AskedPlayer | undefined> {
  const { caller, services } = context;
  const isLinked = (await services.settings.user(callerKey(caller))).player !== null;
  if (named !== undefined || (isLinked && services.beatmaps.hasPlayers)) return askedPlayer(named, context);
  const isSaid = stars !== undefined || pp !== undefined || like !== undefined;
  return isSaid || !services.beatmaps.hasPlayers ? undefined : askedPlayer(named, context);
}

function rangeOf(option: WishRange, text: string | undefined) {
  if (text === undefined) return undefined;
  const range = parseWishRange(option, text);
  if (range === undefined) throw usageError('notRange', { option });
  return range;
}

function canTurnTo(wished: string): boolean {
  if (wished === '') return true;
  const { must, never }: ModFilter = parseModFilter(wished);
  return ![...must, ...never].includes('DT');
}
