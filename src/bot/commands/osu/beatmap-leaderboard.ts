import { statusNumber } from '../../../beatmaps/model/beatmapset.ts';
import { scorePage, userPage } from '../../../beatmaps/model/link.ts';
import { foldMod, parseMods } from '../../../beatmaps/model/mods.ts';
import { type Score, shownMods } from '../../../beatmaps/model/score.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand, TERMS } from '../../contract/command.ts';
import type { Text } from '../../contract/reply.ts';
import { button, headingBlock, link, reply, stacked, strong, textBlock } from '../../contract/reply-parts.ts';
import {
  ABOUT_BEATMAP,
  askedCountry,
  askedMap,
  MAP_MODE_OPTION,
  MAP_OPTION,
  REACH_WORDS,
  requirePlayers,
} from '../../osu/asked.ts';
import { mapAddress, mapButtons, openable, playerMenu, tokensOf } from '../../osu/buttons.ts';
import { chatPlayers } from '../../osu/chat-players.ts';
import { notice } from '../../views/notice.ts';
import { numberedLine, pageActions } from '../../views/osu/beatmap-list.ts';
import { type AskedMap, originBlocks } from '../../views/osu/facts.ts';
import { listRow, loadCover, playsBlocks } from '../../views/osu/play.ts';
import { missesText, resultText } from '../../views/osu/score.ts';

const PER_PAGE = 10;
/**
 * Each member's plays take a request to osu!, so each page asks about only this many more members than the page before.
 */
const MEMBERS_A_PAGE = 4;
const MAX_PAGES = 25;

/** Shows the best plays on a map, worldwide or of this chat's members with a linked player. */
export const beatmapLeaderboard = defineCommand({
  name: 'beatmap leaderboard',
  options: {
    map: MAP_OPTION,
    mods: TERMS.mods,
    of: {
      type: 'choice',
      choices: ['world', 'here', 'country'],
      alias: word => REACH_WORDS.get(word),
    },
    country: TERMS.country,
    mode: MAP_MODE_OPTION,
    page: { ...TERMS.page, max: MAX_PAGES },
  },
  ...ABOUT_BEATMAP,
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
    const opened = openable(map, mods);
    const options = { map: mapAddress(opened), mods: mods && (mods.join('') || 'NM'), of, country };
    const token = tokensOf('beatmap leaderboard', options, services);
    const cover = loadCover(map.set, services);
    const asked = { map, mods, country, page };
    const { scores, first, hasMore, left, stale } = await (of === 'here'
      ? ofChat(asked, context)
      : ofWorld(asked, context));
    const other = of === 'here' ? 'world' : 'here';
    const pages = {
      back: of === 'here' || page === 1 ? undefined : token({ page: page - 1 }),
      more: hasMore ? token({ page: page + 1 }) : undefined,
    };
    const isEmpty = scores.length === 0;
    const lines = scores.map((score, index) => scoreLine(score, first + index, t));
    const title = headingOf(of, asked, t);
    const list = {
      map,
      cover,
      mods,
      title,
      rows: scores.map((score, index) => listRow(score, first + index, nameOf(score, t), t)),
      inWords: [textBlock(isEmpty ? [emptySentence(of, asked, t)] : stacked(lines))],
    };
    const players = scores.flatMap(score => {
      const { user_id: id, username: name } = score;
      return id === null || name === null ? [] : [{ id, name, detail: resultText(score, t), ruleset: map.ruleset }];
    });
    return reply({
      tone: isEmpty ? 'notice' : 'neutral',
      blocks: [
        headingBlock([title]),
        ...originBlocks({ source: map.source, stale: stale || map.stale }, t),
        ...(await playsBlocks(list, services, t)),
        ...(left === 0 ? [] : [textBlock([t.messages.plays.leaderboard.left({ n: left })])]),
      ],
      actions: [
        ...pageActions(pages, t),
        ...(caller.chatKind === 'group' ? [button(t.messages.plays.buttons[other], token({ of: other }))] : []),
        ...mapButtons(opened, ['map', 'compare', 'simulate'], services, t),
        ...playerMenu(players, context),
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

/** Finds a country's players among the world's best, because osu! shows countries' leaderboards only to supporters. */
async function fromCountry(scores: readonly Score[], country: string, { services, signal }: CommandContext) {
  const ids = scores.flatMap(({ user_id }) => user_id ?? []);
  const { players } = await services.beatmaps.standings(ids, signal);
  const own = new Set(players.flatMap(({ id, country_code }) => (country_code === country ? [id] : [])));
  return scores.filter(({ user_id }) => user_id !== null && own.has(user_id));
}

/** The best plays of the chat's members. Each page asks about a few more members; the earlier ones are cached. */
async function ofChat({ map, mods, page }: Asked, { caller, services, signal }: CommandContext) {
  const members = await chatPlayers(caller, services);
  const asked = members.slice(0, page * MEMBERS_A_PAGE);
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
    hasMore: left > 0 && page < MAX_PAGES,
    left,
    stale: answers.some(({ stale }) => stale),
  };
}

/** True for a play with exactly these mods; `NC` counts as `DT`, and `DC` as `HT`. */
function hasExactly(score: Score, mods: readonly string[] | undefined): boolean {
  if (mods === undefined) return true;
  const played = shownMods(score).map(foldMod);
  return played.length === mods.length && mods.every(mod => played.includes(foldMod(mod)));
}

function byScore(a: Score, b: Score): number {
  return (b.total_score ?? 0) - (a.total_score ?? 0);
}

type Scope = 'world' | 'here' | 'country';

function headingOf(of: Scope, { country, mods }: Asked, t: Translator): string {
  const words = t.messages.plays.leaderboard;
  const place = of === 'here' ? words.here : words.world;
  const shown = country === undefined ? place : words.ofCountry({ country });
  return mods === undefined ? shown : `${shown} +${mods.join('') || 'NM'}`;
}

function emptySentence(of: Scope, { map, country, page }: Asked, t: Translator): string {
  const words = t.messages.plays.leaderboard;
  if (statusNumber(map.beatmap.status) <= 0) return words.noLeaderboard;
  if (of === 'here') return words.noneHere;
  if (page > 1) return t.messages.osu.scores.noMore;
  if (country !== undefined) return words.noneOfCountry({ country });
  return words.none;
}

function nameOf({ username }: Score, t: Translator): string {
  return username ?? t.messages.osu.scores.unknownPlayer;
}

/** A line such as `1. salt shaker · S · 98.75% · 201 pp · +HD · 512x · 2 misses`. */
function scoreLine(score: Score, place: number, t: Translator): Text {
  const { id, user_id, mode, max_combo } = score;
  const name = nameOf(score, t);
  const parts = [
    [strong(user_id === null ? name : link(userPage(user_id, mode), name))],
    [link(scorePage(id), resultText(score, t))],
    t.messages.osu.combo({ shown: t.number(max_combo) }),
    missesText(score, t),
  ];
  return numberedLine(place, parts, t);
}
