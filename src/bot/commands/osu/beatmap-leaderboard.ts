import { statusNumber } from '../../../beatmaps/model/beatmapset.ts';
import { scorePage, userPage } from '../../../beatmaps/model/link.ts';
import { parseMods } from '../../../beatmaps/model/mods.ts';
import { type Score, shownMods } from '../../../beatmaps/model/score.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import {
  type Action,
  button,
  type Choice,
  headingBlock,
  joined,
  link,
  menu,
  reply,
  stacked,
  strong,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { modeOf, TERMS } from '../../contract/terms.ts';
import { askedMap, MAP_MODE_OPTION, MAP_OPTION } from '../../osu/asked-map.ts';
import { askedCountry, requirePlayers } from '../../osu/asked-player.ts';
import { mapAddress, mapButtons } from '../../osu/buttons.ts';
import { chatPlayers } from '../../osu/chat-players.ts';
import { notice } from '../../views/notice.ts';
import { type AskedMap, originBlocks } from '../../views/osu/beatmap.ts';
import { pageActions } from '../../views/osu/beatmap-list.ts';
import { listRow, loadCover, playsBlocks } from '../../views/osu/play.ts';
import { resultText } from '../../views/osu/score.ts';

const PER_PAGE = 10;
/** Each member takes a request to osu!, so only this many are asked for at once; a button shows more. */
const MEMBERS_A_TURN = 4;
const MAX_TURNS = 25;

/** Shows the best plays on a map, worldwide or of this chat's members with a linked player. */
export const beatmapLeaderboard = defineCommand({
  name: 'beatmap leaderboard',
  options: {
    map: MAP_OPTION,
    mods: TERMS.mods,
    of: { type: 'choice', choices: ['world', 'here', 'country'] },
    country: TERMS.country,
    mode: MAP_MODE_OPTION,
    page: { ...TERMS.page, max: MAX_TURNS },
  },
  visibility: 'chat',
  cost: 1,
  subject: 'beatmap',
  async run(
    { country: named, of = named === undefined ? 'world' : 'country', page = 1, mode, ...values },
    context: CommandContext,
  ) {
    const { caller, services, t } = context;
    if (of === 'here' && caller.chatKind !== 'group') return notice(t.messages.plays.onlyGroups);
    requirePlayers(services.beatmaps);
    const mods = values.mods === undefined ? undefined : parseMods(values.mods);
    const country = of === 'country' ? await askedCountry(named, context) : undefined;
    const map = await askedMap({ map: values.map, mode }, context);
    const convertedTo = map.ruleset === map.beatmap.mode ? undefined : map.ruleset;
    const address = mapAddress({ id: map.beatmap.id, convertedTo });
    const token = (change: { readonly of?: string; readonly page?: number }) =>
      services.actions.encode({
        command: 'beatmap leaderboard',
        values: {
          map: address,
          ...(mods && { mods: mods.join('') || 'NM' }),
          of,
          ...(country && { country }),
          ...change,
        },
      });
    const cover = loadCover(map.set, services);
    const found = await (of === 'here' ? ofChat : ofWorld)({ map, mods, country, page }, context);
    const other = of === 'here' ? 'world' : 'here';
    const { scores, first, left } = found;
    const pages = {
      page: of === 'here' ? 1 : page,
      back: of === 'here' || page === 1 ? undefined : token({ page: page - 1 }),
      more: found.hasMore ? token({ page: page + 1 }) : undefined,
    };
    const openPlayer = (id: number) =>
      services.actions.encode({ command: 'osu profile', values: { player: String(id), mode: modeOf(map.ruleset) } });
    const isEmpty = scores.length === 0;
    const lines = isEmpty
      ? [emptySentence(map, of, country, t)]
      : stacked(scores.map((score, index) => scoreLine(score, first + index, t)));
    const heading = headingOf(of, country, mods, t);
    const list = {
      map,
      cover,
      mods,
      title: heading,
      rows: scores.map((score, index) => listRow(score, first + index, nameOf(score, t), t)),
      inWords: [textBlock(lines)],
    };
    return reply({
      tone: isEmpty ? 'notice' : 'neutral',
      blocks: [
        headingBlock([heading]),
        ...originBlocks({ source: map.source, stale: found.stale || map.stale }, t),
        ...(await playsBlocks(list, services, t)),
        ...(left === 0 ? [] : [textBlock([t.messages.plays.leaderboard.left({ n: left })])]),
      ],
      actions: [
        ...pageActions(pages, t),
        ...(caller.chatKind === 'group' ? [button(t.messages.plays.buttons[other], token({ of: other }))] : []),
        ...mapButtons({ id: map.beatmap.id, convertedTo, mods }, ['map', 'compare', 'simulate'], services, t),
        ...playerMenu(scores, openPlayer, t),
      ],
    });
  },
});

