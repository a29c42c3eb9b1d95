import { expect, it } from 'vitest';
import { type CommandContext, defineCommand } from '../../../src/bot/contract/command.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { callerKey } from '../../../src/bot/contract/request.ts';
import { settle } from '../../settle.ts';
import { answersIn, buttonsOf, openStage, SARI } from './stage.ts';

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
      const token = services.actions.encode({ command: 'help', values: { command: `${page} on` }, owner });
      const shown = (words: string): Reply =>
        reply({
          blocks: [{ kind: 'text', text: [words] }],
          actions: [{ kind: 'button', label: 'On', token, style: 'secondary' }],
        });
      const later = new Promise<Reply>(resolve => better.set(page, () => resolve(shown(`${page}, better`))));
      return { ...shown(page), later };
    },
  });
  const { fake } = await openStage({ commands: [command] });
  fake.message({ from: SARI, text: '/help' });
  await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
  const words = () => answersIn(fake, SARI.id)[0]?.text;
  const press = () => {
    const shown = answersIn(fake, SARI.id)[0];
    const data = shown && buttonsOf(shown)[0]?.data;
    if (shown === undefined || data === undefined) throw new Error('no button');
    fake.callbackQuery({ data, message: { chatId: SARI.id, messageId: shown.messageId }, from: SARI });
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
  bring('one');
  await settle();
  expect(words()).toBe('one on');
  bring('one on');
  await shows('one on, better');
});
