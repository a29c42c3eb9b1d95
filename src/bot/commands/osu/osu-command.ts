import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Action, Text } from '../../contract/reply.ts';
import { joined, menu } from '../../contract/reply-parts.ts';
import { modeOf } from '../../contract/terms.ts';
import { type OpenableMap, openMapToken } from '../../osu/buttons.ts';
import type { AskedMap } from '../../views/osu/beatmap.ts';
import { mapName, resultText } from '../../views/osu/score.ts';

/** The visibility, cost and subject that most osu! commands have. */
export const ABOUT_BEATMAP = { visibility: 'chat', cost: 1, subject: 'beatmap' } as const;
export const ABOUT_PLAYER = { visibility: 'chat', cost: 1, subject: 'player' } as const;

/** The map as buttons open it: in the requested ruleset, with these mods. */
export function openable({ beatmap, ruleset }: AskedMap, mods?: readonly string[]): OpenableMap {
  return { id: beatmap.id, convertedTo: ruleset === beatmap.mode ? undefined : ruleset, mods };
}

/** The token of a button, for anyone to press, that opens a player's profile. */
export function openPlayerToken({ services }: CommandContext, id: number, ruleset: Ruleset): string {
  return services.actions.encode({
    command: 'osu profile',
    values: { player: String(id), mode: modeOf(ruleset) },
  });
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
    if (score.beatmap_id === null) return [];
    const detail = isDetailed ? { detail: resultText(score, t) } : {};
    return [{ label: mapName(score, t), ...detail, token: openMapToken(services, score.beatmap_id) }];
  });
  return menu(t.messages.osu.open, choices);
}

/** A line of a numbered list, such as `1. lamp post · 6,241 pp · ID`. */
export function numberedLine(place: number, parts: Parameters<typeof joined>[0], t: Translator): Text {
  return [`${t.number(place)}. `, ...joined(parts)];
}