interface Asked {
  readonly map: AskedMap;
  readonly mods: readonly string[] | undefined;
  /** The two letters of the country. */
  readonly country: string | undefined;
  readonly page: number;
}

async function ofWorld({ map, mods, country, page }: Asked, context: CommandContext) {
  const { services, signal } = context;
  const { scores: all, stale } = await services.beatmaps.mapScores(map, { ruleset: map.ruleset, mods }, signal);
  const scores = country === undefined ? all : await fromCountry(all, country, context);
  const first = (page - 1) * PER_PAGE;
  const end = first + PER_PAGE;
  return { scores: scores.slice(first, end), first: first + 1, hasMore: end < scores.length, left: 0, stale };
}

/** Finds a country's players among the world's best, because osu! has leaderboards of countries only for supporters. */
async function fromCountry(scores: readonly Score[], country: string, { services, signal }: CommandContext) {
  const ids = scores.flatMap(({ user_id }) => user_id ?? []);
  const { players } = await services.beatmaps.standings(ids, signal);
  const own = new Set(players.flatMap(({ id, country_code }) => (country_code === country ? [id] : [])));
  return scores.filter(({ user_id }) => user_id !== null && own.has(user_id));
}

/** The best plays of the chat's members. Each page asks about a few more members; the earlier ones are cached. */
async function ofChat({ map, mods, page }: Asked, { caller, services, signal }: CommandContext) {
  const members = await chatPlayers(caller, services);
  const asked = members.slice(0, page * MEMBERS_A_TURN);
  const answers = await Promise.all(
    asked.map(async ({ id, name }) => {
      const { scores, stale } = await services.beatmaps.memberMapScores(map, id, map.ruleset, signal);
      const [best] = scores.filter(score => hasExactly(score, mods)).toSorted(byScore);
      return { best: best && { ...best, user_id: id, username: name }, stale };
    }),
  );
  const left = members.length - asked.length;
  return {
    scores: answers.flatMap(({ best }) => best ?? []).toSorted(byScore),
    first: 1,
    hasMore: left > 0 && page < MAX_TURNS,
    left,
    stale: answers.some(({ stale }) => stale),
  };
}

function hasExactly(score: Score, mods: readonly string[] | undefined): boolean {
  if (mods === undefined) return true;
  const played = shownMods(score);
  return played.length === mods.length && mods.every(mod => played.includes(mod));
}

function byScore(a: Score, b: Score): number {
  return (b.total_score ?? 0) - (a.total_score ?? 0);
}

type Scope = 'world' | 'here' | 'country';

function headingOf(of: Scope, country: string | undefined, mods: Asked['mods'], t: Translator): string {
  const words = t.messages.plays.leaderboard;
  const place = of === 'here' ? words.here : words.world;
  const shown = country === undefined ? place : words.ofCountry({ country });
  return mods === undefined ? shown : `${shown} +${mods.join('') || 'NM'}`;
}

function emptySentence(map: AskedMap, of: Scope, country: string | undefined, t: Translator) {
  const words = t.messages.plays.leaderboard;
  if (statusNumber(map.beatmap.status) <= 0) return words.noLeaderboard;
  if (country !== undefined) return words.noneOfCountry({ country });
  return of === 'here' ? words.noneHere : words.none;
}

function nameOf({ username }: Score, t: Translator): string {
  return username ?? t.messages.osu.scores.unknownPlayer;
}

/** A line such as `1. salt shaker · S · 98.75% · 201 pp · +HD · 512x · 2 misses`. */
function scoreLine(score: Score, place: number, t: Translator): Text {
  const { id, user_id, mode, max_combo, is_perfect_combo, statistics } = score;
  const words = t.messages.osu.scores;
  const name = nameOf(score, t);
  const misses = statistics.miss ?? 0;
  return [
    `${t.number(place)}. `,
    ...joined([
      [strong(user_id === null ? name : link(userPage(user_id, mode), name))],
      [link(scorePage(id), resultText(score, t))],
      t.messages.osu.combo({ shown: t.number(max_combo) }),
      is_perfect_combo ? words.fullCombo : misses > 0 ? words.misses({ n: misses }) : undefined,
    ]),
  ];
}

function playerMenu(scores: readonly Score[], openPlayer: (id: number) => string, t: Translator): readonly Action[] {
  const choices = scores.flatMap(({ user_id, username, ...score }): readonly Choice[] =>
    user_id === null || username === null
      ? []
      : [{ label: username, detail: resultText({ ...score, user_id, username }, t), token: openPlayer(user_id) }],
  );
  return menu(t.messages.plays.buttons.profile, choices);
}
