/** The tables of docs/osu-commands.md, row by row, on each platform. Commands answer with what they were asked. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Command } from '../../src/bot/contract/command.ts';
import { reply, textBlock } from '../../src/bot/contract/reply-parts.ts';
import { LINES } from '../../src/bot/contract/short-forms.ts';
import { commandList } from '../bot/command-list.ts';
import { openStage as openDiscord, ownMessages, textOf } from './discord/stage.ts';
import { answersIn, openStage as openTelegram } from './telegram/stage.ts';
import { connect } from './web/page-client.ts';
import { openStage as openWeb } from './web/stage.ts';

const PAGE = readFileSync(new URL('../../docs/osu-commands.md', import.meta.url), 'utf8');

/** What is typed, and how it is read: in the last column of each row, one or several of them. */
const ROWS = [...PAGE.matchAll(/`([^`|]+)` → `(\/[^`|]+)`/g)].map(([, typed = '', read = '']) => ({
  typed,
  read,
}));

/** Behind a slash, with the same words. */
const SLASHED = ROWS.map(({ typed, read }) => ({ typed: typed.replace(/^!/, '/'), read }));

const ECHOES: readonly Command[] = commandList.map(command => ({
  ...command,
  cost: 0,
  run: async values => reply({ blocks: [textBlock([lineOf(command.name, values)])] }),
}));

function lineOf(name: string, values: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(values).map(([key, value]) => `${key}:${quoted(`${value}`)}`);
  return [`/${name}`, ...given].join(' ');
}

const quoted = (value: string) => (value.includes(' ') ? `"${value}"` : value);

/** Without what a platform needs to show words as they are. */
const plain = (text: string) => text.replaceAll('\\', '').replaceAll('&quot;', '"').trim();

describe('the page about osu! commands', () => {
  it('has each word of players, and no other', () => {
    const table = PAGE.slice(PAGE.indexOf('| words of players'));
    const inPage = [...table.matchAll(/^\| (.+?) \| `!/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, words = '']) => words.split(' ')),
    );
    const inCode = LINES.flatMap(([words]) => words.split(' '));
    expect([...inPage].sort()).toEqual([...inCode, 'pp'].sort());
    expect(ROWS.length).toBeGreaterThan(50);
    const rows = PAGE.split('\n').filter(line => /^\| (?!it says|words of)/.test(line));
    expect(rows.filter(line => !/` → `\/[^`]+` \|$/.test(line))).toEqual([]);
    expect(PAGE.trimEnd().split('\n').length).toBeLessThanOrEqual(50);
  });

  it('is true on Discord', async () => {
    const stage = await openDiscord({ commands: ECHOES });
    onTestFinished(() => stage.close());
    const { fake, guildId } = stage;
    await stage.services.settings.setChat(`discord:${guildId}`, { prefix: '!', osuLinks: true });
    for (const { typed, read } of ROWS) {
      const before = ownMessages(fake).length;
      fake.message({ guildId, content: typed });
      const answer = await fake.waitFor(() => ownMessages(fake)[before]);
      expect.soft(plain(textOf(answer)), typed).toContain(read);
    }
    expect(fake.problems).toEqual([]);
  }, 120_000);

  it('is true in the fields of a slash command', async () => {
    const stage = await openDiscord({ commands: ECHOES });
    onTestFinished(() => stage.close());
    const { fake, guildId } = stage;
    await fake.waitFor(() => fake.commands);
    const asked = [
      ['beatmap simulate', { map: 'paper comet +HDDT 98% 2m' }, 'map:"paper comet" mods:HDDT accuracy:98 misses:2'],
      ['beatmap simulate', { map: '+HDDT', accuracy: '98%' }, '/beatmap simulate mods:HDDT accuracy:98%'],
      ['beatmap info', { map: 'https://osu.ppy.sh/b/9000014 +HR' }, 'map:https://osu.ppy.sh/b/9000014 mods:HR'],
      ['osu recent', { player: 'lamp post -i 2' }, 'player:"lamp post" index:2'],
      ['osu profile', { player: 'taiko' }, '/osu profile player:taiko'],
      ['osu profile', { player: '-GN' }, '/osu profile player:-GN'],
      ['osu recent', { player: 'lamp post +HD' }, 'does not understand “+HD”'],
      ['beatmap simulate', { map: 'paper comet +HD', mods: 'HR' }, '“mods” was given twice'],
    ] as const;
    for (const [name, options, read] of asked) {
      const before = new Set(ownMessages(fake));
      fake.interaction({ kind: 'command', name, options, guildId });
      const isAnswer = (message: ReturnType<typeof ownMessages>[number]) =>
        !before.has(message) && textOf(message) !== '';
      const answer = await fake.waitFor(() => ownMessages(fake).find(isAnswer));
      expect.soft(plain(textOf(answer)), JSON.stringify(options)).toContain(read);
    }
  }, 60_000);

  it('is true on Telegram, and behind a slash', async () => {
    const stage = await openTelegram({ commands: ECHOES });
    const { fake } = stage;
    for (const [at, { typed, read }] of [...ROWS, ...SLASHED].entries()) {
      const chat = { id: 600 + at, type: 'private', first_name: 'Sari' } as const;
      fake.message({ chat, from: { id: chat.id, first_name: 'Sari', language_code: 'en' }, text: typed });
      const answer = await fake.waitFor(() => answersIn(fake, chat.id)[0]);
      expect.soft(plain(answer.text ?? ''), typed).toContain(read);
    }
  }, 120_000);

  it('is true in the web chat, and behind a slash', async () => {
    const stage = await openWeb({ commands: ECHOES, limits: { drainMs: 200, closeMs: 200, framesAtOnce: 1_000 } });
    const page = await connect(stage.origin);
    onTestFinished(async () => {
      page.socket.terminate();
      await stage.close();
    });
    for (const [at, { typed, read }] of [...ROWS, ...SLASHED].entries()) {
      page.send({ type: 'message', id: `row-${at}`, text: typed });
      const { reply: answer } = await page.hear('reply', frame => frame.id === `row-${at}`);
      expect.soft(plain(JSON.stringify(answer.blocks)), typed).toContain(read);
    }
  }, 120_000);
});
