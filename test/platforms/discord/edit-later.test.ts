import { afterEach, expect, it } from 'vitest';
import { type CommandContext, defineCommand } from '../../../src/bot/contract/command.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { callerKey } from '../../../src/bot/contract/request.ts';
import { settle } from '../../settle.ts';
import { all, openStage, ownMessages, type Stage, textOf } from './stage.ts';

let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  expect(stage?.fake.problems ?? []).toEqual([]);
  stage = undefined;
});

/** Shows what it is called with, at once, and a better one when the test wants it; a button leads on. */
async function open() {
  const better = new Map<string, () => void>();
  const command = defineCommand({
    name: 'help',
    options: { command: { type: 'string', form: 'rest', required: false, maxLength: 64 } },
    visibility: 'chat',
    cost: 0,
    async run({ command: page = 'one' }, { caller, services }: CommandContext) {
      const owner = callerKey(caller);
      const token = (next: string) => services.actions.encode({ command: 'help', values: { command: next }, owner });
      const shown = (words: string): Reply =>
        reply({
          blocks: [{ kind: 'text', text: [words] }],
          actions: [{ kind: 'button', label: 'On', token: token(`${page} on`), style: 'secondary' }],
        });
      const later = new Promise<Reply>(resolve => better.set(page, () => resolve(shown(`${page}, better`))));
      return { ...shown(page), later };
    },
  });
  stage = await openStage({ commands: [command] });
  const { fake, guildId } = stage;
  const ask = { kind: 'command' as const, name: 'help', guildId, userId: '300' };
  fake.interaction(ask);
  const first = await fake.waitFor(() => ownMessages(fake).find(message => textOf(message) === 'one'));
  const words = () => textOf(fake.messages.get(first.id) ?? first);
  const press = () => {
    const [customId] = all(fake.messages.get(first.id)?.body.components, 'custom_id').map(String);
    if (customId === undefined) throw new Error('no button');
    fake.interaction({ kind: 'button', customId, guildId, userId: '300', messageId: first.id });
  };
  const shows = (wanted: string) => fake.waitFor(() => words() === wanted || undefined);
  return { words, press, shows, bring: (page: string) => better.get(page)?.() };
}

it('what came late takes the place of its card', async () => {
  const { shows, bring } = await open();
  bring('one');
  await shows('one, better');
});

it('what came late never takes the place of what was opened meanwhile', async () => {
  const { words, press, shows, bring } = await open();
  press();
  await shows('one on');
  // What a message shows is noted once it does.
  await settle();
  bring('one');
  await settle();
  expect(words()).toBe('one on');
  bring('one on');
  await shows('one on, better');
});
