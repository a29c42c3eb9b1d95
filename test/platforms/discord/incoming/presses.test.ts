import { afterEach, describe, expect, it } from 'vitest';
import { defineCommand } from '../../../../src/bot/contract/command.ts';
import type { Reply } from '../../../../src/bot/contract/reply.ts';
import { reply } from '../../../../src/bot/contract/reply-parts.ts';
import { callerKey } from '../../../../src/bot/contract/request.ts';
import { notice } from '../../../../src/bot/views/notice.ts';
import { all, openStage, ownMessages, type Stage, textOf } from '../stage.ts';

let stage: Stage | undefined;

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
  expect(over?.fake.problems ?? []).toEqual([]);
});

const EPHEMERAL = 64;
const OWNER = '300';
const OTHER = '400';

const page = { page: { type: 'integer', required: false, min: 1, max: 9 } } as const;

/** A list in pages, what it lists, and a part of that. */
const list = defineCommand({
  name: 'shelf list',
  options: page,
  visibility: 'chat',
  cost: 0,
  async run({ page: place = 1 }, { caller, services: { actions } }) {
    const open = actions.encode({ command: 'shelf look', values: { page: place } });
    const next = actions.encode({ command: 'shelf list', values: { page: place + 1 }, owner: callerKey(caller) });
    return view(`List ${place}`, { Open: open, Next: next });
  },
});

const look = defineCommand({
  name: 'shelf look',
  options: page,
  visibility: 'chat',
  cost: 0,
  async run({ page: place = 1 }, { services: { actions } }) {
    return view(`Book ${place}`, { Chapter: actions.encode({ command: 'shelf chapter', values: { page: place } }) });
  },
});

const chapter = defineCommand({
  name: 'shelf chapter',
  options: page,
  visibility: 'chat',
  cost: 0,
  run: async ({ page: place = 1 }) => (place > 8 ? notice('There is none.') : view(`Chapter ${place}`, {})),
});

function view(title: string, buttons: Readonly<Record<string, string>>): Reply {
  return reply({
    blocks: [{ kind: 'heading', text: [title] }],
    actions: Object.entries(buttons).map(([label, token]) => ({ kind: 'button', label, token, style: 'secondary' })),
  });
}

async function open(place = 1): Promise<{ on: Stage; id: string }> {
  stage = await openStage({ commands: [list, look, chapter] });
  const { fake, guildId } = stage;
  await fake.waitFor(() => fake.commands);
  fake.interaction({ kind: 'command', name: 'shelf list', options: { page: place }, guildId, userId: OWNER });
  const shown = await fake.waitFor(() => ownMessages(fake).find(message => textOf(message) !== ''));
  return { on: stage, id: shown.id };
}

function message({ fake }: Stage, id: string) {
  const found = fake.messages.get(id);
  if (found === undefined) throw new Error(`no message ${id}`);
  return found;
}

function labels(on: Stage, id: string): unknown[] {
  return all(message(on, id).body.components, 'label');
}

function press(on: Stage, id: string, label: string, userId = OWNER): void {
  const { components } = message(on, id).body;
  const customId = new RegExp(`"label":"${label}[^}]*"custom_id":"([^"]+)"`).exec(JSON.stringify(components))?.[1];
  if (customId === undefined) throw new Error(`no button ${label}`);
  on.fake.interaction({ kind: 'button', customId, messageId: id, userId });
}

/** And the request that made it so is over. */
async function shows(on: Stage, id: string, text: string): Promise<void> {
  const isShown = () => textOf(message(on, id)) === `### ${text}` && on.unfinished().length === 0;
  await on.fake.waitFor(() => isShown() || undefined);
}

