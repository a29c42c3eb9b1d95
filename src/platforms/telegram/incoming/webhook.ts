import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

export interface WebhookOptions {
  readonly token: string;
  /** What Telegram sends along, 1 to 256 of `A-Z a-z 0-9 _ -`. */
  readonly secret: string;
  /** Origin at which Telegram reaches the server, https on port 443, 80, 88 or 8443. */
  readonly publicUrl: string;
  /** Resolves when the update is stored; with false while nothing listens, and Telegram then brings it again. */
  readonly take: (update: unknown) => Promise<boolean>;
}

export interface Webhook {
  readonly url: string;
  readonly plugin: (server: FastifyInstance) => Promise<void>;
}

/** Updates are a few kilobytes; the largest messages come near a hundred. */
const MAX_BYTES = 1024 * 1024;

/** The address Telegram calls: hard to guess, the same after a restart, and worth nothing without the secret. */
export function createWebhook({ token, secret, publicUrl, take }: WebhookOptions): Webhook {
  const name = createHmac('sha256', token).update('address of the webhook').digest('base64url').slice(0, 32);
  const path = `/telegram/${name}`;

  function isTelegram(given: unknown): boolean {
    return typeof given === 'string' && timingSafeEqual(digest(given), digest(secret));
  }

  return {
    url: new URL(path, publicUrl).href,
    async plugin(server) {
      server.post(path, { bodyLimit: MAX_BYTES }, async (request, reply) => {
        if (!isTelegram(request.headers['x-telegram-bot-api-secret-token'])) return reply.code(403).send();
        return reply.code((await take(request.body)) ? 200 : 503).send();
      });
    },
  };
}

/** Of one length, as comparing needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
