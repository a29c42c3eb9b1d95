import type { Translator } from '../../i18n/translate.ts';
import { button, type Reply, reply, textBlock } from '../contract/reply.ts';
import { sentence } from './sentence.ts';

/** What is kept, with the button that deletes it. */
export function renderForgetQuestion(token: string, t: Translator): Reply {
  const words = t.messages.forget;
  return reply({
    blocks: [textBlock(sentence(words.explain))],
    actions: [button(words.confirm, token, 'danger')],
    visibility: 'caller',
  });
}

export function renderForgotten(t: Translator): Reply {
  return reply({
    tone: 'success',
    blocks: [textBlock(sentence(t.messages.forget.done))],
    visibility: 'caller',
  });
}
