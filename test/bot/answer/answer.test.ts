import { describe, expect, it } from 'vitest';
import { createDispatcher, type Dispatcher, type DispatcherOptions } from '../../../src/bot/answer/answer.ts';
import { createCommandList } from '../../../src/bot/commands/index.ts';
import { type Command, defineCommand } from '../../../src/bot/contract/command.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import type { Caller, RequestBody, TextMessage } from '../../../src/bot/contract/request.ts';
import type { Services } from '../../../src/bot/contract/services.ts';
import { AppError, StoreAway } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { createMemoryRateLimiter } from '../../../src/infra/rate-limit/rate-limit.ts';
import { createLinkReader } from '../../../src/media/extract/links.ts';
import { instagram } from '../../../src/media/sources/instagram/descriptor.ts';
import { silentLog } from '../../fakes/instagram-upstream.ts';
import { noHttp } from '../../fakes/no-http.ts';
import { commandList } from '../command-list.ts';
import { converse } from '../converse.ts';
import { fakeExtractor, link, memoryLimiter, sampleCaller, samplePost, sampleServices } from '../sample.ts';
import { spelled } from '../spelled.ts';

interface LogLine {
  readonly level: string;
  readonly details: object;
}

function setUp(change: Partial<DispatcherOptions> & { now?: () => number } = {}) {
  const logged: LogLine[] = [];
  const write = (level: string) => (details: object) => void logged.push({ level, details });
  const now = change.now ?? (() => 0);
  const dispatcher = createDispatcher({
    commands: commandList,
    services: sampleServices(),
    limiter: memoryLimiter(now),
    userLimit: { units: 20, windowMs: 60_000 },
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    now,
    ...change,
  });

  async function ask(
    input:
      | Pick<TextMessage, 'text' | 'direct' | 'links'>
      | { name: string; options: Record<string, unknown> }
      | { token: string },
    caller: Caller = sampleCaller(),
    signal: AbortSignal = new AbortController().signal,
  ) {
    const heard: { replies: Reply[]; readonly stages: string[] } = { replies: [], stages: [] };
    const progress = (stage: string) => void heard.stages.push(stage);
    if ('name' in input) {
      const attempt = { caller, signal, from: 0, paid: 0, progress };
      const { replies } = await dispatcher.answer({ kind: 'command', what: input }, attempt);
      for (const { reply } of replies) heard.replies.push(...[await reply].filter(each => each !== undefined));
      return heard;
    }
    heard.replies.push(...(await converse(dispatcher, { ...input, caller }, { signal, progress })));
    return heard;
  }
  return { dispatcher, logged, ask };
}

function words(value: Reply | undefined): string {
  return spelled(value?.blocks ?? null);
}

const group = (change: Partial<Caller> = {}) => sampleCaller({ chatKind: 'group', chatId: 'square', ...change });
const en = createTranslator(['en']).messages;

