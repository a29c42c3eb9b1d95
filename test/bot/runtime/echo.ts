import type { Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import type { AttemptContext, PendingReply, ReplyBatch, RequestBody } from '../../../src/bot/contract/request.ts';
import { CHAT_DEFAULTS } from '../../../src/bot/contract/settings.ts';
import type { RuntimeOptions } from '../../../src/bot/runtime/runtime.ts';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';

const t = createTranslator(['en']);

/** How links are answered here: by their own words. */
export interface Answering {
  /** Links that one round takes. */
  readonly atOnce?: number;
  /** Links that a person may have; the rest waits so long. */
  readonly limit?: { left: number; readonly retryAfterMs: number };
  /** Before a link is answered; may never resolve, or throw. */
  readonly work?: (link: string, signal: AbortSignal) => Promise<void>;
}

/** A dispatcher that answers `link` with `answer of link`, in rounds as the real one does. */
export function createEcho({ atOnce = 5, limit, work }: Answering = {}) {
  const charged: string[] = [];

  async function answer(ask: RequestBody, attempt: AttemptContext): Promise<ReplyBatch> {
    const { from, paid, signal, progress } = attempt;
    const links = ask.kind === 'links' ? ask.what.map(({ url }) => url) : [JSON.stringify(ask.what)];
    const replies: PendingReply[] = [];
    let next = from;
    for (const link of links.slice(from, from + atOnce)) {
      if (next >= paid) {
        if (limit !== undefined && limit.left === 0) {
          const error = new AppError('rate_limited', 'too much', { retryAfterMs: limit.retryAfterMs });
          return {
            replies,
            next,
            paid: Math.max(paid, next),
            remaining: { links: links.length - next, refusal: error },
          };
        }
        if (limit !== undefined) limit.left -= 1;
        charged.push(link);
      }
      progress('resolving');
      next += 1;
      replies.push({ reply: worked(link, signal), next });
    }
    const left = links.length - next;
    return {
      replies,
      next,
      paid: Math.max(paid, next),
      remaining: left > 0 ? { links: left, refusal: undefined } : undefined,
    };
  }

  async function worked(link: string, signal: AbortSignal): Promise<Reply | undefined> {
    await work?.(link, signal);
    return signal.aborted ? undefined : says(`answer of ${link}`);
  }

  const chatSettings = async () => CHAT_DEFAULTS;
  const preferences = async () => ({ t, settings: CHAT_DEFAULTS });
  return {
    dispatcher: { answer, preferences, translator: async () => t, chatSettings } satisfies RuntimeOptions['dispatcher'],
    charged,
  };
}

function says(text: string): Reply {
  return reply({ blocks: [{ kind: 'text', text: [text] }] });
}
