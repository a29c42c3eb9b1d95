import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defineCommand } from '../../../src/bot/contract/command.ts';
import type { Picture } from '../../../src/bot/contract/picture.ts';
import type { Block, Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { AppError } from '../../../src/errors.ts';
import { openHouse } from '../../beatmaps/beatmaps-fixture.ts';
import { BEATMAP_STEPS, lineOf } from '../beatmap-steps.ts';
import { answersIn, openStage, SARI, type Stage, type StageOptions } from './stage.ts';

async function said({ fake }: Stage, line: string) {
  const before = new Set(answersIn(fake, SARI.id));
  fake.message({ from: SARI, text: line });
  return fake.waitFor(() => answersIn(fake, SARI.id).find(message => !before.has(message)));
}

function dataOf(message: { readonly replyMarkup: unknown }, label: string): string {
  const found = JSON.stringify(message.replyMarkup).match(/\{"text":"[^"]*","callback_data":"[^"]*"/g) ?? [];
  const button = found.find(each => each.startsWith(`{"text":"${label}`));
  return /"callback_data":"([^"]*)"/.exec(button ?? '')?.[1] ?? '';
}

function press({ fake }: Stage, message: { readonly messageId: number; readonly replyMarkup: unknown }, label: string) {
  const at = { chatId: SARI.id, messageId: message.messageId };
  return fake.callbackQuery({ data: dataOf(message, label), message: at, from: SARI });
}

