import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { forget } from '../../../src/bot/commands/about.ts';
import { callerKey } from '../../../src/bot/contract/request.ts';
import type { Services } from '../../../src/bot/contract/services.ts';
import { CHAT_DEFAULTS } from '../../../src/bot/contract/settings.ts';
import { createButtonTokens } from '../../../src/bot/stores/buttons.ts';
import { createSettingsStore, readableChatSettings } from '../../../src/bot/stores/settings-store.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { openRedisState, type SharedState } from '../../../src/infra/redis/redis.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { createRedisServer, type RedisServer, redisMissing, redisNote } from '../../redis-server.ts';
import { sampleCaller, sampleServices } from '../sample.ts';

const LONG = { command: 'download', values: { link: 'x'.repeat(300) } };

describe.skipIf(redisMissing)(`two processes with one Redis${redisNote}`, () => {
  let server: RedisServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await createRedisServer();
    await server.start();
    admin = new Redis(server.url);
  });
  beforeEach(async () => {
    await admin.flushall();
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  interface Process {
    readonly state: SharedState;
    readonly services: Services;
  }

  async function open(): Promise<Process> {
    const state = openRedisState({ url: server.url, log: createRecordingLog(), timeoutMs: 2_000, retryMs: 20 });
    onTestFinished(() => state.close());
    expect(await state.isReady(30_000)).toBe(true);
    const { records } = state;
    const services: Services = {
      ...sampleServices(),
      settings: createSettingsStore({ records }),
      actions: createButtonTokens({ key: Buffer.alloc(32, 7), records, onFailure: () => undefined }),
      recommendationHistory: createRecommendationHistory({ records }),
    };
    return { state, services };
  }

  async function openBoth(): Promise<readonly [Process, Process]> {
    const both = [await open(), await open()] as const;
    const listening = async () => (await admin.pubsub('NUMSUB', 'medley:1:changes'))[1];
    await expect.poll(() => listening()).toBe(2);
    return both;
  }

  it('have the same settings, buttons and history', async () => {
    const [one, two] = await openBoth();
    await one.services.settings.setChat('discord:guild', { captions: false, sources: { facebook: false } });
    const token = one.services.actions.encode({ ...LONG, owner: 'discord:1' });
    await one.services.actions.stored();
    expect(await two.services.settings.chat('discord:guild')).toEqual({
      ...CHAT_DEFAULTS,
      captions: false,
      sources: { facebook: false },
    });
    expect(await two.services.actions.decode(token, 'discord:1')).toEqual({ ...LONG, owner: 'discord:1' });
    await two.services.settings.setChat('discord:guild', { captions: true });
    await expect.poll(async () => (await one.services.settings.chat('discord:guild')).captions).toBe(true);
  });

  it('forget a person both, in memory too, when one is asked to', async () => {
    const [one, two] = await openBoth();
    const caller = sampleCaller({ platform: 'discord', userId: '300' });
    const key = callerKey(caller);
    const { settings, actions } = two.services;
    await settings.setUser(key, { language: 'id' });
    const token = actions.encode({ ...LONG, owner: key });
    await actions.stored();
    const history = createRecommendationHistory({ records: two.state.records });
    await history.add(key, [1, 2, 3]);
    expect((await settings.user(key)).language).toBe('id');

    const context = {
      caller,
      services: one.services,
      t: createTranslator(['en']),
      signal: new AbortController().signal,
    };
    await forget.run({ what: 'me' }, { ...context, progress: () => undefined });
    await expect.poll(() => settings.user(key)).toEqual({ language: null, player: null, view: null });
    await expect(actions.decode(token, key)).rejects.toMatchObject({ params: { hint: 'expiredButton' } });
    expect(await history.mapsOf(key)).toEqual(new Set());
    const left = await admin.keys('medley:1:*');
    expect(left.every(name => name.startsWith('medley:1:order:'))).toBe(true);
    for (const name of left) expect(await admin.zcard(name), name).toBe(0);
  });

  it('go by what they read while Redis is away, and hide nothing where they read nothing', async () => {
    const [one] = await openBoth();
    const { settings } = one.services;
    const group = sampleCaller({ platform: 'discord', chatKind: 'group', groupId: 'known' });
    await settings.setChat('discord:known', { suppressEmbeds: true, captions: false });
    await settings.chat('discord:known');
    server.freeze();
    onTestFinished(() => server.thaw());
    await expect(settings.setChat('discord:known', { captions: true })).rejects.toMatchObject({ code: 'internal' });
    const failures: unknown[] = [];
    const read = (groupId: string) =>
      readableChatSettings(one.services, { ...group, groupId }, error => failures.push(error));
    const since = performance.now();
    expect(await read('known')).toEqual({ ...CHAT_DEFAULTS, captions: false });
    expect(await read('unknown')).toEqual({ ...CHAT_DEFAULTS, suppressEmbeds: false, noticeSeconds: 0 });
    expect(performance.now() - since).toBeLessThan(10_000);
    expect(failures).toMatchObject([{ code: 'internal' }]);
  });
});
