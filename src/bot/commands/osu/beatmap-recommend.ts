import { randomInt } from 'node:crypto';
import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { mapPage, setPage } from '../../../beatmaps/model/link.ts';
import {
  type FilterRange,
  type ModFilter,
  parseFilterRange,
  parseModFilter,
} from '../../../beatmaps/recommend/filters.ts';
import type { RecommendResult } from '../../../beatmaps/recommend/recommend.ts';
import type { Reason, Recommendation } from '../../../beatmaps/recommend/recommendation.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { recommendationPicture } from '../../cards/recommendation-card.ts';
import { starColour } from '../../cards/star-colour.ts';
import { type CommandContext, defineCommand, figure, MOD_FILTER, ppWord, usageError } from '../../contract/command.ts';
import type { Action, Card, Choice, Reply, Text } from '../../contract/reply.ts';
import { button, headingBlock, joined, link, reply, strong, textBlock } from '../../contract/reply-parts.ts';
import { callerKey } from '../../contract/request.ts';
import {
  ABOUT_PLAYER,
  type AskedPlayer,
  askedPlayer,
  MAP_OPTION,
  MODE_OPTION,
  PLAYER_OPTION,
  rulesetOf,
} from '../../osu/asked.ts';
import { openMapToken, tokensOf } from '../../osu/buttons.ts';
import {
  bpmText,
  coverOf,
  inMode,
  keysText,
  mappedByText,
  originBlocks,
  ppText,
  ratedStarsWithSwatch,
  setName,
  stateOf,
} from '../../views/osu/facts.ts';

const PER_REPLY = 5;
const SEEDS = 2 ** 31;
const MOST_STEPS = 3;
const MAX_LINK = 300;

const STARS = figure('stars', 'star', 'sr');
const PP = figure('pp');

/**
 * Reads a range of stars: `5-6`, `5..6`, or one number with a star, `5.5*`. Undefined for other words, also for a
 * number without a star, because it may be a player's id.
 */
function starRange(word: string): string | undefined {
  const [, range, about] =
    /^(?:(\d{1,2}(?:[.,]\d{1,2})?(?:-|\.\.)\d{1,2}(?:[.,]\d{1,2})?)[*\u2605]?|(\d{1,2}(?:[.,]\d{1,2})?)[*\u2605])$/.exec(
      word,
    ) ?? [];
  return (range ?? about)?.replaceAll(',', '.');
}

export const beatmapRecommend = defineCommand({
  name: 'beatmap recommend',
  options: {
    player: PLAYER_OPTION,
    mods: MOD_FILTER,
    stars: { ...STARS, bare: word => starRange(word) ?? STARS.bare(word) },
    pp: { ...PP, bare: word => ppWord(word) ?? PP.bare(word) },
    ar: figure('ar'),
    bpm: figure('bpm'),
    length: figure('length', 'len'),
    like: { type: 'string', form: 'word', maxLength: MAX_LINK, bare: MAP_OPTION.bare },
    farm: { type: 'boolean' },
    mode: MODE_OPTION,
    steps: { type: 'integer', min: -MOST_STEPS, max: MOST_STEPS, only: 'button' },
  },
  ...ABOUT_PLAYER,
  cost: 2,
  async run({ player, mods, mode, steps = 0, ...filters }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const owner = callerKey(caller);
    const wantedMods = (mods ?? '').trim();
    const { like, farm } = filters;
    const read = {
      mods: wantedMods === '' ? undefined : parseModFilter(wantedMods),
      stars: rangeOf('stars', filters.stars),
      pp: rangeOf('pp', filters.pp),
      ar: rangeOf('ar', filters.ar),
      bpm: rangeOf('bpm', filters.bpm),
      length: rangeOf('length', filters.length),
    };
    const asked = await askerOf(player, filters, context);
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
    const given = { player, mods: wantedMods || undefined, mode, ...filters, steps: steps || undefined };
    const token = tokensOf('beatmap recommend', given, services, owner);
    const words = t.messages.osu.recommend;
    const another = button(words.another, token(), 'primary');
    const others = [
      ...(steps > -MOST_STEPS ? [button(words.easier, token({ steps: steps - 1 }))] : []),
      ...(steps < MOST_STEPS ? [button(words.harder, token({ steps: steps + 1 }))] : []),
      ...(mayAddDoubleTime(wantedMods) ? [button(words.withDoubleTime, token({ mods: '+DT' }))] : []),
    ];
    return renderRecommendations(result, another, others, context);
  },
});

