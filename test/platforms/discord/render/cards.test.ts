import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { defineCommand } from '../../../../src/bot/contract/command.ts';
import type { Picture } from '../../../../src/bot/contract/picture.ts';
import type { Block, Reply } from '../../../../src/bot/contract/reply.ts';
import { reply } from '../../../../src/bot/contract/reply-parts.ts';
import { all, openStage, ownMessages, type Stage, textOf } from '../stage.ts';

let stage: Stage | undefined;

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
  expect(over?.fake.problems ?? []).toEqual([]);
});

function png(words: string): Buffer {
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.from(words)]);
}

function picture(key: string, draw: Picture['draw'] = async () => png(key)): Block {
  return { kind: 'picture', alt: `Strain of ${key}`, picture: { key, width: 900, height: 300, draw } };
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** A command of two words that answers with what the test wants, its number telling which. */
async function open(answer: (value: number, token: (value: number) => string) => Partial<Reply>): Promise<Stage> {
  const command = defineCommand({
    name: 'shelf look',
    options: { place: { type: 'integer', required: true, min: 0, max: 100 } },
    visibility: 'chat',
    cost: 0,
    async run({ place }, { services }) {
      const token = (value: number) => services.actions.encode({ command: 'shelf look', values: { place: value } });
      return reply(answer(place, token));
    },
  });
  stage = await openStage({ commands: [command] });
  const { fake } = stage;
  await fake.waitFor(() => fake.commands);
  return stage;
}

async function look({ fake, guildId }: Stage, place = 0) {
  fake.interaction({ kind: 'command', name: 'shelf look', options: { place }, guildId, userId: '300' });
  return fake.waitFor(() => ownMessages(fake).find(({ body }) => all(body.components, 'type').length > 0));
}

describe('a list of cards', () => {
  it('opens the one that is chosen in its menu', async () => {
    const on = await open((place, token) =>
      place > 0
        ? { blocks: [{ kind: 'heading', text: [`Map ${place}`] }] }
        : {
            blocks: [1, 2, 3].map(index => ({
              kind: 'card',
              title: [`Map ${index}`],
              lines: [['mapped by Tari']],
              image: { kind: 'image', url: `https://assets.ppy.sh/beatmaps/${index}/covers/list.jpg`, alt: '' },
              action: { kind: 'button', label: 'Open', token: token(index), style: 'secondary' },
            })),
          },
    );
    const { fake } = on;
    const shown = await look(on);
    expect(all(shown.body.components, 'accessory')).toHaveLength(3);
    const [customId] = all(shown.body.components, 'custom_id').map(String);
    const second = all(shown.body.components, 'value').map(String)[1];
    if (customId === undefined || second === undefined) throw new Error('no menu');
    fake.interaction({ kind: 'select', customId, values: [second], messageId: shown.id, userId: '300' });
    await fake.waitFor(() => (textOf(shown) === '### Map 2' ? true : undefined));
  });
});

describe('a drawn picture', () => {
  it('is uploaded and shown with words for those who cannot see it', async () => {
    const on = await open(() => ({ blocks: [{ kind: 'heading', text: ['Map'] }, picture('strain-1')] }));
    const shown = await look(on);
    expect(shown.files).toMatchObject([{ sha256: sha256(png('strain-1')), contentType: 'image/png' }]);
    expect(shown.body.attachments).toMatchObject([{ id: '0', description: 'Strain of strain-1' }]);
    expect(all(shown.body.components, 'items')).toMatchObject([[{ description: 'Strain of strain-1' }]]);
  });

  it('takes the place of the one before when a button is pressed, and leaves with the next', async () => {
    const on = await open((place, token) => ({
      blocks: [{ kind: 'heading', text: [`Page ${place}`] }, ...(place < 2 ? [picture(`strain-${place}`)] : [])],
      actions: [{ kind: 'button', label: 'Next', token: token(place + 1), style: 'primary' }],
    }));
    const { fake } = on;
    const shown = await look(on);
    const press = async (page: number) => {
      const customId = all(shown.body.components, 'custom_id').map(String)[0] ?? '';
      fake.interaction({ kind: 'button', customId, messageId: shown.id, userId: '300' });
      await fake.waitFor(() => (textOf(shown).includes(`Page ${page}`) ? true : undefined));
    };
    await press(1);
    expect(shown.files.map(file => file.sha256)).toEqual([sha256(png('strain-1'))]);
    await press(2);
    expect(shown.files).toEqual([]);
  });

  it('that cannot be drawn is told in words, and the log knows why', async () => {
    const on = await open(() => ({ blocks: [picture('strain-1', () => Promise.reject(new Error('no ink')))] }));
    const shown = await look(on);
    expect(textOf(shown)).toBe('Strain of strain-1');
    expect(shown.files).toEqual([]);
    expect(on.log.at('warn')).toMatchObject([{ message: 'an image card could not be drawn' }]);
  });

  it('that Discord does not take is told in words', async () => {
    const on = await open(() => ({ blocks: [picture('strain-1')] }));
    const body = { code: 40005, message: 'Request entity too large' };
    on.fake.fault({ method: 'PATCH', path: /@original/, status: 413, body });
    const shown = await look(on);
    expect(textOf(shown)).toBe('Strain of strain-1');
    expect(shown.files).toEqual([]);
  });

  it('beyond what a message holds is told in words', async () => {
    const pictures = Array.from({ length: 12 }, (_, index) => picture(`strain-${index}`));
    const on = await open(() => ({ blocks: pictures }));
    const shown = await look(on);
    expect(shown.files).toHaveLength(10);
    expect(textOf(shown)).toContain('Strain of strain-11');
  });
});
