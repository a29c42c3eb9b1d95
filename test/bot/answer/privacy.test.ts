import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../../../src/bot/answer/answer.ts';
import { forget } from '../../../src/bot/commands/about.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { type Caller, callerKey, type TextMessage } from '../../../src/bot/contract/request.ts';
import { createOptOuts } from '../../../src/bot/stores/exclusions.ts';
import { StoreAway } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { createLibsqlRecords } from '../../../src/infra/store/libsql-records.ts';
import { createRecordStore } from '../../../src/infra/store/records.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { embeddedRecords } from '../../records.ts';
import { commandList } from '../command-list.ts';
import { converse } from '../converse.ts';
import { fakeExtractor, link, memoryLimiter, sampleCaller, sampleServices } from '../sample.ts';

const sari = sampleCaller({ platform: 'telegram', userId: '7' });
const inGroup = (of: Caller): Caller => ({ ...of, chatKind: 'group', chatId: 'square' });

function setUp(services = sampleServices()) {
  const failures: object[] = [];
  const note = (details: object) => void failures.push(details);
  const dispatcher = createDispatcher({
    commands: commandList,
    services,
    limiter: memoryLimiter(() => 0),
    userLimit: { units: 100, windowMs: 60_000 },
    log: { debug: note, info: note, warn: note, error: note },
  });
  async function say(text: string, caller: Caller, more: Pick<TextMessage, 'direct' | 'links'> = {}) {
    return converse(dispatcher, { text, caller, ...more });
  }
  async function press(reply: Reply | undefined, caller: Caller) {
    const [button] = reply?.actions ?? [];
    if (button?.kind !== 'button') throw new Error('no button');
    return converse(dispatcher, { token: button.token, caller });
  }
  return { services, say, press, failures };
}

const galleries = (replies: readonly Reply[]) => replies.map(({ gallery }) => gallery.length);

describe('a person who opted out', () => {
  it('gets no answer to pasted links, alone with Medley or in a group; others do', async () => {
    const { say } = setUp();
    await say('/privacy ignore', sari);
    expect(await say(`look ${link('a')}`, inGroup(sari))).toEqual([]);
    expect(await say(link('a'), sari)).toEqual([]);
    expect(await say('https://example.com/some/page', sari)).toEqual([]);
    expect(galleries(await say(link('a'), inGroup({ ...sari, userId: '8' })))).toEqual([1]);
    expect(galleries(await say(link('a'), inGroup({ ...sari, platform: 'discord' })))).toEqual([1]);
  });

  it('is still answered when they ask: by a command, a mention or a menu', async () => {
    const { say } = setUp();
    await say('/privacy ignore', sari);
    expect(galleries(await say(`/download ${link('a')}`, inGroup(sari)))).toEqual([1]);
    expect(galleries(await say(`medley ${link('a')}`, inGroup(sari), { direct: true }))).toEqual([1]);
    const links = [{ url: link('a'), spoiler: false }];
    expect(galleries(await say('', sari, { direct: true, links }))).toEqual([1]);
    expect(await say('hello', sari)).toHaveLength(1);
  });

  it('switches back by the button, which only they may press', async () => {
    const { say, press } = setUp();
    const [off] = await say('/privacy', sari);
    const [on] = await press(off, sari);
    expect(on?.tone).toBe('success');
    expect(await say(link('a'), sari)).toEqual([]);
    await press(on, { ...sari, userId: '8' });
    expect(await say(link('a'), sari)).toEqual([]);
    await press(on, sari);
    expect(galleries(await say(link('a'), sari))).toEqual([1]);
  });

  it('stays so when all else about them is deleted', async () => {
    const { say, services } = setUp();
    await say('/privacy ignore', sari);
    const t = createTranslator(['en']);
    await forget.run(
      { what: 'me' },
      { caller: sari, services, t, signal: new AbortController().signal, progress: () => undefined },
    );
    expect(await say(link('a'), sari)).toEqual([]);
  });

  it('is not answered by mistake while the opt-outs cannot be read, which is logged; others are when it is over', async () => {
    const { optOuts, ...services } = sampleServices();
    let left = 0;
    const has = async (person: string) => {
      left -= 1;
      if (left >= 0) throw new StoreAway('the store is away');
      return optOuts.has(person);
    };
    const { say, failures } = setUp({ ...services, optOuts: { ...optOuts, has } });
    await say('/privacy ignore', sari);
    left = 2;
    expect(await say(link('a'), sari)).toEqual([]);
    left = 1;
    expect(galleries(await say(link('a'), { ...sari, userId: '8' }))).toEqual([1]);
    expect(failures).toMatchObject([{ doing: 'read settings' }, { doing: 'read settings' }]);
  });
});

describe('the log', () => {
  it.each([
    ['a command', '/hunter2 hello', 'unknownCommand'],
    ['a subcommand', '/beatmap hunter2', 'unknownCommand'],
    ['an option', '/settings hunter2:on', 'unknownOption'],
  ])('has no word of a person who mistypes %s', async (_, line, hint) => {
    const { say, failures } = setUp();
    await say(line, sari);
    expect(failures).toMatchObject([{ code: 'invalid_request', hint }]);
    expect(inspect(failures, { depth: 9 })).not.toContain('hunter2');
  });
});

describe('opt-outs', () => {
  it('name no person on record, and are read once from the store', async () => {
    const driver = createLibsqlRecords(openStore(':memory:'));
    const keys: string[] = [];
    let reads = 0;
    const records = createRecordStore({
      ...driver,
      async read(id, key) {
        reads += 1;
        return driver.read(id, key);
      },
      async write(id, record) {
        keys.push(`${id.name} ${record.key} ${record.group} ${record.value}`);
        await driver.write(id, record);
      },
    });
    const optOuts = createOptOuts({ records, key: Buffer.alloc(32, 1) });
    expect(await optOuts.has(callerKey(sari))).toBe(false);
    expect(await optOuts.has(callerKey(sari))).toBe(false);
    expect(reads).toBe(1);
    await optOuts.set(callerKey(sari), true);
    expect(keys).toEqual([expect.stringMatching(/^opt-outs [\w-]{43} null \{\}$/)]);
    const others = createOptOuts({ records, key: Buffer.alloc(32, 2) });
    expect(await optOuts.has(callerKey(sari))).toBe(true);
    expect(await others.has(callerKey(sari))).toBe(false);
    await optOuts.set(callerKey(sari), false);
    expect(await optOuts.has(callerKey(sari))).toBe(false);
  });

  it('of browsers stay while they are used', async () => {
    const day = 24 * 3_600_000;
    let now = 0;
    const optOuts = createOptOuts({ records: embeddedRecords(undefined, () => now), key: Buffer.alloc(32, 1) });
    for (const person of ['web:sari', 'web:budi']) await optOuts.set(person, true);
    for (now = 30 * day; now <= 180 * day; now += 30 * day) expect(await optOuts.has('web:sari'), `${now}`).toBe(true);
    expect(await optOuts.has('web:budi')).toBe(false);
  });

  it('are not asked about messages without a link', async () => {
    const asked: string[] = [];
    const optOuts = { has: async (person: string) => asked.push(person) > 9, set: async () => undefined };
    const { say } = setUp({ ...sampleServices(fakeExtractor()), optOuts });
    await say('good evening', inGroup(sari));
    await say('good evening', sari);
    await say('/about', sari);
    expect(asked).toEqual([]);
    await say(link('a'), inGroup(sari));
    expect(asked).toEqual(['telegram:7']);
  });
});