/** The player to recommend maps for; undefined if the person gives filters instead. */
async function askerOf(
  named: string | undefined,
  { stars, pp, ar, like }: Readonly<Record<'stars' | 'pp' | 'ar' | 'like', string | undefined>>,
  context: CommandContext,
): Promise<AskedPlayer | undefined> {
  const { caller, services } = context;
  const isLinked = (await services.settings.user(callerKey(caller))).player !== null;
  if (named !== undefined || (isLinked && services.beatmaps.hasPlayers)) return askedPlayer(named, context);
  // Each of these alone tells how hard the maps should be.
  const isSaid = [stars, pp, ar, like].some(each => each !== undefined);
  return isSaid || !services.beatmaps.hasPlayers ? undefined : askedPlayer(named, context);
}

function rangeOf(option: FilterRange, text: string | undefined) {
  if (text === undefined) return undefined;
  const range = parseFilterRange(option, text);
  if (range === undefined) throw usageError('notRange', { option });
  return range;
}

function mayAddDoubleTime(mods: string): boolean {
  if (mods === '') return true;
  const { must, never }: ModFilter = parseModFilter(mods);
  return ![...must, ...never].includes('DT');
}

/** Shows the maps as cards with their reasons, and buttons for further maps: by the same filters or by others. */
function renderRecommendations(
  { recommendations, player, ruleset, target, isBeside, isFew, isOver, stale }: RecommendResult,
  another: Action,
  others: readonly Action[],
  { services, t }: CommandContext,
): Reply {
  const openToken = (mapId: number) => openMapToken(services, { id: mapId });
  const words = t.messages.osu.recommend;
  const whose = player === null ? words.title : words.titleFor({ name: player.username });
  const title = inMode(whose, ruleset, t);
  if (recommendations.length === 0) {
    const text = isOver ? t.messages.osu.scores.noMore : words.none;
    return reply({ tone: 'notice', blocks: [headingBlock([title]), textBlock([text])], actions: others });
  }
  const targetText = isBeside ? words.beside : words.target;
  const choices = recommendations.map(
    (each): Choice => ({ label: nameOf(each), detail: whyText(each, t), token: openToken(each.beatmap.id) }),
  );
  return reply({
    blocks: [
      headingBlock([title]),
      ...(target === null ? [] : [textBlock([targetText({ pp: t.decimal(target.middle, 0) })])]),
      ...(player === null ? [] : originBlocks({ source: 'osu', stale }, t)),
      ...(services.painter === undefined
        ? []
        : [{ ...recommendationPicture(title, recommendations, services.painter, t), repeats: true } as const]),
      ...recommendations.map(each => recommendationCard(each, openToken(each.beatmap.id), t)),
      ...(isFew ? [textBlock([words.few])] : []),
      textBlock([{ kind: 'emphasis', children: [rulesText(recommendations, t)] }]),
    ],
    actions: [another, ...others, { kind: 'menu', label: t.messages.osu.open, choices }],
  });
}

/** Names the version of osu!'s pp rules by which the pp were calculated. */
function rulesText(recommendations: readonly Recommendation[], t: Translator): string {
  const { byFigures, byBoth, byRules } = t.messages.osu.recommend;
  const dates = recommendations.flatMap(({ algorithm }) => algorithm ?? []);
  const [date] = dates;
  if (date === undefined) return byFigures;
  const said = dates.length < recommendations.length ? byBoth : byRules;
  return said({ date: t.date(Date.parse(date)) });
}

