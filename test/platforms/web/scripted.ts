import type { Dispatcher } from '../../../src/bot/answer/answer.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';

/** What a person wrote, or the token of the button that they pressed. */
export type Said = { readonly text: string } | { readonly token: string };

type Script = (said: Said, signal: AbortSignal) => readonly Reply[] | Promise<readonly Reply[]>;

/** Takes every message, and answers by the script. */
export function scripted(script: Script): Pick<Dispatcher, 'read' | 'answer'> {
  return {
    read: async ({ text }) => ({ kind: 'line', what: { name: 'said', args: text } }),
    async answer(body, { signal }) {
      if (body.kind !== 'line' && body.kind !== 'button') throw new TypeError(`nobody said ${body.kind}`);
      const replies = await script(body.kind === 'line' ? { text: body.what.args } : body.what, signal);
      const pending = replies.map(reply => ({ reply: Promise.resolve(reply), next: 1 }));
      return { replies: pending, next: 1, paid: 1, remaining: undefined };
    },
  };
}
