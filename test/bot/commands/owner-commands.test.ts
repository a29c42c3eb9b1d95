import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../../../src/bot/answer/answer.ts';
import { createOwnerCommands } from '../../../src/bot/commands/owner.ts';
import type { RuntimeStatus } from '../../../src/bot/contract/chat-platform.ts';
import type { Caller } from '../../../src/bot/contract/request.ts';
import { createBlockList } from '../../../src/bot/stores/exclusions.ts';
import { AppError } from '../../../src/errors.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import type { Extractor, WithheldPosts } from '../../../src/media/extract/extractor.ts';
import { embeddedRecords } from '../../records.ts';
import { commandList } from '../command-list.ts';
import { converse } from '../converse.ts';
import { fakeExtractor, link, memoryLimiter, sampleCaller, samplePost, sampleServices } from '../sample.ts';
import { spelled } from '../spelled.ts';

const owner = sampleCaller({ platform: 'telegram', userId: '1', chatId: '1' });
const sari = sampleCaller({ platform: 'telegram', userId: '7', chatId: '7' });
const inGroup = (of: Caller, chatId = '-100'): Caller => ({ ...of, chatKind: 'group', chatId });

const CHATS: RuntimeStatus = {
  waiting: 3,
  running: 2,
  oldestAt: 1_000,
  lastRunAt: 2_000,
  platforms: [{ platform: 'discord', state: 'away', since: 5_000, reason: 'no route' }],
};

const FIGURES = {
  strategy: 'embed/crawler',
  successRate: 0.5,
  medianMs: 420,
  coolsUntil: 2_000,
  waitsUntil: null,
  last: null,
};

/** As the extractor itself does with what is blocked. */
function withholding(plain: Extractor, blocks: WithheldPosts): Extractor {
  return {
    ...plain,
    async extract(url, options) {
      const key = plain.postKey(url);
      const found = key === undefined || !(await blocks.hasLink(key)) ? await plain.extract(url, options) : undefined;
      if (found !== undefined && !(await blocks.hasPost(found.post))) return found;
      throw new AppError('forbidden', 'the operator withholds this post', { params: { hint: 'withheldPost' } });
    },
  };
}

