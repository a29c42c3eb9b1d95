import { userPage } from '../../../beatmaps/model/link.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type Inline, link, type Reply, reply, textBlock } from '../../contract/reply.ts';
import type { LinkedPlayer } from '../../contract/settings.ts';
import { sentence } from '../sentence.ts';

/** Stands behind the name of a player whom the person proved to be. */
export const PROVEN_MARK = ' ✓';

/** A linked player's name, leading to the profile, with the mark. */
export function linkedName({ id, name, mode, proven }: LinkedPlayer): readonly Inline[] {
  return [link(userPage(id, mode ?? undefined), name), ...(proven ? [PROVEN_MARK] : [])];
}

export function renderLinked({ name, mode }: LinkedPlayer, t: Translator): Reply {
  const words = t.messages.osu;
  const text = mode === null ? words.linked({ name }) : words.linkedIn({ name, mode: words.modes[mode] });
  return reply({ tone: 'success', blocks: [textBlock(sentence(text))], visibility: 'caller' });
}

/** @param address of our page, for the caller alone */
export function renderSignInOffer(address: string, t: Translator): Reply {
  const words = t.messages.linking;
  return reply({
    blocks: [textBlock([words.offer]), textBlock(sentence(words.byName))],
    actions: [{ kind: 'link', label: words.button, url: address }],
    visibility: 'caller',
  });
}

/** @param player who was linked; null for none */
export function renderUnlinked(player: LinkedPlayer | null, t: Translator): Reply {
  const words = t.messages.osu;
  return reply({
    tone: player === null ? 'notice' : 'success',
    blocks: [textBlock([player === null ? words.notLinked : words.unlinked({ name: player.name })])],
    visibility: 'caller',
  });
}
