import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { connectGateway } from '../../../src/platforms/discord/incoming/gateway.ts';
import { createFakeDiscord } from '../../fakes/discord.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { link, openStage, ownMessages, type Stage, type StageOptions } from './stage.ts';

let stage: Stage | undefined;

async function open(options?: StageOptions): Promise<Stage> {
  stage = await openStage(options);
  return stage;
}

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
  expect(over?.fake.problems ?? []).toEqual([]);
});

/** The id of a server that belongs to a shard. */
function guildOn(shard: number, shards: number): string {
  const base = 300_000n;
  return String((base - (base % BigInt(shards)) + BigInt(shard)) << 22n);
}

function noHandlers() {
  const ignore = () => undefined;
  const heard = { onReady: ignore, onMessage: ignore, onMessageUpdate: ignore, onInteractionData: ignore };
  return { ...heard, onInteraction: ignore, onGuild: ignore, onSession: ignore };
}

describe('a process that serves many shards', () => {
  it('answers what was pasted in each of them while it was not there', async () => {
    const shards = 20;
    const guildIds = Array.from({ length: shards }, (_, shard) => guildOn(shard, shards));
    const on = await open({ fake: { shards, maxConcurrency: shards, guildIds } });
    await on.platform.stop();
    const links = guildIds.map((guildId, shard) => {
      const content = link(`Shard${String(shard).padStart(2, '0')}`);
      on.fake.message({ guildId, content });
      return content;
    });
    await on.another().start();
    await on.fake.waitFor(() => (ownMessages(on.fake).length >= shards ? true : undefined));
    expect(on.asked.toSorted()).toEqual(links);
  });

  it('answers what was pasted while its last shard still waited, whatever else was said', async () => {
    const on = await open({ idle: true, fake: { shards: 2, guildIds: [guildOn(0, 2)] } });
    const guildId = guildOn(0, 2);
    const starting = on.platform.start();
    await on.fake.waitFor(() => (on.fake.isHeard ? true : undefined));
    for (let count = 0; count < 6_000; count += 1) {
      on.fake.message({ guildId, content: 'good morning' });
      on.fake.dispatch('GUILD_ROLE_UPDATE', {
        guild_id: guildId,
        role: { id: '1', name: `${count}`, permissions: '0' },
      });
    }
    on.fake.message({ guildId, content: link('Login01') });
    expect(on.fake.gateway.identifies).toBe(1);
    await starting;
    await on.fake.waitFor(() => ownMessages(on.fake)[0]);
    expect(on.asked).toEqual([link('Login01')]);
  });

  it('is given as long to log in as Discord wants it to take, as long as shard after shard is ready', async () => {
    const fake = await createFakeDiscord({ shards: 12, maxConcurrency: 4 });
    onTestFinished(() => fake.close());
    const [log, signal] = [createRecordingLog(), new AbortController().signal];
    const gateway = await connectGateway({
      ...{ token: fake.token, apiUrl: fake.apiUrl, shards: 'auto', messageContent: true, signal, log },
      handlers: noHandlers(),
      isOfInterest: () => false,
      onLost: () => undefined,
      patienceMs: 9_000,
    });
    await gateway.leave();
    expect(fake.gateway.identifies).toBe(12);
    expect(fake.problems).toEqual([]);
  });

  it('says so when something else answers in the place of Discord', async () => {
    const on = await open({ idle: true });
    on.fake.fault({ path: /gateway\/bot/, status: 200, body: '<html>Log in to this network</html>', times: 99 });
    await on.platform.start();
    const { platforms } = await on.platform.runtime().status();
    expect(platforms).toMatchObject([{ state: 'away', reason: expect.stringContaining('is not Discord') }]);
  });

  it('begins no session when the day has too few left for all of its shards, and says so', async () => {
    const on = await open({ idle: true, fake: { shards: 3, maxConcurrency: 3 } });
    on.fake.allowIdentifies(2);
    await on.platform.start();
    const { platforms } = await on.platform.runtime().status();
    expect(platforms).toMatchObject([
      { state: 'away', reason: expect.stringMatching(/begin 2 more of 1000 sessions until \d{4}-.* shards need 3/) },
    ]);
    expect(on.fake.gateway.identifies).toBe(0);
    on.fake.allowIdentifies(3);
    await on.fake.waitFor(() => (on.fake.gateway.identifies === 3 ? true : undefined));
  });
});