describe('what the owner of a message presses', () => {
  it('takes its place, with a way back through all that was there', async () => {
    const { on, id } = await open();
    expect(labels(on, id)).toEqual(['Open', 'Next', 'Delete']);
    press(on, id, 'Open');
    await shows(on, id, 'Book 1');
    expect(labels(on, id)).toEqual(['Chapter', '← Back', 'Delete']);
    press(on, id, 'Chapter');
    await shows(on, id, 'Chapter 1');
    expect(labels(on, id)).toEqual(['← Back', 'Delete']);
    press(on, id, '← Back');
    await shows(on, id, 'Book 1');
    press(on, id, '← Back');
    await shows(on, id, 'List 1');
    expect(labels(on, id)).toEqual(['Open', 'Next', 'Delete']);
    expect(ownMessages(on.fake)).toHaveLength(1);
  });

  it('leads back to the page of a list that was looked at last, after a restart too', async () => {
    const { on, id } = await open();
    press(on, id, 'Next');
    await shows(on, id, 'List 2');
    expect(labels(on, id)).toEqual(['Open', 'Next', 'Delete']);
    press(on, id, 'Open');
    await shows(on, id, 'Book 2');
    await on.platform.stop();
    await on.another().start();
    press(on, id, '← Back');
    await shows(on, id, 'List 2');
  });

  it('leaves what stands there when it leads to nothing but a remark, which is for them alone', async () => {
    const { on, id } = await open(9);
    press(on, id, 'Open');
    await shows(on, id, 'Book 9');
    press(on, id, 'Chapter');
    const remark = await on.fake.waitFor(() => ownMessages(on.fake)[1]);
    expect(textOf(remark)).toBe('There is none.');
    expect(remark.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(textOf(message(on, id))).toBe('### Book 9');
    press(on, id, '← Back');
    await shows(on, id, 'List 9');
  });

  it('cannot go back further than is known, and says so', async () => {
    const { on, id } = await open();
    press(on, id, 'Open');
    await shows(on, id, 'Book 1');
    press(on, id, '← Back');
    await shows(on, id, 'List 1');
    on.fake.interaction({ kind: 'button', customId: 'back', messageId: id, userId: OWNER });
    const remark = await on.fake.waitFor(() => ownMessages(on.fake)[1]);
    expect(textOf(remark)).toContain('no longer works');
    expect(textOf(message(on, id))).toBe('### List 1');
  });
});

describe('what anyone else presses', () => {
  it('opens for them alone, and from there on they go their own way', async () => {
    const { on, id } = await open();
    press(on, id, 'Open', OTHER);
    const own = await on.fake.waitFor(() => ownMessages(on.fake).find(each => textOf(each) === '### Book 1'));
    expect(own.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(textOf(message(on, id))).toBe('### List 1');
    expect(labels(on, own.id)).toEqual(['Chapter']);
    press(on, own.id, 'Chapter', OTHER);
    await shows(on, own.id, 'Chapter 1');
    press(on, own.id, '← Back', OTHER);
    await shows(on, own.id, 'Book 1');
    expect(ownMessages(on.fake)).toHaveLength(2);
    press(on, id, 'Next');
    await shows(on, id, 'List 2');
  });

  it('opens for them alone too when its button is bound to the owner, in whose place it would open', async () => {
    const { on, id } = await open();
    press(on, id, 'Next', OTHER);
    const own = await on.fake.waitFor(() => ownMessages(on.fake).find(each => textOf(each) === '### List 2'));
    expect(own.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(textOf(message(on, id))).toBe('### List 1');
    press(on, own.id, 'Next', OTHER);
    await shows(on, own.id, 'List 3');
    expect(labels(on, own.id)).toEqual(['Open', 'Next']);
  });

  it('shows them what was there before, when they go back in a message of another person', async () => {
    const { on, id } = await open();
    press(on, id, 'Open');
    await shows(on, id, 'Book 1');
    press(on, id, '← Back', OTHER);
    const own = await on.fake.waitFor(() => ownMessages(on.fake).find(each => textOf(each) === '### List 1'));
    expect(own.flags & EPHEMERAL).toBe(EPHEMERAL);
    expect(textOf(message(on, id))).toBe('### Book 1');
  });
});
