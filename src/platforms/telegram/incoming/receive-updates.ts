import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { ChatConnection } from '../../../bot/contract/chat-platform.ts';
import { ALLOWED_UPDATES } from '../api/updates.ts';
import type { TelegramContext } from '../outgoing/context.ts';

const Numbered = z.looseObject({ update_id: z.number() });

/** Stores an update's request; false if it was not stored, so that Telegram has to keep the update or send it again. */
type TakeUpdate = (update: unknown) => Promise<boolean>;

/**
 * Receives updates by long polling. Each poll confirms all earlier updates, so their requests are stored before it.
 * @param onLost is called once when polling has ended, with the reason
 */
export function startPolling(
  { api, limits }: TelegramContext,
  take: TakeUpdate,
  onLost: (reason: unknown) => void,
): ChatConnection {
  const stopping = new AbortController();
  const { signal } = stopping;
  const timeoutMs = limits.pollSeconds * 1_000 + limits.callMs;

  async function run(): Promise<void> {
    let offset: number | undefined;
    while (!signal.aborted) {
      const wanted = { timeout: limits.pollSeconds, allowed_updates: [...ALLOWED_UPDATES] };
      const updates = await api.call('getUpdates', offset === undefined ? wanted : { ...wanted, offset }, {
        signal,
        timeoutMs,
      });
      const taken = await Promise.all(updates.map(take));
      const firstLeft = taken.indexOf(false);
      const last = updates.slice(0, firstLeft === -1 ? undefined : firstLeft).at(-1);
      if (last !== undefined) offset = Numbered.parse(last).update_id + 1;
      if (firstLeft !== -1) throw new Error('updates could not be stored; Telegram keeps them');
    }
  }

  const running = run().catch((error: unknown) => {
    if (!signal.aborted) onLost(error);
  });

  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}

export interface WebhookOptions {
  readonly token: string;
  /** The secret that Telegram sends with each update: 1 to 256 of the characters `A-Z a-z 0-9 _ -`. */
  readonly secret: string;
  /** The origin by which Telegram reaches the server: https on port 443, 80, 88 or 8443. */
  readonly publicUrl: string;
  readonly take: TakeUpdate;
}

/** The most bytes of an update that are read. Most have a few kilobytes, the largest nearly a hundred. */
const MAX_BYTES = 1024 * 1024;

/** Makes the webhook. Its path is hard to guess, the same after a restart, and useless without the secret. */
export function createWebhook({ token, secret, publicUrl, take }: WebhookOptions) {
  const name = createHmac('sha256', token).update('address of the webhook').digest('base64url').slice(0, 32);
  const path = `/telegram/${name}`;

  return {
    url: new URL(path, publicUrl).href,
    secret,
    async plugin(server: FastifyInstance): Promise<void> {
      server.post(path, { bodyLimit: MAX_BYTES }, async (request, reply) => {
        const given = request.headers['x-telegram-bot-api-secret-token'];
        const isTelegram = typeof given === 'string' && timingSafeEqual(digest(given), digest(secret));
        if (!isTelegram) return reply.code(403).send();
        return reply.code((await take(request.body)) ? 200 : 503).send();
      });
    },
  };
}

/** The hash of a text, because comparing in constant time needs texts of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
