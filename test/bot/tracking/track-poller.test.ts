import { describe, expect, it } from 'vitest';
import type { Score } from '../../../src/beatmaps/model/score.ts';
import type { TrackedPlayer } from '../../../src/bot/contract/chat-memory.ts';
import type { PostTarget } from '../../../src/bot/contract/chat-platform.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { createChatMemory } from '../../../src/bot/stores/chat-memory.ts';
import { createTracking, createTrackPoller, type TrackPollerOptions } from '../../../src/bot/tracking/tracking.ts';
import { AppError } from '../../../src/errors.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { fakeBeatmaps, SCORE } from '../../fakes/beatmaps.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { sampleCaller, sampleServices } from '../sample.ts';

const HOUR_MS = 3_600_000;
const inChat = (chatId: string) => sampleCaller({ platform: 'telegram', chatId, chatKind: 'group' });
const crane: TrackedPlayer = { id: 31, name: 'paper crane', mode: 'taiko' };

function open(own: Partial<TrackPollerOptions> = {}) {
  const clock = { ms: Date.UTC(2026, 10, 1) };
  const now = () => clock.ms;
  const store = openStore(':memory:');
  const best: Score[] = [{ ...SCORE, id: 1, ended_at: '2026-10-01T00:00:00Z' }];
  const asked: number[] = [];
  const { beatmaps } = fakeBeatmaps({
    async userScores(user) {
      asked.push(Number(user));
      return { source: 'osu', stale: false, scores: [...best], cursor: null };
    },
  });
  const posts: { readonly target: PostTarget; readonly text: string }[] = [];
  const log = createRecordingLog();
  const start = () => {
    const memory = createChatMemory({ records: embeddedRecords(store, now), onFailure: () => undefined, now });
    const poller = createTrackPoller({
      tracked: memory.tracked,
      beatmaps,
      render: async ({ player, scores }) =>
        reply({ blocks: [{ kind: 'text', text: [`${player.name}: ${scores.map(({ id }) => id).join(' ')}`] }] }),
      post: async (target, { blocks }) => {
        posts.push({ target, text: JSON.stringify(blocks) });
        return 'posted';
      },
      log,
      now,
      ...own,
    });
    return { memory, poller };
  };
  const newBest = (id: number, at = clock.ms) =>
    best.unshift({ ...SCORE, id, ended_at: new Date(at).toISOString().replace('.000Z', 'Z') });
  return { clock, asked, posts, log, newBest, start, ...start() };
}

describe('a tracked player', () => {
  it('is looked at once an hour for all chats, and what is new is posted in each', async () => {
    const { memory, poller, clock, asked, posts, newBest } = open();
    for (const chat of ['a', 'b']) await memory.tracked.add(inChat(chat), crane);
    await poller.tick();
    expect(posts).toEqual([]);
    newBest(2);
    await poller.tick();
    expect(asked).toEqual([31]);
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(asked).toEqual([31, 31]);
    expect(posts.map(({ target }) => target.chatId)).toEqual(['b', 'a']);
    expect(posts[0]?.text).toContain('paper crane: 2');
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(posts).toHaveLength(2);
  });

  it('is not news where a play was there before, or is old', async () => {
    const { memory, poller, clock, posts, newBest } = open();
    await memory.tracked.add(inChat('a'), crane);
    await poller.tick();
    newBest(3, clock.ms - 10 * 24 * HOUR_MS);
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(posts).toEqual([]);
  });

  it('is known after a restart: nothing is lost, nothing said twice', async () => {
    const { memory, poller, clock, posts, newBest, start } = open();
    await memory.tracked.add(inChat('a'), crane);
    await poller.tick();
    newBest(2);
    clock.ms += HOUR_MS;
    const restarted = start().poller;
    await restarted.tick();
    await restarted.tick();
    expect(posts).toHaveLength(1);
    expect(posts[0]?.target.eventId).toBe('track:telegram:a:2');
  });

  it('is looked at after the clock was set back by a day', async () => {
    const { memory, poller, clock, asked } = open();
    await memory.tracked.add(inChat('a'), crane);
    await poller.tick();
    clock.ms -= 24 * HOUR_MS;
    await poller.tick();
    await poller.tick();
    expect(asked).toHaveLength(2);
  });

  it('is left alone when no chat wants news any more', async () => {
    const { memory, poller, clock, asked } = open();
    await memory.tracked.add(inChat('a'), crane);
    await poller.tick();
    await memory.leaveChat('telegram:a');
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(asked).toHaveLength(1);
  });
});

