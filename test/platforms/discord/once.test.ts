import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { defineCommand } from '../../../src/bot/contract/command.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { openStage, ownMessages, type Stage, textOf } from './stage.ts';

let stage: Stage | undefined;
let runs: string[] = [];

/** Says how often it ran and what it was asked, after as many milliseconds as its number says. */
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

async function open(): Promise<Stage> {
  runs = [];
  stage = await openStage({ commands: [count] });
  return stage;
}

afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

async function allSaid(on: Stage, messages: number): Promise<readonly string[]> {
  await on.fake.waitFor(() =>
    ownMessages(on.fake).filter(each => textOf(each) !== '').length === messages ? true : undefined,
  );
  return ownMessages(on.fake).map(textOf);
}

const LIMIT = {
  status: 429,
  headers: { 'retry-after': '1.5', 'x-ratelimit-scope': 'shared' },
  body: { retry_after: 1.5, global: false, message: 'You are being rate limited.' },
};
const WORDS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('commands that are written in a channel', () => {
  it('run once each, and are answered in their order, though some take longer and the first meets a rate limit', async () => {
    const on = await open();
    const { fake, guildId } = on;
    fake.fault({ method: 'POST', path: /messages$/, ...LIMIT });
    const ms = [600, 0, 300, 0, 900, 0];
    for (const [index, word] of WORDS.entries())
      fake.message({ guildId, content: `<@${fake.botUserId}> /count runs ${word} ${ms[index]}` });
    const said = await allSaid(on, 6);
    expect(said.map(text => /[a-f] \d/.exec(text)?.[0])).toEqual(WORDS.map(word => `${word} 1`));
    expect(runs.toSorted()).toEqual(WORDS);
  });
});

describe('a slash command', () => {
  it('runs once though its answer has to wait', async () => {
    const on = await open();
    await on.fake.waitFor(() => on.fake.commands);
    on.fake.fault({ method: 'PATCH', path: /@original/, ...LIMIT });
    on.fake.interaction({ kind: 'command', name: 'count runs', options: { word: 'a' }, guildId: on.guildId });
    const [said] = await allSaid(on, 1);
    expect(said).toContain('a 1');
    expect(runs).toEqual(['a']);
  });
});
