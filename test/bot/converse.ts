import type { Dispatcher } from '../../src/bot/answer/answer.ts';
import type { Reply } from '../../src/bot/contract/reply.ts';
import type { Caller, RemainingLinks, RequestBody, TextMessage } from '../../src/bot/contract/request.ts';
import { errorNotice } from '../../src/bot/views/notice.ts';
import { toAppError } from '../../src/errors.ts';

/** A message, or a pressed button. */
export type Said = TextMessage | { readonly caller: Caller; readonly token: string };

export interface Listener {
  readonly signal?: AbortSignal;
  readonly progress?: (stage: string) => void;
  /** Called with each reply as soon as it is there. */
  readonly onReply?: (reply: Reply) => void;
}

/** All that a dispatcher replies, without a runtime: links that wait for a limit end with the notice of it. */
export async function converse(
  dispatcher: Pick<Dispatcher, 'read' | 'answer' | 'translator'>,
  said: Said,
  { signal = new AbortController().signal, progress = () => undefined, onReply }: Listener = {},
): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  const hear = (reply: Reply) => {
    if (signal.aborted) return;
    replies.push(reply);
    onReply?.(reply);
  };
  const body: RequestBody | undefined =
    'token' in said ? { kind: 'button', what: { token: said.token } } : await dispatcher.read(said);
  let position = { from: 0, paid: 0 };
  let remaining: RemainingLinks | undefined;
  try {
    do {
      if (body === undefined) break;
      const batch = await dispatcher.answer(body, { caller: said.caller, signal, progress, ...position });
      for (const { reply } of batch.replies) {
        const ready = await reply;
        if (ready) hear(ready);
      }
      position = { from: batch.next, paid: batch.paid };
      remaining = batch.remaining;
      if (remaining?.refusal !== undefined) {
        hear(errorNotice(remaining.refusal, await dispatcher.translator(said.caller), { visibility: 'caller' }));
        break;
      }
    } while (remaining !== undefined && !signal.aborted);
  } catch (error) {
    hear(errorNotice(toAppError(error), await dispatcher.translator(said.caller), { visibility: 'caller' }));
  }
  return replies;
}
