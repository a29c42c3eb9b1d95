import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createDispatcher, type Dispatcher } from '../../../src/bot/answer/answer.ts';
import { createCommandList } from '../../../src/bot/commands/index.ts';
import type { Block, Inline, Reply } from '../../../src/bot/contract/reply.ts';
import { callerOf } from '../../../src/bot/contract/request.ts';
import { Runtime } from '../../../src/bot/runtime/runtime.ts';
import { createEmbeddedQueue } from '../../../src/infra/queue/embedded-queue.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import type { RuntimePlatform } from '../../../src/platforms/platform.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { fakeExtractor, link, memoryLimiter, samplePost, sampleServices } from '../sample.ts';

/** A whole chat platform: people type lines, answers are printed below. */
function createTerminalPlatform(options: {
  readonly input: Readable;
  readonly output: Writable;
  readonly dispatcher: Pick<Dispatcher, 'read'>;
}): RuntimePlatform<z.output<typeof Line>> {
  const { input, output, dispatcher } = options;
  const user = { id: 'typist', rateKey: 'typist', locales: ['en'] };
  const chat = { id: 'terminal', kind: 'private' as const };

  return {
    id: 'terminal',
    replyTo: Line,
    repliesAtOnce: 1,

    async connect(host) {
      const lines = createInterface({ input });
      const accepting = new Set<Promise<unknown>>();
      lines.on('line', text => {
        const [number = '', ...words] = text.split(' ');
        const accepted = hear(number, words.join(' ')).finally(() => accepting.delete(accepted));
        accepting.add(accepted);
      });
      lines.on('close', () => host.lost(new Error('the terminal was closed')));

      async function hear(number: string, text: string): Promise<void> {
        const caller = callerOf({ platform: 'terminal', chat, user });
        const ask = await dispatcher.read({ caller, text });
        if (ask !== undefined)
          await host.accept({ eventId: number, chat, user, replyTo: { line: Number(number) }, ...ask });
      }

      return {
        async close() {
          lines.close();
          await Promise.all(accepting);
        },
      };
    },

    async verify() {
      if (!output.writable) throw new TerminalGone('nobody reads this terminal');
    },

    async send(replies, { to, sendOnce, signal }) {
      let place = 0;
      for await (const reply of replies) {
        await sendOnce(`${place}`, () => write(`[${to.line}] ${renderPlain(reply)}\n`, signal));
        place += 1;
      }
    },

    outcomeOf: error => (error instanceof TerminalGone ? { outcome: 'notSent', reason: 'away' } : undefined),

    async close() {
      output.end();
    },
  };

  /** Nothing is written at all where nobody reads. */
  function write(text: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!output.writable) throw new TerminalGone('nobody reads this terminal');
    return new Promise((resolve, reject) => output.write(text, error => (error ? reject(error) : resolve())));
  }
}

/** The line that is answered. */
const Line = z.object({ line: z.number() });

class TerminalGone extends Error {
  override readonly name = 'TerminalGone';
}

function renderPlain({ blocks, gallery }: Reply): string {
  const files = gallery.map(({ post, index }) => `<${post.items[index]?.variants[0]?.url ?? post.url}>`);
  return [...blocks.map(renderBlock), ...files].filter(text => text !== '').join(' | ');
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'text':
      return block.text.map(renderInline).join('');
    case 'fields':
      return block.fields.map(({ label, value }) => `${label}: ${value.map(renderInline).join('')}`).join(', ');
    default:
      return '';
  }
}

function renderInline(inline: Inline): string {
  if (typeof inline === 'string') return inline;
  if (inline.kind === 'time') return new Date(inline.at).toISOString();
  if (inline.kind === 'command') return `/${inline.name}`;
  if (inline.kind === 'role') return inline.id;
  return inline.kind === 'swatch' ? inline.symbol : inline.children.map(renderInline).join('');
}

/** A process of Medley with a terminal. */
async function openTerminal(store: Store, work: (id: string) => Promise<void> = async () => undefined) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const log = createRecordingLog();
  const extractor = fakeExtractor(async id => {
    await work(id);
    return samplePost({ id, url: link(id), caption: `caption of ${id}` });
  });
  const dispatcher = createDispatcher({
    commands: createCommandList({ sources: [] }),
    services: sampleServices(extractor, store),
    limiter: memoryLimiter(Date.now),
    userLimit: { units: 1_000, windowMs: 60_000 },
    log,
  });
  const queue = createEmbeddedQueue({ store, log });
  const platform = createTerminalPlatform({ input, output, dispatcher });
  const runtime = new Runtime({ platforms: [platform], queue, dispatcher, log, drainMs: 200 });
  let printed = '';
  output.on('data', chunk => (printed += String(chunk)));
  await runtime.start();
  let typed = 0;
  return {
    runtime,
    type: (text: string) => void input.write(`${++typed} ${text}\n`),
    printed: () => printed.split('\n').filter(line => line !== ''),
    async stop() {
      await runtime.stop();
      await queue.close();
    },
  };
}

describe('a toy platform', () => {
  function openDisk(): () => Store {
    const folder = mkdtempSync(join(tmpdir(), 'medley-terminal-'));
    const stores: Store[] = [];
    onTestFinished(() => {
      for (const store of stores) store.close();
      rmSync(folder, { recursive: true });
    });
    return () => {
      stores.push(openStore(join(folder, 'medley.db')));
      return stores.at(-1) ?? openStore(':memory:');
    };
  }

  it('answers commands and links, many in one line in their order', async () => {
    const terminal = await openTerminal(openDisk()());
    terminal.type('/help');
    terminal.type(Array.from({ length: 7 }, (_, index) => link(`Code${index}`)).join(' '));
    await expect.poll(() => terminal.printed()).toHaveLength(8);
    const [help, ...posts] = terminal.printed().toSorted();
    expect(help).toContain('/download');
    expect(posts.map(line => /caption of (\w+)/.exec(line)?.[1])).toEqual(
      Array.from({ length: 7 }, (_, index) => `Code${index}`),
    );
    expect((await terminal.runtime.status()).platforms).toMatchObject([{ platform: 'terminal', state: 'connected' }]);
    await terminal.stop();
  });

  it('answers after a restart what it was asked before', async () => {
    const open = openDisk();
    const before = await openTerminal(open(), () => new Promise(() => undefined));
    before.type(link('Slow01'));
    await expect.poll(async () => (await before.runtime.status()).running).toBe(1);
    await before.stop();
    expect(before.printed()).toEqual([]);
    const after = await openTerminal(open());
    await expect.poll(() => after.printed()).toEqual([expect.stringContaining('caption of Slow01')]);
    await after.stop();
  });
});