function setUp() {
  const posts = fakeExtractor(id =>
    samplePost({ id, url: link(id), author: { ...samplePost().author, id: `by-${id}` } }),
  );
  const plain: Extractor = posts.services;
  const blocks = createBlockList({ records: embeddedRecords() });
  const commands = createOwnerCommands({
    blocks,
    failures: { list: () => [{ message: 'a request failed', cause: 'timeout', count: 4, lastAt: 9_000 }] },
    sources: [{ id: 'instagram', figures: () => [FIGURES] }],
    readChats: async () => CHATS,
  });
  const dispatcher = createDispatcher({
    commands: commandList,
    ...{ ownerCommands: commands, owners: [{ platform: 'telegram', id: '1' }], blocks },
    services: { ...sampleServices(posts), extractor: withholding(plain, blocks) },
    limiter: memoryLimiter(() => 0),
    userLimit: { units: 100, windowMs: 60_000 },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const { signal } = new AbortController();
  const say = (text: string, caller: Caller) => converse(dispatcher, { text, caller });
  const words = async (text: string, caller: Caller) => spelled((await say(text, caller)).map(each => each.blocks));
  return { dispatcher, say, words, asked: posts.asked, signal };
}

const LINES = ['/owner status', '/owner blocked', '/owner logs', '/owner block person telegram:7', '/owner'];

describe('the commands of owners', () => {
  it.each(LINES)('are unknown to everyone else, and to owners in a group: %s', async line => {
    const { words, say, dispatcher, signal } = setUp();
    const unknown = await words(line, sari);
    expect(unknown).toMatch(/I do not know \/owner/);
    expect(unknown).not.toMatch(/\/owner (status|block|logs)[,.]/);
    expect(unknown).toContain('/download');
    expect(await say(line, inGroup(owner))).toEqual([]);
    const name = line.slice(1).split(' ').slice(0, 2).join(' ');
    const { replies: answers } = await dispatcher.answer(
      { kind: 'command', what: { name, options: {} } },
      { caller: sari, signal, progress: () => undefined, from: 0, paid: 0 },
    );
    expect(JSON.stringify(await answers[0]?.reply)).toContain('I do not know');
  });

  it('stand in no help, no menu and no suggestion, not even for owners', async () => {
    const { dispatcher, words, signal } = setUp();
    for (const { tag } of LANGUAGES) {
      const names = dispatcher.commandSpecs(createTranslator([tag])).map(({ name }) => name);
      expect(names.filter(name => name.startsWith('owner'))).toEqual([]);
    }
    expect(await words('/help', owner)).not.toContain('owner');
    expect(await dispatcher.suggest('/own', sari, signal)).toEqual([]);
  });

  it('show how Medley does', async () => {
    const { say, words } = setUp();
    const shown = await words('/owner status', owner);
    for (const part of ['Medley 1.2.3', process.version, 'MiB', '3 waiting, 2 running', 'away', 'no route']) {
      expect(shown).toContain(part);
    }
    expect(shown).toContain('50 %, 420 ms, asked last');
    expect((await say('/owner status', owner))[0]?.visibility).toBe('caller');
  });

  it('show what failed lately', async () => {
    const shown = await setUp().words('/owner logs', owner);
    expect(shown).toContain('a request failed: timeout');
    expect(shown).toContain('4×');
  });
});

describe('what is blocked', () => {
  it('is listed, and taken back', async () => {
    const { words } = setUp();
    expect(await words('/owner blocked', owner)).toContain('Nothing is blocked.');
    expect(await words('/owner block person telegram:7', owner)).toContain('Blocked: person telegram:7.');
    expect(await words('/owner block person telegram:7', owner)).toContain('Already blocked');
    expect(await words('/owner blocked', owner)).toMatch(/person \(1\).*telegram:7/);
    expect(await words('/owner unblock person telegram:7', owner)).toContain('No longer blocked');
    expect(await words('/owner unblock person telegram:7', owner)).toContain('Not blocked');
  });

  it('must be named so that it can be found', async () => {
    const { words } = setUp();
    expect(await words('/owner block person sari', owner)).toContain('must be given as site and ID');
    expect(await words('/owner block planet telegram:7', owner)).toContain('also needs: kind');
    expect(await words('/owner block person', owner)).toContain('also needs');
  });

  it('as a person gets no answers to anything, anywhere', async () => {
    const { say, dispatcher, signal } = setUp();
    await say('/owner block person telegram:7', owner);
    expect(await say(link('a'), sari)).toEqual([]);
    expect(await say('/help', sari)).toEqual([]);
    expect(await say(link('a'), inGroup(sari))).toEqual([]);
    expect(await dispatcher.suggest('/he', sari, signal)).toEqual([]);
    const round = await dispatcher.answer(
      { kind: 'command', what: { name: 'help', options: {} } },
      { caller: sari, signal, progress: () => undefined, from: 0, paid: 0 },
    );
    // Discord would show for a quarter of an hour that it is being worked on.
    expect(round).toMatchObject({ next: 1, remaining: undefined });
    expect(await Promise.all(round.replies.map(({ reply }) => reply))).toMatchObject([
      { tone: 'notice', visibility: 'caller' },
    ]);
    const pasted = { kind: 'links', what: [{ url: link('a'), spoiler: false }] } as const;
    const attempt = { caller: sari, signal, progress: () => undefined, from: 0, paid: 0 };
    expect(await dispatcher.answer({ ...pasted, what: [...pasted.what] }, attempt)).toMatchObject({
      replies: [],
      next: 1,
    });
    expect(await say(link('a'), inGroup({ ...sari, userId: '8' }))).toHaveLength(1);
  });

  it('as a chat gets none either, whoever speaks there', async () => {
    const { say } = setUp();
    await say('/owner block chat telegram:-100', owner);
    expect(await say(link('a'), inGroup(sari))).toEqual([]);
    expect(await say(link('a'), inGroup(sari, '-200'))).toHaveLength(1);
    expect(await say(link('a'), sari)).toHaveLength(1);
  });

  it('as a link is not even asked for, and one sentence says so', async () => {
    const { say, words, asked } = setUp();
    await say(`/owner block link ${link('a')}?igsh=abc`, owner);
    const replies = await say(link('a'), sari);
    expect(replies.map(({ gallery }) => gallery.length)).toEqual([0]);
    expect(JSON.stringify(replies[0]?.blocks)).toContain('That post is not shown here');
    expect(asked).toEqual([]);
    expect(await words('/owner blocked', owner)).toContain('instagram:a');
    await say(`/owner unblock link ${link('a')}`, owner);
    expect((await say(link('a'), sari)).map(({ gallery }) => gallery.length)).toEqual([1]);
  });

  it('as an author has none of their posts shown', async () => {
    const { say } = setUp();
    await say('/owner block author instagram:by-a', owner);
    expect(JSON.stringify((await say(link('a'), sari))[0]?.blocks)).toContain('That post is not shown here');
    expect((await say(link('b'), sari)).map(({ gallery }) => gallery.length)).toEqual([1]);
  });
});