/** A promise to settle from outside. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setImmediate(resolve));
}

describe('pasted links', () => {
  it('are answered one by one, in the order of the text', async () => {
    const slow = gate();
    const extractor = fakeExtractor(async id => {
      if (id === 'first') await slow.opened;
      else slow.open();
      return samplePost({ id, url: link(id) });
    });
    const { ask } = setUp({ services: sampleServices(extractor) });
    const heard = await ask({ text: `look ${link('first')} and ${link('second')}!` }, group());
    expect(heard.replies.map(({ gallery }) => gallery[0]?.post.id)).toEqual(['first', 'second']);
    expect(heard.stages).toEqual(expect.arrayContaining(['resolving', 'fetching', 'preparing']));
  });

  it('are all brought, in order and five at a time, however many they are', async () => {
    const { ask } = setUp({ userLimit: { units: 100, windowMs: 60_000 } });
    const ids = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const heard = await ask({ text: ids.map(link).join(' ') }, group());
    expect(heard.replies.map(({ gallery }) => gallery[0]?.post.id)).toEqual(ids);
  });

  it('that fail do not keep the others from being answered, and are named where there are several', async () => {
    const extractor = fakeExtractor(id => {
      if (id === 'gone') throw new AppError('not_found', 'no such post');
      return samplePost({ id });
    });
    const { ask } = setUp({ services: sampleServices(extractor) });
    const { replies } = await ask({ text: `${link('gone')} ${link('here')}` }, group());
    expect(replies[0]?.blocks).toEqual([
      { kind: 'text', text: [{ kind: 'code', children: ['instagram.com/p/gone'] }, `: ${en.errors.not_found}`] },
    ]);
    expect(replies[1]?.gallery).toHaveLength(1);
    expect(words(replies[1])).not.toContain('instagram.com/p/here');

    const alone = await ask({ text: link('gone') }, group());
    expect(alone.replies[0]?.blocks).toEqual([{ kind: 'text', text: [en.errors.not_found] }]);
  });

  it('cost two units each; over the limit every message gets one notice, with the time', async () => {
    let now = 0;
    const { ask } = setUp({ userLimit: { units: 5, windowMs: 60_000 }, now: () => now });
    const text = `${link('a')} ${link('b')} ${link('c')}`;
    const first = await ask({ text }, group());
    expect(first.replies).toHaveLength(3);
    expect(words(first.replies[2])).toContain('in 60 seconds');
    expect(first.replies[2]).toMatchObject({ visibility: 'caller', outdatedMs: 60_000 });

    for (const waited of [10_000, 25_000, 59_000]) {
      now = waited;
      const { replies, stages } = await ask({ text }, group());
      expect(replies.map(words)).toEqual([expect.stringMatching(`in ${60 - waited / 1_000} seconds?`)]);
      expect([stages, replies.length]).toEqual([[], 1]);
    }

    now = 60_000;
    expect((await ask({ text: link('a') }, group())).replies[0]?.gallery).toHaveLength(1);
  });

  it('are counted by the real limiter as by the one of these tests', async () => {
    const { ask } = setUp({
      limiter: createMemoryRateLimiter(),
      now: Date.now,
      userLimit: { units: 3, windowMs: 3_600_000 },
    });
    const { replies } = await ask({ text: `${link('a')} ${link('b')}` }, group());
    expect(replies[0]?.gallery).toHaveLength(1);
    expect(words(replies[1])).toContain('in 60 minutes');
    for (const id of ['c', 'd']) {
      const refused = await ask({ text: link(id) }, group());
      expect(refused.replies.map(words)).toEqual([expect.stringContaining('in 60 minutes')]);
    }
  });

  it('take the whole of a limit that is lower than their cost', async () => {
    const { ask } = setUp({ userLimit: { units: 1, windowMs: 60_000 } });
    const { replies } = await ask({ text: `${link('a')} ${link('b')}` }, group());
    expect(replies[0]?.gallery).toHaveLength(1);
    expect(words(replies[1])).toContain('in 60 seconds');
  });

  it('of one person share a limit across chats; other people and platforms have their own', async () => {
    const { ask } = setUp({ userLimit: { units: 2, windowMs: 60_000 } });
    const shown = async (caller: Caller) => (await ask({ text: link('a') }, caller)).replies[0]?.gallery.length;
    expect(await shown(group({ chatId: 'one' }))).toBe(1);
    expect(await shown(group({ chatId: 'two' }))).toBe(0);
    expect(await shown(group({ chatId: 'two', rateKey: 'budi' }))).toBe(1);
    expect(await shown(group({ chatId: 'two', platform: 'telegram' }))).toBe(1);
  });
});

describe('links that are kept until they are answered', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const attempt = { caller: sampleCaller(), signal: new AbortController().signal, progress: () => undefined };
  const idsOf = (replies: readonly (Reply | undefined)[]) => replies.map(each => each?.gallery[0]?.post.id);

  async function round(dispatcher: Dispatcher, ask: RequestBody, from: number, paid: number) {
    const { replies, ...others } = await dispatcher.answer(ask, { ...attempt, from, paid });
    return {
      ...others,
      nexts: replies.map(({ next }) => next),
      ids: idsOf(await Promise.all(replies.map(a => a.reply))),
    };
  }

  it('are read from a message once, and answered five at a time', async () => {
    const { dispatcher } = setUp();
    const ask = await dispatcher.read({ caller: sampleCaller(), text: ids.map(link).join(' ') });
    expect(ask).toEqual({ kind: 'links', what: ids.map(id => ({ url: link(id), spoiler: false })) });
    if (ask === undefined) return;
    const first = await round(dispatcher, ask, 0, 0);
    const remaining = { links: 2, refusal: undefined };
    expect(first).toEqual({ ids: ids.slice(0, 5), nexts: [1, 2, 3, 4, 5], next: 5, paid: 5, remaining });
    const second = await round(dispatcher, ask, 5, 5);
    expect(second).toEqual({ ids: ['f', 'g'], nexts: [6, 7], next: 7, paid: 7, remaining: undefined });
  });

  it('wait for the limit of the person, and are charged once', async () => {
    const { dispatcher } = setUp({ userLimit: { units: 6, windowMs: 60_000 } });
    const ask: RequestBody = { kind: 'links', what: ids.map(id => ({ url: link(id), spoiler: false })) };
    const first = await round(dispatcher, ask, 0, 0);
    expect(first).toMatchObject({ ids: ['a', 'b', 'c'], next: 3, paid: 3, remaining: { links: 4 } });
    expect(first.remaining?.refusal).toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 });
    expect(await round(dispatcher, ask, 1, 3)).toMatchObject({
      ids: ['b', 'c'],
      next: 3,
      paid: 3,
      remaining: { links: 4 },
    });
    expect(await round(dispatcher, ask, 3, 3)).toMatchObject({ ids: [], next: 3, remaining: { links: 4 } });
  });

  it('are as good as commands, buttons and words that are kept', async () => {
    const { dispatcher } = setUp({ userLimit: { units: 0, windowMs: 60_000 } });
    const words = async (text: string) => dispatcher.read({ caller: sampleCaller(), text });
    expect(await words('/help me now')).toEqual({ kind: 'line', what: { name: 'help', args: 'me now' } });
    expect(await words('/nothing of mine')).toEqual({ kind: 'line', what: { name: 'nothing', args: 'of mine' } });
    expect(await words('hello')).toEqual({ kind: 'talk', what: null });
    expect(await words('https://example.org/p/1')).toMatchObject({ kind: 'links' });
    const search: RequestBody = { kind: 'line', what: { name: 'download', args: link('a') } };
    const [refused] = (await dispatcher.answer(search, { ...attempt, from: 0, paid: 0 })).replies;
    expect((await refused?.reply)?.tone).toBe('notice');
    const paid = await dispatcher.answer(search, { ...attempt, from: 0, paid: 1 });
    expect((await paid.replies[0]?.reply)?.gallery).toHaveLength(1);
    expect(await dispatcher.answer(search, { ...attempt, from: 1, paid: 1 })).toMatchObject({ replies: [], next: 1 });
  });
});

describe('people behind one address', () => {
  const visitor = (session: string, address = '192.0.2.1') =>
    sampleCaller({ userId: session, chatId: session, rateKey: session, sharedRateKey: address });

  it('have a budget of their own each', async () => {
    const { ask } = setUp({ userLimit: { units: 4, windowMs: 60_000 } });
    const isAnswered = async (caller: Caller) =>
      (await ask({ text: link('a') }, caller)).replies[0]?.gallery.length === 1;
    for (const expected of [true, true, false, false]) expect(await isAnswered(visitor('sari'))).toBe(expected);
    for (const expected of [true, true, false]) expect(await isAnswered(visitor('budi'))).toBe(expected);
  });

  it('have ten times as much together, however many sessions one of them makes', async () => {
    const { ask } = setUp({ userLimit: { units: 4, windowMs: 60_000 } });
    const replies: (Reply | undefined)[] = [];
    for (let n = 0; n < 30; n += 1) replies.push((await ask({ text: link('a') }, visitor(`made up ${n}`))).replies[0]);
    expect(replies.filter(value => value?.gallery.length === 1)).toHaveLength(20);
    for (const refused of replies.slice(20)) expect(words(refused)).toContain('in 60 seconds');
    expect((await ask({ text: link('a') }, visitor('sari', '192.0.2.2'))).replies[0]?.gallery).toHaveLength(1);
  });
});

describe('one link at the same time', () => {
  it('is fetched once for a chat, and everyone who asked is answered', async () => {
    const slow = gate();
    const extractor = fakeExtractor(async id => {
      await slow.opened;
      return samplePost({ id });
    });
    const { ask } = setUp({ services: sampleServices(extractor) });
    const asking = [ask({ text: link('same') }, group({ userId: 'sari' }))];
    await until(() => extractor.asked.length > 0);
    asking.push(
      ask({ text: `see instagram.com/p/same` }, group({ userId: 'budi' })),
      ask({ name: 'download', options: { link: 'instagram.com/p/same/' } }, group({ userId: 'tono' })),
    );
    await new Promise(resolve => setImmediate(resolve));
    slow.open();
    const heard = await Promise.all(asking);
    expect(extractor.asked).toEqual([link('same')]);
    for (const { replies } of heard) expect(replies[0]?.gallery[0]?.post.id).toBe('same');
  });

  it('is not shared between chats, items or languages', async () => {
    const slow = gate();
    const extractor = fakeExtractor(async id => {
      await slow.opened;
      return samplePost({ id });
    });
    const { ask } = setUp({ services: sampleServices(extractor) });
    const asking = [
      ask({ text: link('same') }, group()),
      ask({ text: link('same') }, group({ chatId: 'elsewhere' })),
      ask({ text: link('same') }, group({ locales: ['id'] })),
      ask({ text: `/download ${link('same')} 1` }, group()),
    ];
    await until(() => extractor.asked.length === 4);
    slow.open();
    const replies = (await Promise.all(asking)).map(heard => heard.replies[0]);
    expect(replies.map(each => each?.actions[0]?.label)).toEqual([
      'Open original',
      'Open original',
      'Buka kiriman asli',
      'Open original',
    ]);
  });

  it('goes on for the others when one leaves, and ends when all have left', async () => {
    const aborted: string[] = [];
    const extractor = fakeExtractor(
      (id, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            aborted.push(id);
            reject(signal.reason);
          });
        }),
    );
    const { ask, logged } = setUp({ services: sampleServices(extractor) });
    const [one, two] = [new AbortController(), new AbortController()];
    const first = ask({ text: link('same') }, group({ userId: 'sari' }), one.signal);
    const second = ask({ text: link('same') }, group({ userId: 'budi' }), two.signal);
    await until(() => extractor.asked.length === 1);
    one.abort();
    expect((await first).replies).toEqual([]);
    expect(aborted).toEqual([]);
    two.abort();
    expect((await second).replies).toEqual([]);
    expect(aborted).toEqual(['same']);
    expect(logged).toEqual([]);
  });
});

describe('links that a platform found itself', () => {
  const open = (id: string) => ({ url: link(id), spoiler: false });
  const spoiler = (id: string) => ({ url: `${link(id)}?igsh=abc`, spoiler: true });
  const shown = (replies: readonly Reply[]) =>
    replies.map(({ gallery }) => gallery.flatMap(item => [item.post.id, item.spoiler]));

  it('count instead of those in the text', async () => {
    const { ask } = setUp();
    const text = `\`${link('code')}\` and [here](${link('a')})`;
    expect(shown((await ask({ text, links: [open('a')] }, group())).replies)).toEqual([['a', false]]);
    expect((await ask({ text, links: [] }, group())).replies).toEqual([]);
  });

  it('that stand hidden bring hidden files, whoever else asks for the same', async () => {
    const { ask } = setUp();
    const links = [spoiler('a'), open('b'), open('a'), { url: 'https://example.com/', spoiler: true }];
    const heard = await ask({ text: 'look', links }, group());
    expect(shown(heard.replies)).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(shown((await ask({ text: '', links: [open('a')] }, group())).replies)).toEqual([['a', false]]);
  });

  it('that lead to one post in two forms count once, as does each of its files', async () => {
    const reader = createLinkReader([instagram.create({ http: noHttp(), log: silentLog })]);
    const services = sampleServices();
    const { dispatcher } = setUp({ services: { ...services, extractor: { ...services.extractor, ...reader } } });
    const links = [
      'reel/DXtwoforms1/',
      'p/DXtwoforms1/',
      'p/DXtwoforms1/?img_index=2',
      'reel/DXtwoforms1/?img_index=2',
    ];
    const found = await dispatcher.linksOf({
      text: 'look',
      links: links.map(path => ({ url: `https://www.instagram.com/${path}`, spoiler: false })),
      caller: group(),
    });
    expect(found.map(({ url }) => new URL(url).search)).toEqual(['', '?img_index=2']);
  });

  it('stay hidden when a failure is asked for in another way', async () => {
    let isFirst = true;
    const extractor = fakeExtractor(id => {
      if (!isFirst) return samplePost({ id });
      isFirst = false;
      throw new AppError('upstream_unavailable', 'no answer', { params: { site: 'Instagram' } });
    });
    const { ask } = setUp({ services: sampleServices(extractor) });
    const there = group({ platform: 'discord' });
    const [failure] = (await ask({ text: 'look', links: [spoiler('a')] }, there)).replies;
    const [button] = failure?.actions ?? [];
    const token = button?.kind === 'button' ? button.token : '';
    const { replies } = await ask({ token }, there);
    expect(shown(replies)).toEqual([['a', true]]);
    expect(replies[0]?.isHidden).toBe(true);
  });

  it('do not stand in the way of commands and notices', async () => {
    const { ask } = setUp();
    const other = { url: 'https://www.instagram.com/someone/', spoiler: false };
    const [unsupported] = (await ask({ text: 'his page', links: [other], direct: true }, group())).replies;
    expect(words(unsupported)).toContain('that link leads to a profile');
    expect(words((await ask({ text: 'hello', links: [] })).replies[0])).toContain(en.notices.noLink);
    expect(words((await ask({ text: '/help', links: [open('a')] }, group())).replies[0])).toContain('/download');
  });

  it('are known before they are answered, as what they will be answered as', async () => {
    const { dispatcher } = setUp();
    const message = { text: `see instagram.com/p/a, ${link('b')}`, caller: group() } as const;
    expect(await dispatcher.linksOf(message)).toEqual([open('a'), open('b')]);
    const again = { ...message, text: '', links: [spoiler('a')] };
    expect(await dispatcher.linksOf(again)).toEqual([{ url: link('a'), spoiler: true }]);
    const links = await dispatcher.linksOf(again);
    expect(await dispatcher.linksOf({ ...again, links })).toEqual(links);
    for (const text of ['hello', '/help', `/download ${link('a')}`]) {
      expect(await dispatcher.linksOf({ ...message, text })).toEqual([]);
    }
  });
});

describe('the settings of a chat', () => {
  const square = 'web:square';

  async function setChat(change: Parameters<Services['settings']['setChat']>[1], key = square) {
    const services = sampleServices();
    await services.settings.setChat(key, change);
    return { ...setUp({ services }), services };
  }

  it('may keep Medley from answering pasted links, though not what is said to it', async () => {
    const { ask, dispatcher } = await setChat({ autoDetect: false });
    const text = link('a');
    expect((await ask({ text }, group())).replies).toEqual([]);
    expect(await dispatcher.linksOf({ text, caller: group() })).toEqual([]);
    for (const heard of [
      await ask({ text, direct: true }, group()),
      await ask({ text: `/download ${text}` }, group()),
      await ask({ text }, group({ chatId: 'elsewhere' })),
      await ask({ text }, sampleCaller({ chatId: 'square' })),
    ]) {
      expect(heard.replies[0]?.gallery).toHaveLength(1);
    }
  });

  it('say nothing about links behind a command, of which there may be several', async () => {
    const { ask } = await setChat({ autoDetect: false });
    const heard = await ask({ text: `/download ${link('a')} ${link('b')} view:media` }, group());
    expect(heard.replies.map(reply => reply?.gallery.length)).toEqual([1, 1]);
  });

  it('may switch a site off: its links are left alone where they are pasted, and answered where they are asked for', async () => {
    const { ask, dispatcher } = await setChat({ sources: { instagram: false } });
    const text = link('a');
    expect(await dispatcher.read({ text, caller: group() })).toBeUndefined();
    expect((await ask({ text }, group())).replies).toEqual([]);
    for (const heard of [
      await ask({ text, direct: true }, group()),
      await ask({ text: `/download ${text}` }, group()),
      await ask({ text }, sampleCaller({ chatId: 'square' })),
    ]) {
      expect(heard.replies[0]?.gallery).toHaveLength(1);
    }
    const other = await setChat({ sources: { facebook: false } });
    expect((await other.ask({ text }, group())).replies).toHaveLength(1);
  });

  it('have to switch a new site on, by itself or with all others; alone with Medley it is on', async () => {
    const sites = [
      { id: 'instagram', name: 'Newcomer', colour: '#000000' },
      { id: 'other', name: 'Other', colour: '#000000' },
    ] as const;
    const services = { ...sampleServices(), sites };
    const { ask } = setUp({ services, commands: createCommandList({ sources: sites }) });
    const text = link('a');
    const admin = group({ isChatAdmin: true });
    const answers = async (caller = admin) => (await ask({ text }, caller)).replies.length;
    expect(await answers()).toBe(0);
    expect(await answers(sampleCaller())).toBe(1);
    expect((await ask({ text: `/download ${text}` }, admin)).replies[0]?.gallery).toHaveLength(1);
    await ask({ text: '/settings instagram on' }, admin);
    expect(await answers()).toBe(1);
    await ask({ text: '/settings new-sites off' }, admin);
    expect(await answers()).toBe(0);
    await ask({ text: '/settings new-sites on' }, admin);
    expect(await answers()).toBe(1);
    expect((await services.settings.chat(square)).sources).toEqual({ instagram: true, other: true });
    expect(await answers(group({ chatId: 'elsewhere' }))).toBe(0);
  });

  it('may leave captions out', async () => {
    const { ask } = await setChat({ captions: false });
    expect(words((await ask({ text: link('a') }, group())).replies[0])).not.toContain('Evening light');
    const elsewhere = group({ chatId: 'elsewhere' });
    expect(words((await ask({ text: link('a') }, elsewhere)).replies[0])).toContain('Evening light');
  });

  it('are shared by all channels of a guild', async () => {
    const { ask } = await setChat({ autoDetect: false }, 'web:guild');
    expect((await ask({ text: link('a') }, group({ chatId: 'one', groupId: 'guild' }))).replies).toEqual([]);
    expect((await ask({ text: link('a') }, group({ chatId: 'two', groupId: 'guild' }))).replies).toEqual([]);
    expect((await ask({ text: link('a') }, group({ chatId: 'one' }))).replies).toHaveLength(1);
  });

  it('name the language of those who chose none themselves', async () => {
    const { dispatcher, services } = await setChat({ language: 'id' });
    expect((await dispatcher.translator(group({ locales: ['en'] }))).locale).toBe('id');
    expect((await dispatcher.translator(sampleCaller({ locales: ['en'] }))).locale).toBe('en');
    await services.settings.setUser('web:sari', { language: 'en' });
    expect((await dispatcher.translator(group({ locales: ['id'] }))).locale).toBe('en');
  });

  it('say whether links in quotes are answered; alone with Medley they are', async () => {
    const { dispatcher } = await setChat({});
    const quoted = { kind: 'text' as const, text: '', links: [{ url: link('a'), spoiler: false, quoted: true }] };
    expect(await dispatcher.read({ ...quoted, caller: group() })).toBeUndefined();
    expect(await dispatcher.read({ ...quoted, caller: sampleCaller() })).toMatchObject({ kind: 'links' });
    const { dispatcher: other } = await setChat({ quotedLinks: true });
    expect(await other.read({ ...quoted, caller: group() })).toMatchObject({ kind: 'links' });
  });

  it('of posts of words alone are left to the embeds of the chat where they were merely pasted', async () => {
    const extractor = fakeExtractor(id => samplePost({ id, url: link(id), ...(id !== 'reel' && { items: [] }) }));
    const { ask } = setUp({ services: sampleServices(extractor) });
    const pasted = await ask({ text: `${link('said')} ${link('reel')}` }, group());
    expect(pasted.replies.map(({ gallery }) => gallery.length)).toEqual([1]);
    const asked = [
      await ask({ text: link('said') }),
      await ask({ text: link('said'), direct: true }, group()),
      await ask({ name: 'download', options: { link: link('said') } }, group()),
    ];
    for (const { replies } of asked) expect(replies.map(words)).toEqual([expect.stringContaining('Evening light')]);
  });

  it('can have pasted links fail without a word, whatever fails', async () => {
    const extractor = fakeExtractor(() => {
      throw new AppError('private', 'private');
    });
    const services = sampleServices(extractor);
    await services.settings.setChat('web:square', { quietErrors: true });
    const { ask } = setUp({ services });
    expect((await ask({ text: link('a') }, group())).replies).toEqual([]);
    expect((await ask({ text: link('a'), direct: true }, group())).replies).toHaveLength(1);
    const consume = () => Promise.reject(new Error('away'));
    const without = setUp({ services, limiter: { ...memoryLimiter(() => 0), consume } });
    expect((await without.ask({ text: link('a') }, group())).replies).toEqual([]);
    expect(without.logged).toHaveLength(1);
    expect((await without.ask({ text: link('a'), direct: true }, group())).replies).toHaveLength(1);
  });

  it('that cannot be read are waited for: links are not answered by what usually goes', async () => {
    const { settings, ...services } = sampleServices();
    await settings.setChat('web:square', { autoDetect: false });
    let left = 0;
    const chat: typeof settings.chat = async key => {
      left -= 1;
      if (left >= 0) throw new StoreAway('the store is away');
      return settings.chat(key);
    };
    const { dispatcher, logged } = setUp({ services: { ...services, settings: { ...settings, chat } } });
    const message = { text: link('a'), caller: group() } as const;
    left = 2;
    expect(await dispatcher.read(message)).toBeUndefined();
    expect(logged.map(({ level }) => level)).toEqual(['error']);
    left = 1;
    expect(await dispatcher.linksOf(message)).toEqual([]);
  });

  it('that cannot be read end an attempt to answer, and so does what a command needs', async () => {
    const { settings, ...services } = sampleServices();
    const away = () => Promise.reject(new StoreAway('the store is away'));
    const attempt = { from: 0, paid: 0, caller: group(), signal: new AbortController().signal, progress: () => {} };
    const ask = { kind: 'command', what: { name: 'settings', options: {} } } as const;
    const unread = setUp({ services: { ...services, settings: { ...settings, chat: away } } });
    await expect(unread.dispatcher.answer(ask, attempt)).rejects.toBeInstanceOf(StoreAway);
    const what = ['a', 'b', 'c'].map(id => ({ url: link(id), spoiler: false }));
    const failing = setUp({ services: sampleServices(fakeExtractor(away)) });
    const round = await failing.dispatcher.answer({ kind: 'links', what }, attempt);
    await expect(round.replies[0]?.reply).rejects.toBeInstanceOf(StoreAway);
    expect(failing.logged).toEqual([]);
  });

  it('that cannot be read for a first link are reported once, though the limit is slow for a second', async () => {
    const away = () => Promise.reject(new StoreAway('the store is away'));
    const memory = createMemoryRateLimiter();
    let charged = 0;
    const consume: typeof memory.consume = async (...given) => {
      charged += 1;
      if (charged > 1) await new Promise(resolve => setTimeout(resolve, 20));
      return memory.consume(...given);
    };
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const { dispatcher } = setUp({ services: sampleServices(fakeExtractor(away)), limiter: { consume } });
      const what = ['a', 'b'].map(id => ({ url: link(id), spoiler: false }));
      const attempt = { from: 0, paid: 0, caller: group(), signal: new AbortController().signal, progress: () => {} };
      const { replies } = await dispatcher.answer({ kind: 'links', what }, attempt);
      await expect(replies[0]?.reply).rejects.toBeInstanceOf(StoreAway);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('that one message cannot read for good do not keep the messages behind it waiting', async () => {
    const { settings, ...services } = sampleServices();
    const failures = [new StoreAway('away'), new StoreAway('away'), new AppError('internal', 'broken')];
    const chat: typeof settings.chat = async key => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return settings.chat(key);
    };
    const { dispatcher } = setUp({ services: { ...services, settings: { ...settings, chat } } });
    const [first, second] = ['a', 'b'].map(id => dispatcher.read({ text: link(id), caller: group() }));
    expect(await first).toBeUndefined();
    expect(await second).toMatchObject({ kind: 'links' });
  });

  it('are not asked for messages without a link', async () => {
    const { settings, ...services } = sampleServices();
    let asked = 0;
    const chat: typeof settings.chat = key => {
      asked += 1;
      return settings.chat(key);
    };
    const { ask } = setUp({ services: { ...services, settings: { ...settings, chat } } });
    for (const text of ['hello', 'https://example.com/', '/roll']) await ask({ text }, group());
    expect(asked).toBe(0);
  });
});

describe('text', () => {
  it('in a group that is no concern of Medley gets nothing', async () => {
    const { ask } = setUp();
    for (const text of ['hello', '/start now', '/roll 2d6', 'https://example.com/watch', '', '/etc/passwd']) {
      const heard = await ask({ text }, group());
      expect([heard.replies, heard.stages]).toEqual([[], []]);
    }
  });

  it('said to Medley itself always gets an answer', async () => {
    const { ask } = setUp();
    expect(words((await ask({ text: 'hello' })).replies[0])).toContain(en.notices.noLink);
    expect(words((await ask({ text: 'hello', direct: true }, group())).replies[0])).toContain(en.notices.noLink);
    expect(words((await ask({ text: '/roll 2d6' })).replies[0])).toContain(
      '/settings, /privacy, /forget, /help, /about',
    );
    for (const text of ['https://www.instagram.com/someone/', 'see example.com/watch?v=1', 'example.com']) {
      const [notice] = (await ask({ text })).replies;
      expect(words(notice)).toContain('I can show single posts');
      expect(notice?.tone).toBe('notice');
    }
  });

  it('with a command runs it, options and all', async () => {
    const post = samplePost({ items: [samplePost().items, samplePost().items].flat() });
    const { ask } = setUp({ services: sampleServices(fakeExtractor(() => post)) });
    const heard = await ask({ text: `/download ${link('a')} item:2` }, group());
    expect(heard.replies[0]?.gallery.map(({ index }) => index)).toEqual([1]);
  });

  it('with a wrong option gets a hint for the caller alone', async () => {
    const { ask } = setUp();
    const { replies } = await ask({ text: `/download ${link('a')} quality:720` }, group());
    expect(words(replies[0])).toContain(
      'does not understand “quality:720”. It takes: link, item, audio, clip, view, spoiler, private.',
    );
    expect(replies[0]).toMatchObject({ tone: 'notice', visibility: 'caller' });
  });

  it('finds grouped commands by two words or one', async () => {
    const ran: unknown[] = [];
    const profile = defineCommand({
      name: 'osu profile',
      options: { player: { type: 'string', required: true, maxLength: 20 } },
      visibility: 'chat',
      cost: 0,
      async run({ player }) {
        ran.push(player);
        return reply({});
      },
    });
    const { ask } = setUp({ commands: [profile] });
    await ask({ text: '/osu profile sari' });
    await ask({ text: '/OSU  Profile budi' });
    await ask({ text: '/osu_profile tono' });
    expect(ran).toEqual(['sari', 'budi', 'tono']);
  });
});

describe('commands', () => {
  const failing = (error: unknown, visibility: Command['visibility'] = 'chat'): Command =>
    defineCommand({ name: 'fail', options: {}, visibility, cost: 1, run: () => Promise.reject(error) });

  it('over the limit get the notice every time, for the caller alone, with the time to wait', async () => {
    const { ask } = setUp({ userLimit: { units: 2, windowMs: 20_000 } });
    const input = { name: 'download', options: { link: link('a') } };
    await ask(input);
    for (let time = 0; time < 2; time += 1) {
      const { replies } = await ask(input);
      expect(words(replies[0])).toContain('Please try again in 20 seconds.');
      expect(replies[0]?.visibility).toBe('caller');
    }
  });

  it('are counted before they are checked, and help costs nothing', async () => {
    const { ask } = setUp({ userLimit: { units: 2, windowMs: 20_000 } });
    expect(words((await ask({ text: '/download nothing' })).replies[0])).toContain('link');
    expect(words((await ask({ text: `/download ${link('a')}` })).replies[0])).toContain('in 20 seconds');
    expect((await ask({ text: '/help' })).replies[0]?.tone).toBe('neutral');
  });

  it('answer in the language that is set, else that of the platform', async () => {
    const services = sampleServices();
    const { ask, dispatcher } = setUp({ services });
    const caller = sampleCaller({ locales: ['id-ID'] });
    expect(words((await ask({ text: 'halo' }, caller)).replies[0])).toContain('Tempelkan');
    await ask({ text: '/settings language:en' }, caller);
    expect((await dispatcher.translator(caller)).locale).toBe('en');
    expect(words((await ask({ text: 'halo' }, caller)).replies[0])).toContain('Paste');
  });

  it('that fail unexpectedly get a calm sentence, and the log the cause', async () => {
    const cause = new TypeError('secret detail');
    const { ask, logged } = setUp({ commands: [failing(cause)] });
    const { replies } = await ask({ name: 'fail', options: {} });
    expect(words(replies[0])).toContain(en.errors.internal);
    expect(words(replies[0])).not.toContain('secret');
    expect(replies[0]?.tone).toBe('error');
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ level: 'error', details: { code: 'internal', doing: 'fail', err: { cause } } });
  });

  it('log one failure once, at the level of its code', async () => {
    const error = new AppError('upstream_unavailable', 'no answer', { retryAfterMs: 90_000 });
    const { ask, logged } = setUp({ commands: [failing(error)] });
    for (let time = 0; time < 3; time += 1) {
      const { replies } = await ask({ name: 'fail', options: {} });
      expect(words(replies[0])).toContain('in 90 seconds');
    }
    expect(logged.map(({ level }) => level)).toEqual(['warn']);
  });

  it('keep what concerns the caller alone from the chat, and only that', async () => {
    const visibility = async (error: AppError) =>
      (await setUp({ commands: [failing(error)] }).ask({ name: 'fail', options: {} })).replies[0]?.visibility;
    expect(await visibility(new AppError('private', 'x'))).toBe('chat');
    expect(await visibility(new AppError('invalid_request', 'x'))).toBe('caller');
    expect(await visibility(new AppError('forbidden', 'x'))).toBe('caller');
  });

  it('of a link that was pasted concern the person who pasted it; of one that was asked for, the chat', async () => {
    const services = sampleServices(fakeExtractor(() => Promise.reject(new AppError('private', 'x'))));
    const { ask } = setUp({ services });
    expect((await ask({ text: `look ${link('a')}` }, group())).replies).toMatchObject([{ visibility: 'caller' }]);
    expect((await ask({ text: `/download ${link('a')}` }, group())).replies).toMatchObject([{ visibility: 'chat' }]);
  });

  it('beyond those that fit at once wait, and beyond those that may wait are refused kindly', async () => {
    const slow = gate();
    let running = 0;
    let most = 0;
    const busy = defineCommand({
      name: 'busy',
      options: {},
      visibility: 'chat',
      cost: 1,
      async run() {
        running += 1;
        most = Math.max(most, running);
        await slow.opened;
        running -= 1;
        return reply({});
      },
    });
    const { ask } = setUp({ commands: [busy, ...commandList], concurrency: 2, queued: 3 });
    const asking = [1, 2, 3, 4, 5, 6].map(() => ask({ name: 'busy', options: {} }));
    const refused = await Promise.race(asking);
    expect(words(refused.replies[0])).toContain('Many people are asking at once. Please try again in 10 seconds.');
    expect((await ask({ text: '/help' })).replies).toHaveLength(1);
    slow.open();
    const tones = (await Promise.all(asking)).map(({ replies }) => replies[0]?.tone);
    expect(tones.filter(tone => tone === 'neutral')).toHaveLength(5);
    expect(most).toBe(2);
  });

  it('that wait and are no longer wanted leave the queue', async () => {
    const slow = gate();
    const started: number[] = [];
    const busy = defineCommand({
      name: 'busy',
      options: { n: { type: 'integer', required: true, min: 0, max: 9 } },
      visibility: 'chat',
      cost: 1,
      async run({ n }) {
        started.push(n);
        await slow.opened;
        return reply({});
      },
    });
    const { ask } = setUp({ commands: [busy], concurrency: 1, queued: 1 });
    const leaving = new AbortController();
    const first = ask({ name: 'busy', options: { n: 1 } });
    await until(() => started.length === 1);
    const second = ask({ name: 'busy', options: { n: 2 } }, sampleCaller(), leaving.signal);
    await new Promise(resolve => setImmediate(resolve));
    leaving.abort();
    expect((await second).replies).toEqual([]);
    const third = ask({ name: 'busy', options: { n: 3 } });
    await new Promise(resolve => setImmediate(resolve));
    slow.open();
    await Promise.all([first, third]);
    expect(started).toEqual([1, 3]);
  });

  it('that nobody declared are answered with those that exist', async () => {
    const { ask } = setUp();
    expect(words((await ask({ name: 'nothing', options: {} })).replies[0])).toContain('/download');
  });
});

describe('buttons', () => {
  it('run their command', async () => {
    const services = sampleServices();
    const { ask, dispatcher } = setUp({ services });
    const { replies } = await ask({ text: '/settings' });
    const languages = replies[0]?.actions.find(({ label }) => label === 'Language');
    const choices = languages?.kind === 'menu' ? languages.choices : [];
    const indonesian = choices.find(({ label }) => label.includes('Indonesia'));
    if (indonesian === undefined) throw new Error('no such choice');
    const pressed = await ask({ token: indonesian.token });
    expect(words(pressed.replies[0])).toContain('Tersimpan');
    expect((await dispatcher.translator(sampleCaller())).locale).toBe('id');

    const other = await ask({ token: indonesian.token }, sampleCaller({ userId: 'budi' }));
    expect(words(other.replies[0])).toContain('belongs to someone else');
    expect(other.replies[0]?.visibility).toBe('caller');
  });

  it('that are forged get a notice, and no log above debug', async () => {
    const { ask, logged } = setUp();
    expect(words((await ask({ token: 'AAAA' })).replies[0])).toContain(en.hints.expiredButton);
    expect(logged.map(({ level }) => level)).toEqual(['debug']);
  });
});

describe('trouble around it', () => {
  it.each([
    [new AppError('upstream_rate_limited', 'busy', { retryAfterMs: 600_000 }), 'try again in 10 minutes.'],
    [
      new AppError('upstream_unavailable', 'no route', { params: { what: 'offline' } }),
      'I cannot reach the site because this server seems to have no internet connection.',
    ],
    [new AppError('upstream_unavailable', 'down'), 'The site is not answering right now.'],
  ])('is told as it is: %s', async (error, sentence) => {
    const { ask } = setUp({ services: sampleServices(fakeExtractor(() => Promise.reject(error))) });
    expect(words((await ask({ text: link('a') })).replies[0])).toContain(sentence);
  });

  it('a failing limiter or settings store is one calm notice', async () => {
    const limiter = { consume: () => Promise.reject(new Error('no limiter')) };
    const first = setUp({ limiter });
    expect(words((await first.ask({ text: link('a') })).replies[0])).toContain(en.errors.internal);

    const full = async () => {
      throw new Error('disk full');
    };
    const { settings, ...services } = sampleServices();
    const broken: Services = { ...services, settings: { ...settings, user: full, chat: full } };
    const second = setUp({ services: broken });
    expect(words((await second.ask({ text: '/settings' })).replies[0])).toContain(en.errors.internal);
    expect(words((await second.ask({ text: '/help' })).replies[0])).toContain(en.errors.internal);
    expect(await second.dispatcher.suggest('/he', sampleCaller(), new AbortController().signal)).toHaveLength(1);
  });

  it('an invocation that nobody wants any more says nothing', async () => {
    const { ask, logged } = setUp();
    const heard = await ask({ text: link('a') }, sampleCaller(), AbortSignal.abort());
    expect([heard.replies, logged]).toEqual([[], []]);
  });
});