function nameOf({ beatmap, beatmapset, mods }: Omit<Extract<Reason, { kind: 'like' }>, 'kind'>): string {
  return `${setName(beatmapset)} [${beatmap.version}]${mods.length === 0 ? '' : ` +${mods.join('')}`}`;
}

/** The pp that the map would add to the player's total; empty if that is almost nothing. */
function gainOf({ gain }: Pick<Recommendation, 'gain'>, t: Translator): { readonly detail?: string } {
  return gain === null || gain < 0.05 ? {} : { detail: t.messages.osu.recommend.gain({ pp: t.decimal(gain, 1) }) };
}

/** The kinds of reasons that take only a few characters; reasons of other kinds name a map or are sentences. */
const BRIEF: ReadonlySet<Reason['kind']> = new Set(['ar', 'od', 'cs', 'bpm', 'length', 'popular']);

function recommendationCard(each: Recommendation, openToken: string, t: Translator): Card {
  const { beatmap, beatmapset, accuracy, stars, isEstimate } = each;
  const words = t.messages.osu;
  const image = coverOf(beatmapset, beatmapset.list_url);
  const at = words.recommend.at({ percent: t.percent(accuracy, 1) });
  const rated = ratedStarsWithSwatch({ stars, isEstimate }, t);
  const state = stateOf({ ...beatmapset, status: beatmap.status }, t);
  // A text such as `271 pp · +6.2 in total`.
  const worth = [ppText(each.pp, t), ...Object.values(gainOf(each, t))].join(' · ');
  const reasons = each.reasons
    .map(reason => reasonText(reason, beatmap.mode, t))
    .filter(reason => reason !== undefined);
  // A row of a list has one line, which is too short for the other kinds of reasons.
  const brief = each.reasons.find(({ kind }) => BRIEF.has(kind));
  return {
    kind: 'card',
    title: [link(setPage(beatmapset.id, beatmap), nameOf(each))],
    lines: [joined([[strong(worth)], at, rated, brief && reasonText(brief, beatmap.mode, t)])],
    details: reasons.length === 0 ? [] : [joined(reasons)],
    worth: {
      value: ppText(each.pp, t),
      ...gainOf(each, t),
      lines: [joined([rated, at, mappedByText(beatmap, beatmapset, t), state])],
    },
    ...(image && { image }),
    colour: starColour(stars),
    sound: { url: beatmapset.preview_url, label: words.preview },
    action: button(words.openOne, openToken),
  };
}

/** A text such as `251 pp · like Tin Orchard - Glass Harbour [Extra]`. */
function whyText({ pp, reasons }: Recommendation, t: Translator): string {
  const like = reasons.find(reason => reason.kind === 'like');
  const worth = ppText(pp, t);
  return like === undefined ? worth : `${worth} · ${t.messages.osu.recommend.like} ${nameOf(like)}`;
}

/** A reason in words; undefined if the card shows it already. */
function reasonText(reason: Reason, mode: Ruleset, t: Translator): Text | string | undefined {
  const words = t.messages.osu.recommend;
  switch (reason.kind) {
    case 'like':
      return [`${words.like} `, link(mapPage(reason.beatmap.id), nameOf(reason))];
    case 'mods':
      return words.mods({ percent: t.percent(reason.value, 0) });
    case 'cs':
      if (mode === 'mania') return keysText(reason.value, t);
      return `CS ${t.decimal(reason.value, 1)}`;
    case 'ar':
    case 'od':
      return `${reason.kind.toUpperCase()} ${t.decimal(reason.value, 1)}`;
    case 'bpm':
      return bpmText(reason.value, t);
    case 'length':
      return t.duration(reason.value * 1000);
    case 'popular':
      return t.messages.osu.favourites(t.counted(reason.value));
    case 'farm':
      return words.farm;
    case 'start':
      return words.start;
    case 'stars':
    case 'pp':
    case 'accuracy':
      return undefined;
  }
}
