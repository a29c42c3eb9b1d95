import { userPage } from '../../../beatmaps/model/link.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type Inline, link, type Text } from '../../contract/reply.ts';
import type { LinkedPlayer } from '../../contract/settings.ts';

/** The name, leading to the profile. */
export function playerTitle({ username, url }: Pick<Player, 'username' | 'url'>): Text {
  return [link(url, username)];
}

/** Stands behind the name of a player whom the person proved to be. */
export const PROVEN_MARK = ' ✓';

/** A linked player's name, leading to the profile, with the mark. */
export function linkedName({ id, name, mode, proven }: LinkedPlayer): readonly Inline[] {
  return [link(userPage(id, mode ?? undefined), name), ...(proven ? [PROVEN_MARK] : [])];
}

/** `+12.3`; two digits, since what one play adds is often little. */
export function gainText(gain: number, t: Translator): string {
  return `${gain < 0 ? '−' : '+'}${t.decimal(Math.abs(gain), 1)}`;
}
