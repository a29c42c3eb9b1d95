import type { Reply } from '../../../bot/contract/reply.ts';
import { type Caller, callerOf } from '../../../bot/contract/request.ts';
import { errorNotice } from '../../../bot/views/notice.ts';
import { AppError, toAppError } from '../../../errors.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { privateSpeaker } from '../api/reply-to.ts';
import type { User } from '../api/updates.ts';
import type { TelegramContext } from '../outgoing/context.ts';

/** The person who writes an inline query. */
export interface Asker {
  readonly caller: Caller;
  readonly t: Translator;
}

/** How long a reply is remembered: when a person chooses a result, its link is looked up a second time. */
const REMEMBERED_MS = 5 * 60_000;
const MAX_REMEMBERED = 1_000;

export type InlineLookUp = ReturnType<typeof createInlineLookUp>;

/** Looks up what a person types behind the bot's name. */
export function createInlineLookUp({ dispatcher, now }: TelegramContext) {
  const replies = createLru<string, Promise<Reply>>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS, perf: { now } });

  async function ask(link: string, { caller, t }: Asker, signal: AbortSignal): Promise<Reply> {
    // A failure is turned into a notice, because a placeholder must be replaced in any case.
    const orNotice = (error: unknown) => errorNotice(toAppError(error), t, { visibility: 'caller' });
    const nothing = new AppError('internal', 'nothing was said to a link');
    try {
      const { replies, remaining } = await dispatcher.answer(
        { kind: 'links', what: [{ url: link, spoiler: false }] },
        { caller, signal, progress: () => undefined, from: 0, paid: 0 },
      );
      return (await replies[0]?.reply) ?? orNotice(remaining?.refusal ?? nothing);
    } catch (error) {
      return orNotice(error);
    }
  }

  return {
    async askerOf(user: User): Promise<Asker> {
      const caller = callerOf({ platform: 'telegram', ...privateSpeaker(user) });
      return { caller, t: await dispatcher.translator(caller) };
    },
    /** The first link in the query that Medley can answer; undefined when there is none. */
    async linkIn(query: string, { caller }: Asker): Promise<string | undefined> {
      const [link] = await dispatcher.linksOf({ caller, text: query, direct: true });
      return link?.url;
    },
    /** The reply to the link. It is remembered for this person for a while, so that a second call needs no request. */
    replyTo(link: string, asker: Asker, signal: AbortSignal): Promise<Reply> {
      const key = `${asker.caller.userId} ${asker.t.locale} ${link}`;
      const known = replies.get(key);
      if (known) return known;
      const asked = ask(link, asker, signal);
      replies.set(key, asked);
      const forget = () => void (replies.peek(key) === asked && replies.delete(key));
      asked.then(reply => {
        if (reply.gallery.length === 0) forget();
      }, forget);
      return asked;
    },
  };
}
