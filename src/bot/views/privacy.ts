import type { Translator } from '../../i18n/translate.ts';
import { button, type Reply, reply, textBlock } from '../contract/reply.ts';
import { sentence } from './sentence.ts';

export interface PrivacyView {
  /** Whether the person's pasted links are left alone. */
  readonly isOut: boolean;
  /** Whether this answers a change. */
  readonly saved: boolean;
  /** Of the button that switches it. */
  readonly token: string;
}

export function renderPrivacy({ isOut, saved, token }: PrivacyView, t: Translator): Reply {
  const words = t.messages.privacy;
  return reply({
    tone: saved ? 'success' : 'neutral',
    blocks: [textBlock(sentence(isOut ? words.ignored : words.answered)), textBlock(sentence(words.explain))],
    actions: [button(isOut ? words.answer : words.ignore, token)],
    visibility: 'caller',
  });
}
