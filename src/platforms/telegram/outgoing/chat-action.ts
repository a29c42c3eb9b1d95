import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from '../api/bot-api.ts';
import type { Params } from '../api/methods.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';

export type ChatAction = Extract<
  Params['sendChatAction']['action'],
  'typing' | 'upload_photo' | 'upload_video' | 'upload_document'
>;

export type ActionPlace = Pick<TelegramReplyTo, 'chat' | 'thread' | 'isChannel'>;

/** Shows in a chat what Medley is doing there. It costs no message and goes by itself; channels show none. */
export interface ChatActions {
  /** `typing`, until a message is sent or the returned function is called. */
  begin(place: ActionPlace): () => void;
  /** Another action while the work lasts. */
  during<T>(place: ActionPlace, action: ChatAction, work: () => Promise<T>): Promise<T>;
  /** Sends a message. No action comes after it, which would stand there for five seconds more, until there is something else to do. */
  before<T>(place: ActionPlace, send: () => Promise<T>): Promise<T>;
}

export interface ChatActionsOptions {
  readonly api: BotApi;
  readonly everyMs: number;
  readonly log: Pick<Logger, 'debug'>;
}

interface Shown {
  holders: number;
  action: ChatAction;
  /** Undefined while nothing is shown. */
  timer: NodeJS.Timeout | undefined;
  /** The call that is under way. */
  sending: Promise<void> | undefined;
  isRefused: boolean;
  readonly ended: AbortController;
}

/** A message waits no longer for an action to be done with. */
const SETTLE_MS = 1_000;

export function createChatActions({ api, everyMs, log }: ChatActionsOptions): ChatActions {
  const places = new Map<string, Shown>();

  function show(place: ActionPlace, shown: Shown): void {
    if (shown.isRefused) return;
    const { chat, thread } = place;
    const { signal } = shown.ended;
    const to = { chat_id: chat, ...(thread === undefined ? {} : { message_thread_id: thread }) };
    shown.sending = api.call('sendChatAction', { ...to, action: shown.action }, { signal }).then(
      () => undefined,
      (error: unknown) => {
        if (!signal.aborted) log.debug({ err: error }, 'a chat action was not shown');
        shown.isRefused = true;
        rest(shown);
      },
    );
    clearInterval(shown.timer);
    shown.timer = setInterval(() => show(place, shown), everyMs).unref();
  }

  /** What several requests do in a chat is shown as one. */
  function hold(place: ActionPlace, action: ChatAction): { readonly shown: Shown; readonly release: () => void } {
    const key = keyOf(place);
    const shown = places.get(key) ?? begun(action);
    shown.holders += 1;
    places.set(key, shown);
    if (shown.timer === undefined) show(place, shown);
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      shown.holders -= 1;
      if (shown.holders > 0) return;
      places.delete(key);
      rest(shown);
      shown.ended.abort();
    };
    return { shown, release };
  }

  return {
    begin: place => (place.isChannel === true ? () => undefined : hold(place, 'typing').release),
    async during(place, action, work) {
      if (place.isChannel === true) return work();
      const known = places.get(keyOf(place));
      const before = known?.action ?? 'typing';
      if (known !== undefined && known.action !== action) {
        known.action = action;
        rest(known);
      }
      const { shown, release } = hold(place, action);
      try {
        return await work();
      } finally {
        shown.action = before;
        release();
      }
    },
    async before(place, send) {
      const shown = places.get(keyOf(place));
      if (shown === undefined) return send();
      // Files take their time on the way, words do not.
      if (shown.action === 'typing') rest(shown);
      await Promise.race([shown.sending, pause(SETTLE_MS, undefined, { ref: false })]);
      const sent = await send();
      rest(shown);
      return sent;
    },
  };
}

function rest(shown: Shown): void {
  clearInterval(shown.timer);
  shown.timer = undefined;
}

function begun(action: ChatAction): Shown {
  const ended = new AbortController();
  return { holders: 0, action, timer: undefined, sending: undefined, isRefused: false, ended };
}

function keyOf({ chat, thread = 0 }: ActionPlace): string {
  return `${chat} ${thread}`;
}
