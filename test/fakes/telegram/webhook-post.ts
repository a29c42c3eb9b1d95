import { request } from 'node:http';
import { z } from 'zod';
import type { Delivery, UpdatesOptions } from './updates.ts';

export interface WebhookPostOptions {
  readonly resolve: (url: string) => string | undefined;
  readonly problem: (what: string) => void;
  /** Ends what runs. */
  readonly signal: AbortSignal;
}

/** Telegram's call of the bot's webhook, the host of whose address is played on loopback. */
export function createWebhookPost({ resolve, problem, signal }: WebhookPostOptions): UpdatesOptions['post'] {
  return (webhook, update) => {
    const origin = resolve(webhook.url);
    if (origin === undefined) return Promise.resolve({ status: 0, body: 'the host is not known' });
    const { hostname, port } = new URL(origin);
    const { host, pathname, search } = new URL(webhook.url);
    const secret = webhook.secret === undefined ? {} : { 'x-telegram-bot-api-secret-token': webhook.secret };
    return new Promise<Delivery>(done => {
      const headers = { host, 'content-type': 'application/json', ...secret };
      const sent = request({ method: 'POST', hostname, port, path: pathname + search, headers, agent: false, signal });
      sent.once('error', error => done({ status: 0, body: String(error) }));
      sent.once('response', answer => {
        let body = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => {
          body += part;
        });
        answer.once('error', error => done({ status: 0, body: String(error) }));
        answer.once('end', () => {
          if (isCall(body)) problem('webhook: an answer that is a call of its own never learns how it went');
          done({ status: answer.statusCode ?? 0, body });
        });
      });
      sent.end(JSON.stringify(update));
    });
  };
}

function isCall(body: string): boolean {
  try {
    return z.looseObject({ method: z.string() }).safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}
