import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defineCommand } from '../../../src/bot/contract/command.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { answersIn, GROUP, openStage, SARI, type Stage, type StageOptions } from './stage.ts';

/** A command that says how often it ran and what it was asked, after as many milliseconds as its number says. */
async function openCounter(options: StageOptions = {}) {
  const runs: string[] = [];
  const count = defineCommand({
    name: 'count runs',
    options: {
      word: { type: 'string', form: 'word', required: true, maxLength: 20 },
      ms: { type: 'integer', required: false, min: 0, max: 5_000 },
    },
    visibility: 'chat',
    cost: 1,
    async run({ word, ms = 0 }) {
      runs.push(word);
      await pause(ms);
      return reply({ blocks: [{ kind: 'text', text: [`${word} ${runs.filter(each => each === word).length}`] }] });
    },
  });
  return { runs, stage: await openStage({ commands: [count], ...options }) };
}

function said({ fake }: Stage, chat: number): readonly string[] {
  return answersIn(fake, chat).flatMap(({ text = '' }) => (/in line/.test(text) ? [] : [text]));
}

async function allSaid(stage: Stage, chat: number, count: number): Promise<readonly string[]> {
  await stage.fake.waitFor(() => (said(stage, chat).length >= count ? true : undefined), 60_000);
  await stage.settled();
  return said(stage, chat);
}

const FLOOD = { errorCode: 429, description: 'Too Many Requests: retry after 2', parameters: { retry_after: 2 } };
const WORDS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('a command runs once, and its answer is what it said then', () => {
  it('though the one before it in the chat was sent a moment ago', async () => {
    const stage = await openStage();
    const { fake, settings } = stage;
    await settings.setUser(`telegram:${SARI.id}`, {
      player: { id: 4, name: 'Quillon', mode: 'osu', proven: false },
    });
    fake.message({ from: SARI, text: '/about' });
    fake.message({ from: SARI, text: '/osu_unlink' });
    expect((await allSaid(stage, SARI.id, 2))[1]).toBe('Unlinked Quillon.');
  });

  it.each([
    ['a flood limit', FLOOD, 1],
    ['three 503', { errorCode: 503, description: 'Service Unavailable' }, 3],
    ['a connection that is refused', { errorCode: 503, description: 'Service Unavailable' }, 1],
  ])('through %s', async (_, fault, times) => {
    const { runs, stage } = await openCounter();
    stage.fake.fault({ method: 'sendMessage', ...fault, times });
    stage.fake.message({ from: SARI, text: '/count_runs a' });
    expect(await allSaid(stage, SARI.id, 1)).toEqual(['a 1']);
    expect(runs).toEqual(['a']);
    expect(stage.outcomes).toEqual(['answered']);
  });

  it.each(['restart', 'crash'] as const)('through a %s while it waits to be sent', async end => {
    const { runs, stage } = await openCounter();
    stage.fake.fault({ method: 'sendMessage', ...FLOOD });
    stage.fake.message({ from: SARI, text: '/count_runs a' });
    await stage.fake.waitFor(() => stage.calls('sendMessage')[0]);
    await stage.fake.waitFor(() => (stage.fake.pendingUpdates === 0 ? true : undefined));
    await expect.poll(() => stage.queue.stats()).toMatchObject({ running: 0 });
    await stage[end]();
    expect(await allSaid(stage, SARI.id, 1)).toEqual(['a 1']);
    expect(runs).toEqual(['a']);
  });

  it('also when twelve are asked for in a group at once', async () => {
    const { runs, stage } = await openCounter();
    const words = Array.from({ length: 12 }, (_, index) => `w${index}`);
    for (const word of words) stage.fake.message({ chat: GROUP, from: SARI, text: `/count_runs ${word}` });
    expect(await allSaid(stage, GROUP.id, 12)).toEqual(words.map(word => `${word} 1`));
    expect(runs.toSorted()).toEqual(words.toSorted());
  });
});

describe('answers of one chat come in the order they were asked for', () => {
  it('though some take longer to work out', async () => {
    const { runs, stage } = await openCounter();
    const ms = [900, 0, 300, 0, 1_500, 0];
    for (const [index, word] of WORDS.entries())
      stage.fake.message({ from: SARI, text: `/count_runs ${word} ${ms[index]}` });
    expect(await allSaid(stage, SARI.id, 6)).toEqual(WORDS.map(word => `${word} 1`));
    expect(runs.toSorted()).toEqual(WORDS);
  });

  it('though the first meets a flood limit and another cannot be sent', async () => {
    const { runs, stage } = await openCounter();
    stage.fake.fault({ method: 'sendMessage', ...FLOOD });
    stage.fake.fault({
      method: 'sendMessage',
      when: ({ params }) => String(params.text).startsWith('c'),
      errorCode: 503,
      description: 'Service Unavailable',
      times: 2,
    });
    for (const word of WORDS) stage.fake.message({ from: SARI, text: `/count_runs ${word}` });
    expect(await allSaid(stage, SARI.id, 6)).toEqual(WORDS.map(word => `${word} 1`));
    expect(runs.toSorted()).toEqual(WORDS);
  });
});
