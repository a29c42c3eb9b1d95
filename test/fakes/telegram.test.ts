import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Telegraf } from 'telegraf';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeTelegram, type FakeTelegram, type FakeTelegramOptions } from './telegram.ts';

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(options?: FakeTelegramOptions): Promise<FakeTelegram> {
  const fake = await createFakeTelegram(options);
  ends.push(() => fake.close());
  return fake;
}

function botOf(fake: FakeTelegram): Telegraf {
  return new Telegraf(fake.token, { telegram: { apiRoot: fake.apiUrl, webhookReply: false } });
}

async function launch(fake: FakeTelegram, bot: Telegraf): Promise<void> {
  const running = bot.launch();
  ends.push(async () => {
    bot.stop();
    await running;
  });
  await fake.waitFor(() => fake.isPolled || undefined);
}

const VIDEO = Buffer.from('not much of a film');
const SHA = createHash('sha256').update(VIDEO).digest('hex');

describe('polling', () => {
  it('brings what people write and takes the answer', async () => {
    const fake = await start();
    const bot = botOf(fake);
    bot.on('text', async ctx => {
      await ctx.reply(`you said ${ctx.message.text}`, { entities: [{ type: 'bold', offset: 0, length: 3 }] });
    });
    await launch(fake, bot);
    fake.message({ from: { id: 5 }, text: 'hello' });
    const answer = await fake.waitFor(() => fake.messages.get('5:2'));
    expect(answer.text).toBe('you said hello');
    expect(fake.problems).toEqual([]);
  });
});

describe('files', () => {
  it('hands out an id for an upload and takes it back', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    fake.addChat({ id: 5, type: 'private' });
    const sent = await telegram.sendVideo(5, { source: VIDEO, filename: 'a.mp4' }, { width: 10, duration: 3 });
    expect(sent.video.width).toBe(10);
    expect(fake.files.get(sent.video.file_id)?.sha256).toBe(SHA);
    const again = await telegram.sendVideo(5, sent.video.file_id);
    expect(again.video.file_id).toBe(sent.video.file_id);
    expect(fake.problems).toEqual([]);
  });
});
