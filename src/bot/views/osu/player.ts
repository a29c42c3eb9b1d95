import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { userPage } from '../../../beatmaps/model/link.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Block, Inline, Text } from '../../contract/reply.ts';
import { headingBlock, labelled, link } from '../../contract/reply-parts.ts';
import type { LinkedPlayer } from '../../contract/settings.ts';
import { originBlocks } from './beatmap.ts';

/** The player's name as a link to the profile. */
export function playerTitle({ username, url }: Pick<Player, 'username' | 'url'>): Text {
  return [link(url, username)];
}

/** The beginning of a reply about a player: whom and what it is about, and whether that may be outdated. */
export function playerHead(
  player: Pick<Player, 'username' | 'url'>,
  title: string,
  stale: boolean,
  t: Translator,
): readonly Block[] {
  return [headingBlock(labelled(playerTitle(player), [title], t)), ...originBlocks({ source: 'osu', stale }, t)];
}

/** A title with the ruleset that it is about. */
export function inMode(title: string, mode: Ruleset, t: Translator): string {
  return t.messages.joining.aside({ words: title, aside: t.messages.osu.modes[mode] });
}

/** The mark behind a player's name if someone of the chat has proved to be this player by signing in. */
export const PROVEN_MARK = ' ✓';

/** A linked player's name as a link to the profile, with the mark if it is proved. */
export function linkedName({ id, name, mode, proven }: LinkedPlayer): readonly Inline[] {
  return [link(userPage(id, mode ?? undefined), name), ...(proven ? [PROVEN_MARK] : [])];
}

/** A text such as `+12.3`, with one decimal because a single play often adds little. */
export function gainText(gain: number, t: Translator): string {
  return `${gain < 0 ? '−' : '+'}${t.decimal(Math.abs(gain), 1)}`;
}
