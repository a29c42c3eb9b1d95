/** What the fake's own tests share: three chats, a telegraf to drive, and calls no library would make. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Telegraf, TelegramError } from 'telegraf';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createFakeTelegram, type FakeTelegram, type FakeTelegramOptions } from '../telegram.ts';

export const ALI = { id: 512, first_name: 'Ali' };
export const GROUP = -1_001_000_000_001;
export const FORUM = -1_001_000_000_002;
export const VIDEO = Buffer.from('not much of a film');
export const SHA = createHash('sha256').update(VIDEO).digest('hex');
export const FILM = { source: VIDEO, filename: 'film.mp4' };
export const PHOTO = { source: Buffer.from('hardly a picture'), filename: 'picture.jpg' };

export async function start(options?: FakeTelegramOptions): Promise<FakeTelegram> {
  const fake = await createFakeTelegram(options);
  onTestFinished(() => fake.close());
  fake.addChat({ id: ALI.id, type: 'private' });
  fake.addChat({ id: GROUP, type: 'supergroup', title: 'Harbour' });
  fake.addChat({ id: FORUM, type: 'supergroup', title: 'Quay', is_forum: true });
  return fake;
}

export function botOf(fake: FakeTelegram): Telegraf {
  return new Telegraf(fake.token, { telegram: { apiRoot: fake.apiUrl, webhookReply: false } });
}

export interface Polling {
  /** What polling ends with: the error, or `stopped`. */
  readonly over: Promise<unknown>;
}

export async function launch(fake: FakeTelegram, bot: Telegraf): Promise<Polling> {
  let isOver = false;
  const over = bot.launch().then(
    () => 'stopped',
    (error: unknown) => error,
  );
  void over.then(() => {
    isOver = true;
  });
  onTestFinished(async () => {
    if (!isOver) bot.stop();
    await over;
  });
  await fake.waitFor(() => fake.isPolled || undefined);
  return { over };
}

/** @returns code and description of the error a call of telegraf ends with. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  return error instanceof TelegramError ? `${error.code} ${error.description}` : String(error);
}

const answerShape = z.object({ ok: z.boolean(), description: z.string().optional(), result: z.unknown().optional() });

/** A call without a library, however malformed. @returns its result, or the description of the error. */
export async function call(fake: FakeTelegram, method: string, params: unknown): Promise<unknown> {
  const answer = await fetch(`${fake.apiUrl}bot${fake.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  const { ok, result, description } = answerShape.parse(await answer.json());
  return ok ? result : description;
}
