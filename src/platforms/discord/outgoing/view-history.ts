import type { Dispatcher } from '../../../bot/answer/answer.ts';
import { callerOf, ownerKey, type Request, RequestBody } from '../../../bot/contract/request.ts';
import type { ShownViews } from '../../../bot/stores/shown-views.ts';
import type { Logger } from '../../../infra/log.ts';
import type { InteractionReplyTo } from '../api/reply-to.ts';

/** Remembers what messages with buttons show and showed before. Never rejects: without it there is no way back. */
export interface ViewHistory {
  /** Resolves with the request whose answer a pressed message showed before; undefined where that is not known. */
  before(messageId: string): Promise<RequestBody | undefined>;
  /**
   * Counts the views of the message, when it shows the one that this request asked for; undefined when something else was opened in it
   * since. 0 where nothing is noted of it.
   */
  depth(messageId: string, request: Request): Promise<number | undefined>;
  /** Lists what the message showed, and last what it will show when the request is answered in it. */
  next(request: Request, pressed: InteractionReplyTo['pressed']): Promise<readonly RequestBody[]>;
  keep(messageId: string, views: readonly RequestBody[], request: Request): Promise<void>;
}

export interface ViewHistoryOptions {
  readonly views: ShownViews;
  readonly dispatcher: Pick<Dispatcher, 'commandOf'>;
  readonly log: Pick<Logger, 'info'>;
}

const MOST = 8;

export function createViewHistory({ views, dispatcher, log }: ViewHistoryOptions): ViewHistory {
  async function shownIn(messageId: string | undefined): Promise<readonly RequestBody[]> {
    if (messageId === undefined) return [];
    try {
      return await views.of(`discord:${messageId}`);
    } catch (error) {
      log.info({ err: error }, 'discord: what a message showed before could not be read');
      return [];
    }
  }

  return {
    async before(messageId) {
      const ask = (await shownIn(messageId)).at(-2);
      // A person who goes back asks for it, and hears when it fails.
      return ask?.kind === 'links' ? { ...ask, unasked: false } : ask;
    },
    async depth(messageId, request) {
      const shown = await shownIn(messageId);
      const isCurrent = shown.length === 0 || isSame(shown.at(-1), RequestBody.parse(request));
      return isCurrent ? shown.length : undefined;
    },
    async next(request, pressed) {
      const ask = RequestBody.parse(request);
      const shown = await shownIn(pressed?.messageId);
      if (pressed?.isBack === true) return shown.slice(0, -1);
      const last = shown.at(-1);
      const caller = callerOf(request);
      // Another page, or another state of a switch, is no step away from where one is.
      const isTurned =
        last !== undefined && (await dispatcher.commandOf(last, caller)) === (await dispatcher.commandOf(ask, caller));
      return [...(isTurned ? shown.slice(0, -1) : shown), ask].slice(-MOST);
    },
    async keep(messageId, shown, request) {
      try {
        await views.set(`discord:${messageId}`, shown, ownerKey(request.platform, request.user.id));
      } catch (error) {
        log.info({ err: error }, 'discord: what a message shows could not be noted');
      }
    },
  };
}

function isSame(a: RequestBody | undefined, b: RequestBody): boolean {
  const wordsOf = (ask: RequestBody | undefined) => JSON.stringify([ask?.kind, ask?.what]);
  return wordsOf(a) === wordsOf(b);
}