describe('the poller', () => {
  it('spreads its calls over the hour', async () => {
    const { memory, poller, clock, asked } = open({ tickMs: 60_000 });
    for (let chat = 0; chat < 12; chat += 1) {
      for (let id = 1; id <= 10; id += 1) {
        await memory.tracked.add(inChat(`${chat}`), { ...crane, id: chat * 10 + id });
      }
    }
    const perTick: number[] = [];
    for (let minute = 0; minute < 60; minute += 1) {
      const before = asked.length;
      await poller.tick();
      perTick.push(asked.length - before);
      clock.ms += 60_000;
    }
    expect(new Set(asked).size).toBe(120);
    expect(Math.max(...perTick)).toBe(2);
  });

  it('leaves a chat where nothing can be said, and goes on after a failure', async () => {
    const { memory, poller, clock, posts, log, newBest } = open({
      post: async ({ chatId }) => {
        if (chatId === 'a') return 'gone';
        throw new AppError('upstream_unavailable', 'the platform is away');
      },
    });
    for (const chat of ['a', 'b']) await memory.tracked.add(inChat(chat), crane);
    await poller.tick();
    newBest(2);
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(posts).toEqual([]);
    expect((await memory.tracked.chats()).map(({ chatId }) => chatId)).toEqual(['b']);
    expect(JSON.stringify(log.lines)).toContain('could not be posted');
  });

  it('keeps a chat in which Medley may not write for now', async () => {
    const { memory, poller, clock, newBest } = open({ post: async () => 'barred' });
    await memory.tracked.add(inChat('a'), crane);
    await poller.tick();
    newBest(2);
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(await memory.tracked.list(inChat('a'))).toEqual([crane]);
  });

  it('posts again where a chat could not be reached, and only there', async () => {
    const posts: string[] = [];
    const away = new Set(['b']);
    const { memory, poller, clock, newBest } = open({
      post: async ({ chatId, eventId }) => {
        if (away.has(chatId)) throw new AppError('upstream_unavailable', 'the platform is away');
        posts.push(`${chatId} ${eventId}`);
        return 'posted';
      },
    });
    for (const chat of ['a', 'b']) await memory.tracked.add(inChat(chat), crane);
    await poller.tick();
    newBest(2);
    clock.ms += HOUR_MS;
    await poller.tick();
    await poller.tick();
    expect(posts).toEqual(['a track:telegram:a:2']);
    away.clear();
    clock.ms += HOUR_MS;
    await poller.tick();
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(posts).toEqual(['a track:telegram:a:2', 'b track:telegram:b:2']);
  });

  it('does not ask again at once what osu! would not say', async () => {
    let tries = 0;
    const { beatmaps } = fakeBeatmaps({
      userScores: () => {
        tries += 1;
        return Promise.reject(new AppError('not_found', 'restricted'));
      },
    });
    const { memory, poller, clock } = open({ beatmaps });
    await memory.tracked.add(inChat('a'), crane);
    await poller.tick();
    await poller.tick();
    expect(tries).toBe(1);
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(tries).toBe(2);
  });

  it('asks nothing without credentials, or where another process does', async () => {
    const other = open({ isSole: () => false });
    await other.memory.tracked.add(inChat('a'), crane);
    await other.poller.tick();
    expect(other.asked).toEqual([]);
  });

  it('begins by itself and ends when it is stopped', async () => {
    const { memory, poller, asked } = open({ tickMs: 5 });
    await memory.tracked.add(inChat('a'), crane);
    poller.start();
    await expect.poll(() => asked.length).toBe(1);
    await poller.stop();
  });
});

describe('news', () => {
  it('are cards in the language of the chat, and its map last shown', async () => {
    const scores: Score[] = [];
    const { beatmaps } = fakeBeatmaps({
      userScores: async () => ({ source: 'osu', stale: false, scores: [...scores], cursor: null }),
    });
    const services = { ...sampleServices(), beatmaps };
    await services.settings.setChat('telegram:a', { language: 'id' });
    const clock = { ms: Date.UTC(2026, 2, 2, 10) };
    const posts: string[] = [];
    const poller = createTracking({
      services,
      post: async (_, { blocks, actions }) => {
        posts.push(JSON.stringify([blocks, actions.map(({ label }) => label)]));
        return 'posted';
      },
      log: createRecordingLog(),
      now: () => clock.ms,
    });
    await services.memory.tracked.add(inChat('a'), crane);
    await poller.tick();
    scores.push(SCORE);
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatch(/paper crane.*permainan terbaik baru.*202 pp.*Pemain/);
    expect(await services.memory.maps.last(inChat('a'))).toEqual({ id: 9_001, ruleset: 'taiko' });
    // Of many plays the best are shown, and all are counted.
    scores.push(...[1, 2, 3, 4, 5, 6, 7].map(id => ({ ...SCORE, id })));
    clock.ms += HOUR_MS;
    await poller.tick();
    expect(posts[1]).toContain('7 permainan terbaik baru');
    expect(posts[1]?.match(/"kind":"card"/g)).toHaveLength(5);
  });
});
