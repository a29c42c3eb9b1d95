import * as z from 'zod';
import type { Logger } from '../../infra/log.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import { type Caller, callerKey, callerOf, type Request, RequestBody } from '../contract/request.ts';

/** The requests whose answers a message with buttons has shown, the latest last. */
const Views = z.array(RequestBody);

/** The collection of what messages showed; a record is kept for as long as the message's buttons are valid. */
export const SHOWN_VIEWS = { name: 'shown-views', schema: Views, ttlMs: 7 * 24 * 3_600_000, maxRecords: 200_000 };

export type ViewHistory = ReturnType<typeof createViewHistory>;

interface PressedMessage {
  readonly messageId?: string | undefined;
  /** True when the button leads to the previous content. */
  readonly isBack?: boolean | undefined;
}

export interface ViewHistoryOptions {
  readonly platform: string;
  readonly records: Pick<RecordStore, 'groupedCollection'>;
  readonly dispatcher: { commandOf(body: RequestBody, caller: Caller): Promise<string | undefined> };
  readonly log: Pick<Logger, 'info'>;
}

const MOST = 8;

/** Remembers what messages with buttons show and showed. Never rejects: after a failure people cannot go back. */
export function createViewHistory({ platform, records, dispatcher, log }: ViewHistoryOptions) {
  const views = records.groupedCollection(SHOWN_VIEWS);

  async function shownIn(messageId: string | undefined): Promise<readonly RequestBody[]> {
    if (messageId === undefined) return [];
    try {
      return (await views.get(`${platform}:${messageId}`)) ?? [];
    } catch (error) {
      log.info({ err: error, platform }, 'what a message showed before could not be read');
      return [];
    }
  }

  return {
    /** The request whose answer the message showed before; undefined when unknown. */
    async before(messageId: string): Promise<RequestBody | undefined> {
      const ask = (await shownIn(messageId)).at(-2);
      // A person who goes back asks for the answer, so failures are reported, unlike those about a pasted link.
      return ask?.kind === 'links' ? { ...ask, unasked: false } : ask;
    },
    /**
     * The number of stored requests of the message if it still shows the answer to this request; undefined if it shows
     * another answer by now, 0 if nothing is stored.
     */
    async depth(messageId: string, request: Request): Promise<number | undefined> {
      const shown = await shownIn(messageId);
      const isCurrent = shown.length === 0 || isSame(shown.at(-1), RequestBody.parse(request));
      return isCurrent ? shown.length : undefined;
    },
    /** The requests whose answers the message has shown, with this one as the last. */
    async next(request: Request, pressed: PressedMessage | undefined): Promise<readonly RequestBody[]> {
      const ask = RequestBody.parse(request);
      const shown = await shownIn(pressed?.messageId);
      if (pressed?.isBack === true) return shown.slice(0, -1);
      const last = shown.at(-1);
      if (last === undefined) return [ask];
      const caller = callerOf(request);
      // If one command answers this request and the one before it, this one shows another page or state, and replaces
      // it.
      const isOtherPage = (await dispatcher.commandOf(last, caller)) === (await dispatcher.commandOf(ask, caller));
      return [...(isOtherPage ? shown.slice(0, -1) : shown), ask].slice(-MOST);
    },
    async keep(messageId: string, shown: readonly RequestBody[], request: Request): Promise<void> {
      try {
        await views.set(`${platform}:${messageId}`, [...shown], callerKey({ platform, userId: request.user.id }));
      } catch (error) {
        log.info({ err: error, platform }, 'what a message shows could not be noted');
      }
    },
  };
}

function isSame(a: RequestBody | undefined, b: RequestBody): boolean {
  const wordsOf = (ask: RequestBody | undefined) => JSON.stringify([ask?.kind, ask?.what]);
  return wordsOf(a) === wordsOf(b);
}
