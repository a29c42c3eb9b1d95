import { afterEach, describe, expect, it } from 'vitest';
import { samplePost } from '../../bot/sample.ts';
import { link, openStage, ownMessages, type Stage, textOf } from './stage.ts';

let stage: Stage | undefined;

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
});

/** Requests that run at once in one process. */
const AT_ONCE = 32;
const CHANNELS = 40;

/** A server of many channels, on a Medley whose upstream says nothing until it is let. */
async function openServer() {
  const held: (() => void)[] = [];
  let isOpen = false;
  const on = await openStage({
    async answer(id) {
      if (!isOpen) await new Promise<void>(resolve => held.push(resolve));
      return samplePost({ id, url: link(id) });
    },
  });
  stage = on;
  const channels = Array.from({ length: CHANNELS }, (_, index) => ({
    id: `${700_000_000_000_000_000n + BigInt(index)}`,
  }));
  const { id: guildId } = on.fake.addGuild({ name: 'Market', channels });
  for (const [index, { id: channelId }] of channels.entries())
    on.fake.message({ guildId, channelId, content: link(`Market${index}`), authorId: `${400 + index}` });
  return {
    on,
    release(count: number) {
      for (const next of held.splice(0, count)) next();
    },
    releaseAll() {
      isOpen = true;
      for (const next of held.splice(0)) next();
    },
  };
}

describe('a server whose channels all have a link at once', () => {
  it('has them worked on side by side, and is not told of links of other channels', async () => {
    const { on, releaseAll } = await openServer();
    await expect.poll(() => on.asked.length, { timeout: 10_000 }).toBe(AT_ONCE);
    releaseAll();
    await expect.poll(() => on.platform.outcomes.length, { timeout: 20_000 }).toBe(CHANNELS);
    const places = new Set(ownMessages(on.fake).map(({ channelId }) => channelId));
    expect(places.size).toBe(CHANNELS);
    expect(ownMessages(on.fake).map(textOf).join('\n')).not.toContain('come before');
  });

  it('leaves the next free place to another server', async () => {
    const { on, release, releaseAll } = await openServer();
    await expect.poll(() => on.asked.length, { timeout: 10_000 }).toBe(AT_ONCE);
    on.fake.message({ guildId: on.guildId, content: link('Harbour0'), authorId: '300' });
    await expect.poll(() => on.unfinished().length).toBe(CHANNELS + 1);
    release(1);
    await expect.poll(() => on.asked.at(AT_ONCE)).toBe(link('Harbour0'));
    releaseAll();
    await expect.poll(() => on.platform.outcomes.length, { timeout: 20_000 }).toBe(CHANNELS + 1);
  });
});
