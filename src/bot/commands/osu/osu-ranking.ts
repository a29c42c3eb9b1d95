import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { userPage } from '../../../beatmaps/model/link.ts';
import type { PlayerStandings } from '../../../beatmaps/model/player.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import {
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
import { callerKey } from '../../contract/request.ts';
import { modeOf, TERMS } from '../../contract/terms.ts';
import { askedCountry, MODE_OPTION, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { chatPlayers } from '../../osu/chat-players.ts';
import { notice } from '../../views/notice.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { PROVEN_MARK } from '../../views/osu/player.ts';
import { sentence } from '../../views/sentence.ts';

/** osu! gives as many at once. */
const MOST = 50;
/** A menu takes as many. */
const MAX_CHOICES = 25;

/** The linked members of this chat by pp. */
export const osuRanking = defineCommand({
  name: 'osu ranking',
  options: { mode: MODE_OPTION, of: { type: 'choice', choices: ['here', 'country'] }, country: TERMS.country },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ mode, of, country: named }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    if (caller.chatKind !== 'group') return notice(t.messages.plays.onlyGroups);
    requirePlayers(services.beatmaps);
    const own = await services.settings.user(callerKey(caller));
    const ruleset = rulesetOf(mode) ?? own.player?.mode ?? 'osu';
    const linked = await chatPlayers(caller, services);
    if (linked.length === 0) return notice(t.messages.plays.noMembers);
    const asked = linked.slice(0, MOST).map(({ id }) => id);
    const isOfCountry = of === 'country' || named !== undefined;
    const country = isOfCountry ? await askedCountry(named, context) : undefined;
    const { players: all, stale } = await services.beatmaps.standings(asked, signal);
    const players = all.filter(({ country_code }) => country === undefined || country_code === country);
    const words = t.messages.plays.ranking;
    if (players.length === 0 && country !== undefined) return notice(words.noneOfCountry({ country }));
    if (players.length === 0) return reply({ tone: 'notice', blocks: [textBlock(sentence(words.none))] });
    const proven = new Set(linked.flatMap(player => (player.proven ? [player.id] : [])));
    const left = linked.length - asked.length;
    const ppOf = (player: PlayerStandings) => player.standings[ruleset]?.pp ?? 0;
    const ordered = players.toSorted((a, b) => ppOf(b) - ppOf(a));
    const lines = ordered.map((player, index) => line(player, proven.has(player.id), index + 1, ruleset, t));
    const choices = ordered.slice(0, MAX_CHOICES).map(player => ({
      label: player.username,
      detail: worthText(player, ruleset, t),
      token: services.actions.encode({
        command: 'osu profile',
        values: { player: String(player.id), mode: modeOf(ruleset) },
      }),
    }));
    return reply({
      blocks: [
        headingBlock(joined([words.title({ mode: t.messages.osu.modes[ruleset] }), country])),
        ...originBlocks({ source: 'osu', stale }, t),
        textBlock(stacked([...lines, left > 0 ? [words.more({ n: left })] : []])),
      ],
      actions: menu(t.messages.plays.buttons.profile, choices),
    });
  },
});

function worthText({ standings }: PlayerStandings, ruleset: Ruleset, t: Translator): string {
  const pp = standings[ruleset]?.pp ?? 0;
  return pp > 0 ? `${t.decimal(pp, 0)} pp` : t.messages.plays.ranking.noPp;
}

/** `1. lamp post · 6,241 pp · #21,480 · ID · 97.85%` */
function line(player: PlayerStandings, isProven: boolean, place: number, ruleset: Ruleset, t: Translator): Text {
  const { id, username, country_code, standings } = player;
  const { global_rank = null, hit_accuracy = null } = standings[ruleset] ?? {};
  return [
    `${t.number(place)}. `,
    ...joined([
      [strong(link(userPage(id, ruleset), username)), ...(isProven ? [PROVEN_MARK] : [])],
      worthText(player, ruleset, t),
      global_rank === null ? undefined : `#${t.number(global_rank)}`,
      country_code ?? undefined,
      hit_accuracy === null ? undefined : `${t.decimal(hit_accuracy, 2)}%`,
    ]),
  ];
}
