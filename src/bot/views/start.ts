import type { Translator } from '../../i18n/translate.ts';
import type { PermissionCheck } from '../contract/caller.ts';
import { type Action, type Block, type Reply, reply } from '../contract/reply.ts';
import { sentence } from './sentence.ts';

export interface StartView {
  /** Adds Medley to a group; undefined where there is no such address. */
  readonly inviteUrl: string | undefined;
  /** Of the button that brings an example; undefined for none. */
  readonly tryToken: string | undefined;
  readonly languageToken: string;
}

/** Three lines and where to go from here. */
export function renderStart({ inviteUrl, tryToken, languageToken }: StartView, t: Translator): Reply {
  const words = t.messages.start;
  const actions: Action[] = [];
  if (inviteUrl !== undefined) actions.push({ kind: 'link', label: words.addToGroup, url: inviteUrl });
  if (tryToken !== undefined) actions.push({ kind: 'button', label: words.tryIt, token: tryToken, style: 'primary' });
  actions.push({ kind: 'button', label: words.language, token: languageToken, style: 'secondary' });
  return reply({
    blocks: [{ kind: 'text', text: sentence([words.links, words.osu, words.more].join('\n')) }],
    actions,
    visibility: 'caller',
  });
}

/** Whether pasted links are seen in this group, and what to do where something is missing. */
export function renderWelcome(checks: readonly PermissionCheck[], t: Translator): Reply {
  const words = t.messages.start;
  const missing = checks.filter(({ ok }) => !ok);
  const isBlind = missing.some(({ key }) => key === 'privacyMode');
  const others = missing.filter(({ key }) => key !== 'privacyMode');
  return reply({
    blocks: [
      { kind: 'text', text: sentence(isBlind ? words.blindHere : words.seesHere) },
      ...others.map(({ key }): Block => ({ kind: 'text', text: sentence(t.messages.diagnosis[key].advice) })),
    ],
  });
}
