import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { areMods } from '../../beatmaps/model/mods.ts';
import type { Score } from '../../beatmaps/model/score.ts';
import type { Translator } from '../../i18n/translate.ts';
import { type CommandContext, modeOf } from '../contract/command.ts';
import type { Action } from '../contract/reply.ts';
import { button, menu } from '../contract/reply-parts.ts';
import type { Services } from '../contract/services.ts';
import type { AskedMap } from '../views/osu/facts.ts';
import { mapName, resultText } from '../views/osu/score.ts';

type Tokens = Pick<Services, 'actions'>;
type Changes = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Makes the tokens of buttons that run a command with these values, of which each button may change some. Undefined
 * values are left out.
 * @param owner the only person who may press them. Default: anyone
 */
export function tokensOf(command: string, values: Changes, { actions }: Tokens, owner?: string) {
  return (change: Changes = {}): string => {
    const given = Object.entries({ ...values, ...change }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    return actions.encode({ command, values: Object.fromEntries(given), ...(owner !== undefined && { owner }) });
  };
}

/** A difficulty that a button opens, as it was played. */
export interface OpenableMap {
  readonly id: number;
  /** The ruleset in which it is played, if that is not the map's own. */
  readonly convertedTo?: Ruleset | undefined;
  readonly mods?: readonly string[] | undefined;
  /** The speed of the play, if it is not the one that the mods give. */
  readonly rate?: number | undefined;
}

export type MapCard = 'map' | 'compare' | 'leaderboard' | 'simulate';
export type PlayerCard = 'profile' | 'best' | 'recent';

/** The command that each button runs, and the values of its options. */
type Opened<Card extends string> = Readonly<Record<Card, readonly [command: string, values: Changes]>>;

/** The short form of the difficulty's address, because a button's token has little room. */
export function mapAddress({ id, convertedTo }: OpenableMap): string {
  return `osu.ppy.sh/b/${id}${convertedTo === undefined ? '' : `?m=${modeOf(convertedTo)}`}`;
}

export function mapButtons(
  map: OpenableMap,
  cards: readonly MapCard[],
  services: Tokens,
  t: Translator,
): readonly Action[] {
  const where = { map: mapAddress(map) };
  // Mods that only osu!lazer has are left out, because no command takes them.
  const mods = map.mods?.filter(mod => areMods([mod])).join('') || undefined;
  const opened: Opened<MapCard> = {
    map: ['beatmap info', { ...where, mods }],
    compare: ['osu compare', where],
    leaderboard: ['beatmap leaderboard', where],
    simulate: ['beatmap simulate', { ...where, mods, rate: map.rate?.toString() }],
  };
  return cards.map(card => button(t.messages.plays.buttons[card], tokensOf(...opened[card], services)()));
}

export function playerButtons(
  player: { readonly id: number; readonly mode: Ruleset },
  cards: readonly PlayerCard[],
  services: Tokens,
  t: Translator,
): readonly Action[] {
  const values = { player: String(player.id), mode: modeOf(player.mode) };
  const opened: Opened<PlayerCard> = {
    profile: ['osu profile', values],
    best: ['osu scores', { ...values, type: 'best' }],
    recent: ['osu recent', values],
  };
  return cards.map(card => button(t.messages.plays.buttons[card], tokensOf(...opened[card], services)()));
}

/** The token of a button, for anyone to press, that opens a set. The address is in short form to save room. */
export function openSetToken({ actions }: Tokens, id: number): string {
  return actions.encode({ command: 'beatmap info', values: { map: `osu.ppy.sh/s/${id}` } });
}

/** The token of a button, for anyone to press, that opens a difficulty with its mods. */
export function openMapToken(services: Tokens, map: Omit<OpenableMap, 'rate'>): string {
  return tokensOf('beatmap info', { map: mapAddress(map), mods: map.mods?.join('') || undefined }, services)();
}

/** The map of a play, in the ruleset in which it was played; undefined if osu! does not state the map. */
export function mapOfPlay({ beatmap_id, beatmap, mode }: Score): OpenableMap | undefined {
  if (beatmap_id === null) return undefined;
  return { id: beatmap_id, convertedTo: beatmap?.convert === true ? mode : undefined };
}

/** The token of a button, for anyone to press, that opens the map of a play; undefined if the map is unknown. */
export function openPlayedToken(services: Tokens, score: Score): string | undefined {
  const map = mapOfPlay(score);
  return map && openMapToken(services, map);
}

export function downloadToken({ actions }: Tokens, id: number): string {
  return actions.encode({ command: 'beatmap download', values: { map: `osu.ppy.sh/s/${id}` } });
}

/** The map as buttons open it: in the requested ruleset, with these mods. */
export function openable({ beatmap, ruleset }: AskedMap, mods?: readonly string[]): OpenableMap {
  return { id: beatmap.id, convertedTo: ruleset === beatmap.mode ? undefined : ruleset, mods };
}

/** The token of a button, for anyone to press, that opens a player's profile. */
export function openPlayerToken({ services }: CommandContext, id: number, ruleset: Ruleset): string {
  return services.actions.encode({ command: 'osu profile', values: { player: String(id), mode: modeOf(ruleset) } });
}

interface ListedPlayer {
  readonly id: number;
  readonly name: string;
  readonly detail: string;
  readonly ruleset: Ruleset;
}

/** A menu that opens the profiles of listed players. */
export function playerMenu(players: readonly ListedPlayer[], context: CommandContext): readonly Action[] {
  const choices = players.map(({ id, name, detail, ruleset }) => {
    return { label: name, detail, token: openPlayerToken(context, id, ruleset) };
  });
  return menu(context.t.messages.plays.buttons.profile, choices);
}

/** A menu that opens the maps of listed plays. @param isDetailed true to say how each play went */
export function playedMapMenu(
  scores: readonly Score[],
  { services, t }: CommandContext,
  isDetailed = false,
): readonly Action[] {
  const choices = scores.flatMap(score => {
    const token = openPlayedToken(services, score);
    if (token === undefined) return [];
    const detail = isDetailed ? { detail: resultText(score, t) } : {};
    return [{ label: mapName(score, t), ...detail, token }];
  });
  return menu(t.messages.osu.open, choices);
}
