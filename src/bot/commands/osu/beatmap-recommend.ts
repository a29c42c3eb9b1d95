import { randomInt } from 'node:crypto';
import { type FilterRange, parseFilterRange } from '../../../beatmaps/recommend/filter-range.ts';
import { type ModFilter, parseModFilter } from '../../../beatmaps/recommend/mod-filter.ts';
import { callerKey } from '../../contract/caller.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { usageError } from '../../contract/usage-error.ts';
import { type AskedPlayer, askedPlayer, MODE_OPTION, PLAYER_OPTION, rulesetOf } from '../../osu/asked-player.ts';
import { openMapToken } from '../../osu/buttons.ts';
import { renderRecommendations } from '../../views/osu/recommendations.ts';

const PER_REPLY = 5;
const SEEDS = 2 ** 31;
const MOST_STEPS = 3;
const MAX_WORD = 40;
const MAX_LINK = 300;
const RANGE = { type: 'string', form: 'word', maxLength: MAX_WORD } as const;
/** `lamp post +HDDT -HR`, and the mods alone. */
const MODS_AT_END = /^(.*?)((?:(?:^|\s+)[+-][a-z]{2,40}!?)+)$/i;

/** What to play next, and why. */
export const beatmapRecommend = defineCommand({
  name: 'beatmap recommend',
  options: {
    player: PLAYER_OPTION,
    mods: { type: 'string', form: 'word', maxLength: MAX_WORD },
    stars: RANGE,
    pp: RANGE,
    ar: RANGE,
    bpm: RANGE,
    length: RANGE,
    like: { type: 'string', form: 'word', maxLength: MAX_LINK },
    farm: { type: 'boolean' },
    mode: MODE_OPTION,
    steps: { type: 'integer', min: -MOST_STEPS, max: MOST_STEPS, only: 'button' },
  },
  visibility: 'chat',
  cost: 2,
  subject: 'player',
  async run({ player, mods, mode, steps = 0, ...filters }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const owner = callerKey(caller);
    const [, name = player, ending = ''] = (mods === undefined && MODS_AT_END.exec(player ?? '')) || [];
    const named = name === '' ? undefined : name;
    const wantedMods = (mods ?? ending).trim();
    const { like, farm } = filters;
    const read = {
      mods: wantedMods === '' ? undefined : parseModFilter(wantedMods),
      stars: rangeOf('stars', filters.stars),
      pp: rangeOf('pp', filters.pp),
      ar: rangeOf('ar', filters.ar),
      bpm: rangeOf('bpm', filters.bpm),
      length: rangeOf('length', filters.length),
    };
    const asked = await askerOf(named, filters, context);
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
    const given = Object.entries({ player: named, mods: wantedMods, mode, ...filters }).filter(
      (pair): pair is [string, string | boolean] => pair[1] !== undefined && pair[1] !== '',
    );
    const token = (more: Readonly<Record<string, string | number>>) =>
      services.actions.encode({
        command: 'beatmap recommend',
        values: { ...Object.fromEntries(given), ...(steps === 0 ? {} : { steps }), ...more },
        owner,
      });
    const tokens = {
      another: token({}),
      easier: steps > -MOST_STEPS ? token({ steps: steps - 1 }) : undefined,
      harder: steps < MOST_STEPS ? token({ steps: steps + 1 }) : undefined,
      withDoubleTime: canTurnTo(wantedMods) ? token({ mods: '+DT' }) : undefined,
    };
    const openToken = (mapId: number) => openMapToken(services, mapId);
    return renderRecommendations({ result, tokens, openToken, painter: services.painter }, t);
  },
});

/** A player need not be named or linked where filters say what is wanted. */
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

function rangeOf(option: FilterRange, text: string | undefined) {
  if (text === undefined) return undefined;
  const range = parseFilterRange(option, text);
  if (range === undefined) throw usageError('notRange', { option });
  return range;
}

function canTurnTo(mods: string): boolean {
  if (mods === '') return true;
  const { must, never }: ModFilter = parseModFilter(mods);
  return ![...must, ...never].includes('DT');
}
