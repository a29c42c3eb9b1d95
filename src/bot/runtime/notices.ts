import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import { createLru } from '../../infra/cache/cache.ts';
import type { ChatPlatform, PostToChat } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';
import { callerOf, chatKey, type Request } from '../contract/request.ts';
import { oneReply } from './continue-job.ts';
import { type JobTools, throttledChatOf } from './job.ts';
import { Throttled } from './send-throttle.ts';

type NoticeTools = Pick<JobTools, 'handler' | 'sendThrottle' | 'deletions' | 'log' | 'now'>;

/** Sends a notice that is not essential, to a chat at most once a minute. Never rejects. */
export type SendNotice = (platform: ChatPlatform, request: Request, render: (t: Translator) => Reply) => Promise<void>;

const EVERY_MS = 60_000;
const TIMEOUT_MS = 30_000;
const MAX_CHATS = 10_000;
/** How long a reply that answers no request waits for the rate limit of its chat. */
const LONGEST_WAIT_MS = 120_000;

export function createSendNotice(tools: NoticeTools): SendNotice {
  const noticed = createLru<string, true>({ max: MAX_CHATS, ttl: EVERY_MS });

  return async (platform, request, render) => {
    const chat = chatKey(callerOf(request));
    if (noticed.has(chat)) return;
    noticed.set(chat, true);
    const notice = { render, phase: 'n', isFirst: false, signal: AbortSignal.timeout(TIMEOUT_MS) };
    await sendUnstored(platform, request, notice, tools).catch((error: unknown) => {
      tools.log.info({ err: error, platform: platform.id }, 'a notice could not be sent');
    });
  };
}

/** Makes the function that sends replies which answer no request. */
export function createPost(platforms: readonly ChatPlatform[], tools: NoticeTools): PostToChat {
  return async ({ platform: id, chatId, group, topicId, eventId }, reply, signal) => {
    const platform = platforms.find(each => each.id === id);
    if (platform?.placeOf === undefined) throw new AppError('internal', `nothing can be posted on ${id}`);
    const owner = group.slice(id.length + 1);
    const request: Request = {
      id: eventId,
      platform: id,
      chat: { id: chatId, kind: 'group', ...(owner !== chatId && { groupId: owner }) },
      user: { id: '', rateKey: '', locales: [] },
      at: tools.now(),
      replyTo: platform.placeOf(chatId, eventId, topicId),
      kind: 'talk',
      what: null,
    };
    const post = { render: () => reply, phase: 'p', isFirst: true, signal };
    try {
      await sendUnstored(platform, request, post, tools).catch(async error => {
        if (!(error instanceof Throttled) || error.waitMs > LONGEST_WAIT_MS) throw error;
        await sleep(error.waitMs, undefined, { signal });
        await sendUnstored(platform, request, post, tools);
      });
      return 'posted';
    } catch (error) {
      const failure = platform.outcomeOf(error);
      if (failure?.outcome === 'unknown' && !signal.aborted) {
        tools.log.warn({ err: error, platform: id }, 'a post may not have arrived');
        return 'posted';
      }
      if (failure?.outcome === 'notSent' && failure.reason === 'gone')
        return failure.isBarred === true ? 'barred' : 'gone';
      throw error;
    }
  };
}

interface Unstored {
  readonly render: (t: Translator) => Reply;
  /** The part of the idempotency keys that distinguishes these messages from other ones of the request. */
  readonly phase: string;
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/**
 * Sends a reply, within the platform's rate limit, without storing it.
 * @throws whatever sending throws, and Throttled
 */
async function sendUnstored(
  platform: ChatPlatform,
  request: Request,
  { render, phase, isFirst, signal }: Unstored,
  { handler, sendThrottle, deletions }: NoticeTools,
): Promise<void> {
  const caller = callerOf(request);
  const to = request.replyTo;
  const [t, settings] = await Promise.all([handler.translator(caller), handler.chatSettings(caller)]);
  const reply = render(t);
  const messages = platform.messagesOf?.(to, reply) ?? 1;
  const reservation = sendThrottle.reserve(throttledChatOf(request), `${request.id} ${phase}`, messages);
  if (typeof reservation === 'number') throw new Throttled(reservation);
  try {
    await platform.send(oneReply(reply), {
      ...{ request, to, t, settings, signal, isFirst, isLast: true, expected: 1, sentKeys: [] },
      async sendOnce(key, call, { messages = 1 } = {}) {
        const taken = await reservation.take(messages, signal);
        try {
          return await call(`${phase}-${key}`);
        } finally {
          taken.arrived();
        }
      },
      deleteLater: (...messages) => deletions.deleteLater(platform.id, ...messages),
    });
  } finally {
    reservation.end();
  }
}

const MAX_PEOPLE = 10_000;
/** How many notices a person may get in a row. */
const BURST = 5;
/** The time after which a person may get one more notice. */
const ONE_MORE_MS = 5_000;

/**
 * Says whether to tell a person now that their request waits for their rate limit; each yes counts as a
 * notice. A few are allowed at once, then one every few seconds, so that a person who floods a group
 * does not make Medley flood it too.
 * @param clock a monotonic clock, in milliseconds
 */
export function createNoticeBudget(clock: () => number): JobTools['mayNotify'] {
  /**
   * By person, the time at which their last notice would have been sent if notices had kept the distance `ONE_MORE_MS`.
   */
  const evenAt = createLru<string, number>({ max: MAX_PEOPLE });

  return person => {
    const next = Math.max(evenAt.get(person) ?? 0, clock()) + ONE_MORE_MS;
    if (next - clock() > BURST * ONE_MORE_MS) return false;
    evenAt.set(person, next);
    return true;
  };
}