describe('the commands of osu!, over the played upstreams', () => {
  it('are answered one after the other', async () => {
    const { beatmaps } = await openHouse({ beatmapsets: 30 });
    const stage = await openStage({ beatmaps, canFetch: true });
    for (const step of BEATMAP_STEPS) {
      const { text = '', caption = '' } = await said(stage, lineOf(step));
      expect.soft(`${text}${caption}`, step.command).toMatch(step.says);
    }
    expect(stage.log.at('error')).toEqual([]);
    expect(stage.fake.problems).toEqual([]);
  });

  it('open one of those found by its number', async () => {
    const { beatmaps } = await openHouse({ beatmapsets: 30 });
    const stage = await openStage({ beatmaps, canFetch: true });
    const { fake, calls } = stage;
    const list = await said(stage, '/beatmap_search stars>1');
    expect(calls('sendMessage').at(-1)?.params.link_preview_options).toMatchObject({ prefer_large_media: true });
    expect(JSON.stringify(list.replyMarkup)).toMatch(
      /^\{"inline_keyboard":\[\[(\{"text":"\d","callback_data":"[^"]+"\},?){5}\],/,
    );
    press(stage, list, '2');
    await fake.waitFor(() => (/AR/.test(list.caption ?? list.text ?? '') ? true : undefined));
    expect(answersIn(fake, SARI.id)).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });
});

/** A command that answers with what the test wants, its number telling which. */
function openShelf(answer: (value: number) => Partial<Reply> | Promise<Partial<Reply>>, options: StageOptions = {}) {
  const shelf = defineCommand({
    name: 'shelf look',
    options: { place: { type: 'integer', required: false, min: 0, max: 100 } },
    visibility: 'chat',
    cost: 0,
    async run({ place = 0 }, { services }) {
      const token = services.actions.encode({ command: 'shelf look', values: { place: place + 1 } });
      return reply({ actions: [{ kind: 'button', label: 'Next', token, style: 'primary' }], ...(await answer(place)) });
    },
  });
  return openStage({ commands: [shelf], canFetch: true, ...options });
}

/** A shelf that shows a drawn picture, and how often it was drawn. */
async function openDrawn() {
  let drawn = 0;
  const draw = async () => {
    drawn += 1;
    return Buffer.from('png');
  };
  const stage = await openShelf(() => ({ blocks: [HEADING, picture('strain-1', draw)] }));
  return { stage, timesDrawn: () => drawn };
}

const HEADING: Block = { kind: 'heading', text: ['Map'] };
const COVER: Block = { kind: 'image', url: 'https://assets.ppy.sh/beatmaps/900001/covers/cover.jpg', alt: 'Cover' };

function picture(key: string, draw: Picture['draw'] = async () => Buffer.from(`png ${key}`)): Block {
  return { kind: 'picture', alt: `Strain of ${key}`, picture: { key, width: 900, height: 300, draw } };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('a failure', () => {
  it('that comes when the button rests already leaves what it stands under alone', async () => {
    const fail = () => pause(200).then(() => Promise.reject(new AppError('upstream_unavailable', 'away')));
    const stage = await openShelf(place => (place === 0 ? { blocks: [HEADING] } : fail()), { limits: { spinMs: 20 } });
    const list = await said(stage, '/shelf_look');
    press(stage, list, 'Next');
    const notice = await stage.fake.waitFor(() => answersIn(stage.fake, SARI.id)[1]);
    expect(notice.text).toMatch(/\w/);
    expect(list).toMatchObject({ text: 'Map', edits: 0 });
    expect(stage.fake.problems).toEqual([]);
  });
});

describe('a picture', () => {
  it('at an address is fetched by Telegram, with the words under it', async () => {
    const stage = await openShelf(() => ({ blocks: [COVER, HEADING] }));
    const message = await said(stage, '/shelf_look');
    expect(message).toMatchObject({
      caption: 'Map',
      file: { kind: 'photo', address: COVER.kind === 'image' ? COVER.url : '' },
    });
    expect(stage.fake.problems).toEqual([]);
  });

  it('at an address that Telegram cannot fetch leaves the words', async () => {
    const url = 'https://assets.gone.example/cover.jpg';
    const stage = await openShelf(() => ({ blocks: [{ kind: 'image', url, alt: 'Cover' }, HEADING] }));
    const message = await said(stage, '/shelf_look');
    expect(message).toMatchObject({ text: 'Map', file: undefined });
    expect(stage.calls('sendMessage').at(-1)?.params.link_preview_options).toMatchObject({ url });
  });

  it('that is drawn is uploaded once and then sent as what Telegram holds', async () => {
    const { stage, timesDrawn } = await openDrawn();
    const first = await said(stage, '/shelf_look');
    const second = await said(stage, '/shelf_look');
    expect(first.file?.sha256).toBe(sha256('png'));
    expect(second.file?.fileId).toBe(first.file?.fileId);
    expect(timesDrawn()).toBe(1);
    expect(stage.fake.problems).toEqual([]);
  });

  it('that Telegram holds is tried once where a chat takes no photos, and is still held afterwards', async () => {
    const { stage, timesDrawn } = await openDrawn();
    const first = await said(stage, '/shelf_look');
    const description = 'Bad Request: not enough rights to send photos to the chat';
    stage.fake.fault({ method: 'sendPhoto', errorCode: 400, description });
    expect((await said(stage, '/shelf_look')).text).toBe('Map\nStrain of strain-1');
    expect(stage.calls('sendPhoto')).toHaveLength(2);
    expect((await said(stage, '/shelf_look')).file?.fileId).toBe(first.file?.fileId);
    expect(timesDrawn()).toBe(1);
    expect(stage.fake.problems).toEqual([]);
  });

  it('that cannot be drawn is told in words', async () => {
    const stage = await openShelf(() => ({
      blocks: [HEADING, picture('strain-1', () => Promise.reject(new Error('no ink')))],
    }));
    expect((await said(stage, '/shelf_look')).text).toBe('Map\nStrain of strain-1');
    expect(stage.fake.problems).toEqual([]);
  });
});

describe('a pressed button', () => {
  it('puts a photo in the place of words, and of another photo', async () => {
    const stage = await openShelf(place => ({ blocks: [HEADING, ...(place > 0 ? [picture(`strain-${place}`)] : [])] }));
    const { fake } = stage;
    const message = await said(stage, '/shelf_look');
    expect(message.text).toBe('Map');
    for (const place of [1, 2]) {
      press(stage, message, 'Next');
      await fake.waitFor(() => (message.file?.sha256 === sha256(`png strain-${place}`) ? true : undefined));
      expect(message.caption).toBe('Map');
    }
    expect(answersIn(fake, SARI.id)).toEqual([message]);
    expect(fake.problems).toEqual([]);
  });

  it('takes a photo away and says the words in a message of their own', async () => {
    const stage = await openShelf(place => ({
      blocks: place === 0 ? [COVER, HEADING] : [{ kind: 'text', text: ['Words'] }],
    }));
    const { fake } = stage;
    const photo = await said(stage, '/shelf_look');
    press(stage, photo, 'Next');
    await fake.waitFor(() => photo.deleted || undefined);
    expect(answersIn(fake, SARI.id)).toMatchObject([{ text: 'Words' }]);
    expect(fake.problems).toEqual([]);
  });

  it('leaves words in place where there is no photo to be had', async () => {
    const stage = await openShelf(place => ({
      blocks: place === 0 ? [HEADING] : [picture('strain-1', () => Promise.reject(new Error('no ink')))],
    }));
    const { fake } = stage;
    const message = await said(stage, '/shelf_look');
    press(stage, message, 'Next');
    await fake.waitFor(() => (message.text === 'Strain of strain-1' ? true : undefined));
    expect(answersIn(fake, SARI.id)).toEqual([message]);
    expect(fake.problems).toEqual([]);
  });
});
