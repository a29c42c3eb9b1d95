import type { Translator } from '../../i18n/translate.ts';
import { type Reply, reply } from '../contract/reply.ts';
import { sentence } from './sentence.ts';

/** What is kept, with the button that deletes it. */
export function renderForgetQuestion(token: string, t: Translator): Reply {
  const words = t.messages.forget;
  return reply({
    blocks: [{ kind: 'text', text: sentence(words.explain) }],
    actions: [{ kind: 'button', label: words.confirm, token, style: 'danger' }],
    visibility: 'caller',
  });
}

export function renderForgotten(t: Translator): Reply {
  return reply({
    tone: 'success',
    blocks: [{ kind: 'text', text: sentence(t.messages.forget.done) }],
    visibility: 'caller',
  });
}
