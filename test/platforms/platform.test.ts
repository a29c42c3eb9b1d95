import { fastify } from 'fastify';
import { Runtime } from '../../src/bot/runtime/runtime.ts';
import { createEmbeddedQueue } from '../../src/infra/queue/embedded-queue.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { createDiscordPlatform } from '../../src/platforms/discord/platform.ts';
import type { RuntimePlatform } from '../../src/platforms/platform.ts';
import { createTelegramPlatform } from '../../src/platforms/telegram/platform.ts';
import type { WebText } from '../../src/platforms/web/page/base/protocol.ts';
import { createWebPlatform } from '../../src/platforms/web/platform.ts';
import {
  type Core,
  DRAIN_MS,
  type Heard,
  type Hosted,
  type PlatformUnderTest,
  platformContract,
} from '../contracts/platform.ts';
import { createFakeDiscord } from '../fakes/discord.ts';
import type { Entity } from '../fakes/telegram/shapes.ts';
import { createFakeTelegram } from '../fakes/telegram.ts';
import { embeddedRecords } from '../records.ts';
import { textOf } from './discord/stage.ts';
import { connect, type PageClient } from './web/page-client.ts';

async function openDiscord(core: Core): Promise<PlatformUnderTest> {
  const fake = await createFakeDiscord();
  const discord = createDiscordPlatform({
    ...core,
    records: embeddedRecords(core.store),
    token: fake.token,
    apiUrl: fake.apiUrl,
    shards: 'auto',
  });
  const platform = hosted(discord, core);
  await platform.start();
  const nameOf = (person: number) => String(300 + person);
  return {
    platform,
    problems: fake.problems,
    async say(person, content) {
      fake.message({ authorId: nameOf(person), content });
    },
    heard(person) {
      const all = [...fake.messages.values()];
      const chat = all.find(({ authorId }) => authorId === nameOf(person))?.channelId;
      return all
        .filter(message => message.own && !message.deleted && message.channelId === chat)
        .map((message): Heard => {
          const written = textOf(message);
          // What a backslash stands before shows as itself.
          const live = written.replace(/\\[^\w\s]/g, '');
          const mentions = JSON.stringify(message.body.allowed_mentions);
          return {
            text: written.replace(/\\([^\w\s])/g, '$1').replaceAll('\u200b', ''),
            files: message.files.length,
            isTampered:
              mentions !== '{"parse":[],"replied_user":false}' ||
              /\*\*loud|\]\(https:\/\/evil|<@\d|@everyone/.test(live),
          };
        });
    },
    close: () => fake.close(),
  };
}

/** A platform in a runtime of its own, as a process has it. */
function hosted(platform: RuntimePlatform, { store, dispatcher, log }: Core): Hosted {
  const memory = openStore(':memory:');
  const queue = createEmbeddedQueue({ store, log });
  const spare = createEmbeddedQueue({ store: memory, log });
  const runtime = new Runtime({ platforms: [platform], queue, spare, dispatcher, log, drainMs: DRAIN_MS });
  return {
    start: () => runtime.start(),
    async stop() {
      await runtime.stop();
      await Promise.all([queue.close(), spare.close()]);
      memory.close();
    },
  };
}

async function openTelegram(core: Core): Promise<PlatformUnderTest> {
  const fake = await createFakeTelegram();
  const limits = { spacingMs: 0 };
  const telegram = createTelegramPlatform({
    ...core,
    records: embeddedRecords(core.store),
    token: fake.token,
    apiUrl: fake.apiUrl,
    limits,
  });
  const platform = hosted(telegram, core);
  await platform.start();
  await fake.waitFor(() => fake.isPolled || undefined);
  return {
    platform,
    problems: fake.problems,
    async say(person, text) {
      fake.message({ from: { id: 500 + person, first_name: 'Sari', language_code: 'en' }, text });
    },
    heard: person =>
      [...fake.messages.values()]
        .filter(({ byBot, chatId, deleted }) => byBot && chatId === 500 + person && !deleted)
        .map(({ text, caption, entities, file }): Heard => {
          const written = text ?? caption ?? '';
          const marked = entities.map(({ offset, length }) => written.slice(offset, offset + length));
          const isMarked = marked.some(words => /loud|free|bold|code/.test(words) && words.length < 20);
          return {
            text: written,
            files: file === undefined ? 0 : 1,
            isTampered: isMarked || callsSomeone(written, entities),
          };
        }),
    close: () => fake.close(),
  };
}

/** Telegram makes mentions of names itself, but not of those that are a link or code. */
function callsSomeone(text: string, entities: readonly Entity[]): boolean {
  const isCovered = (at: number) =>
    entities.some(({ type, offset, length }) => {
      return (type === 'code' || type === 'text_link') && offset <= at && at < offset + length;
    });
  return [...text.matchAll(/(?<!\w)@\w/g)].some(({ index }) => !isCovered(index));
}

async function openWeb(core: Core): Promise<PlatformUnderTest> {
  const web = createWebPlatform({
    ...core,
    tunnel: { address: file => `/media/${new URL(file.url).pathname.slice(1)}`, carries: () => true },
    limits: { closeMs: DRAIN_MS },
  });
  const memory = openStore(':memory:');
  const platform = hosted(web, { ...core, store: memory });
  const server = fastify({ forceCloseConnections: true });
  await server.register(web.plugin);
  await platform.start();
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  const pages = new Map<number, PageClient>();
  let words = 0;
  return {
    platform,
    problems: [],
    async say(person, text) {
      const page = pages.get(person) ?? (await connect(origin));
      pages.set(person, page);
      words += 1;
      page.send({ type: 'message', id: `word-${words}`, text });
    },
    heard: person =>
      (pages.get(person)?.heard ?? []).flatMap((frame): Heard[] => {
        // The row of a question says by itself that its links wait.
        const isWait = frame.type === 'progress' && frame.text.includes('follows by itself');
        if (isWait) return [{ text: frame.text, files: 0, isTampered: false }];
        if (frame.type !== 'reply') return [];
        const { blocks, gallery } = frame.reply;
        const texts = blocks.flatMap((block): readonly WebText[] => {
          if (block.kind === 'fields') return block.fields.map(({ label, value }) => [label, ' ', ...value]);
          return block.kind === 'text' || block.kind === 'heading' ? [block.text] : [];
        });
        return [
          {
            text: texts.map(plainText).join('\n'),
            files: gallery.length,
            isTampered: JSON.stringify(blocks).includes('"url":"https://evil'),
          },
        ];
      }),
    async close() {
      for (const page of pages.values()) page.socket.terminate();
      await server.close();
      memory.close();
    },
  };
}

/** The page shows it with `textContent` alone. */
function plainText(text: WebText): string {
  return text
    .map(inline => {
      if (typeof inline === 'string') return inline;
      return 'children' in inline ? plainText(inline.children) : '';
    })
    .join('');
}

platformContract('Discord', openDiscord);
platformContract('Telegram', openTelegram);
platformContract('the web chat', openWeb);
