import { userPage } from '../../../beatmaps/model/link.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type Inline, type Reply, reply } from '../../contract/reply.ts';
import type { LinkedPlayer } from '../../contract/settings.ts';
import { sentence } from '../sentence.ts';
import { link } from './beatmap.ts';

/** Stands behind the name of a player whom the person proved to be. */
export const PROVEN_MARK = ' ✓';

/** A linked player's name, leading to the profile, with the mark. */
export function linkedName({ id, name, mode, proven }: LinkedPlayer): readonly Inline[] {
  return [link(userPage(id, mode ?? undefined), name), ...(proven ? [PROVEN_MARK] : [])];
}

export function renderLinked({ name, mode }: LinkedPlayer, t: Translator): Reply {
  const words = t.messages.osu;
  const text = mode === null ? words.linked({ name }) : words.linkedIn({ name, mode: words.modes[mode] });
  return reply({ tone: 'success', blocks: [{ kind: 'text', text: sentence(text) }], visibility: 'caller' });
}

/** @param address of our page, for the caller alone */
export function renderSignInOffer(address: string, t: Translator): Reply {
  const words = t.messages.linking;
  return reply({
    blocks: [
      { kind: 'text', text: [words.offer] },
      { kind: 'text', text: sentence(words.byName) },
    ],
    actions: [{ kind: 'link', label: words.button, url: address }],
    visibility: 'caller',
  });
}

/** @param player who was linked; null for none */
export function renderUnlinked(player: LinkedPlayer | null, t: Translator): Reply {
  const words = t.messages.osu;
  return reply({
    tone: player === null ? 'notice' : 'success',
    blocks: [{ kind: 'text', text: [player === null ? words.notLinked : words.unlinked({ name: player.name })] }],
    visibility: 'caller',
  });
}
