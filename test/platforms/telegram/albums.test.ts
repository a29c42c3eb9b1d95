import { describe, expect, it } from 'vitest';
import { defineCommand } from '../../../src/bot/contract/command.ts';
import type { GalleryItem } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import type { Delivery } from '../../../src/media/delivery/delivery.ts';
import type { Post } from '../../../src/media/post.ts';
import { createFileDelivery } from '../../fakes/file-delivery.ts';
import { makePhoto, makePost, makeVariant } from '../../fakes/post.ts';
import {
  answersIn,
  BUDI,
  buttonsOf,
  CAROUSEL,
  filesIn,
  GROUP,
  openStage,
  PHOTO,
  REEL,
  SARI,
  type StageOptions,
  sha256Of,
} from './stage.ts';

const PHOTO_BYTES = 2_000;

/** A link that brings so many photos, each at an address of its own. */
function photos(count: number, size = {}): Pick<StageOptions, 'commands' | 'delivery'> {
  const items = Array.from({ length: count }, (_, index) =>
    makePhoto({
      ...size,
      position: index,
      variants: [makeVariant({ url: `https://scontent.cdninstagram.com/v/${index}.jpg`, mime: 'image/jpeg' })],
    }),
  );
  const post = makePost({ items });
  const gallery = items.map((_, index): GalleryItem => {
    return { kind: 'media', post, index, form: 'original', spoiler: false };
  });
  const download = defineCommand({
    name: 'download',
    options: { link: { type: 'string', form: 'link', required: true, maxLength: 200 } },
    visibility: 'chat',
    cost: 1,
    accepts: 'link',
    run: async () => reply({ blocks: [{ kind: 'heading', text: ['Ines Okafor'] }], gallery }),
  });
  const remoteFile: Delivery['remoteFile'] = ({ index }) => {
    const { width = null, height = null, variants = [] } = items[index] ?? {};
    const [variant] = variants;
    return variant && { url: variant.url, mime: variant.mime, width, height, variantKey: 'v0' };
  };
  return {
    commands: [download],
    delivery: folder => ({ ...createFileDelivery(folder, new Set(), () => [PHOTO_BYTES]), remoteFile }),
  };
}

it.each([
  { width: 9_000, height: 6_000 },
  { width: 300, height: 8_000 },
])('sends a photo of $width x $height at once as a document, as Telegram shows none so large or thin', async size => {
  const { fake, calls } = await openStage(photos(1, size));
  fake.message({ from: SARI, text: PHOTO });
  expect((await fake.waitFor(() => answersIn(fake, SARI.id)[0])).file?.kind).toBe('document');
  expect(calls(/^send(Photo|Document)$/)).toHaveLength(1);
});

it('sends the files of a quoted post below those of the post that quotes it', async () => {
  const [outer, below] = ['reef', 'pier'].map(name =>
    makePost({
      id: name,
      items: [
        makePhoto({
          variants: [makeVariant({ url: `https://scontent.cdninstagram.com/v/${name}.jpg`, mime: 'image/jpeg' })],
        }),
      ],
    }),
  );
  if (outer === undefined || below === undefined) throw new Error('no posts');
  const shown = (post: Post, words: string) =>
    reply({
      blocks: [{ kind: 'heading', text: [words] }],
      gallery: [{ kind: 'media', post, index: 0, form: 'original', spoiler: false }],
    });
  const { commands = [], delivery } = photos(1);
  const quoting = { ...shown(outer, 'Outer'), quoted: shown(below, 'Inner') };
  const stage = await openStage({
    ...(delivery && { delivery }),
    commands: commands.map(one => ({ ...one, run: async () => quoting })),
  });
  stage.fake.message({ from: SARI, text: PHOTO });
  const sent = await stage.fake.waitFor(() => filesIn(stage.fake, SARI.id, 2));
  expect(sent.map(({ caption }) => caption)).toEqual(['Outer', 'Inner']);
});

it('knows a file by its place in the post, also when another file was missing before', async () => {
  const { commands = [] } = photos(3);
  const whole = makePost({ items: [0, 1, 2].map(position => makePhoto({ position })) });
  const partial: Post = { ...whole, items: whole.items.filter(({ position }) => position !== 1), missingItems: 1 };
  const shown = [partial, whole].map(post =>
    reply({
      gallery: post.items.map((_, index) => ({ kind: 'media', post, index, form: 'original', spoiler: false })),
    }),
  );
  const { fake } = await openStage({
    delivery: folder => createFileDelivery(folder, new Set(), () => [PHOTO_BYTES]),
    commands: commands.map(one => ({ ...one, run: async () => shown.shift() ?? reply({}) })),
  });
  fake.message({ from: SARI, text: PHOTO });
  const before = await fake.waitFor(() => filesIn(fake, SARI.id, 2));
  fake.message({ from: BUDI, text: PHOTO });
  const after = await fake.waitFor(() => filesIn(fake, BUDI.id, 3));
  expect([after[0], after[2]].map(one => one?.file?.fileId)).toEqual(before.map(({ file }) => file?.fileId));
  expect(after[1]?.file?.fileId).not.toBe(before[1]?.file?.fileId);
});

it('knows a file by its own id where the items of a post change, as stories of today and yesterday do', async () => {
  const { commands = [] } = photos(1);
  const shown = ['yesterday', 'today', 'today'].map(id =>
    reply({
      gallery: [
        { kind: 'media', post: makePost({ items: [makePhoto({ id })] }), index: 0, form: 'original', spoiler: false },
      ],
    }),
  );
  const { fake } = await openStage({
    delivery: folder => createFileDelivery(folder, new Set(), () => [PHOTO_BYTES]),
    commands: commands.map(one => ({ ...one, run: async () => shown.shift() ?? reply({}) })),
  });
  for (const count of [1, 2, 3]) {
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => filesIn(fake, SARI.id, count));
  }
  const [yesterday, today, again] = answersIn(fake, SARI.id).map(({ file }) => file?.fileId);
  expect(today).not.toBe(yesterday);
  expect(again).toBe(today);
});

describe('an album whose addresses Telegram cannot fetch', () => {
  it('is uploaded in one further try, each photo once', async () => {
    const { fake, calls } = await openStage(photos(18));
    fake.message({ from: SARI, text: PHOTO });
    const sent = await fake.waitFor(() => filesIn(fake, SARI.id, 18));
    expect(sent.map(({ file }) => file?.bytes)).toEqual(sent.map(() => PHOTO_BYTES));
    const tries = calls('sendMediaGroup').map(({ files }) => files.length);
    expect(tries).toEqual([0, 10, 0, 8]);
    expect(fake.problems).toEqual([]);
  });

  it('is so too when Telegram no longer has what it was sent before', async () => {
    const { fake, calls } = await openStage(photos(5));
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[5]);
    fake.forgetFiles();
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[4]);
    expect(calls('sendMediaGroup').map(({ files }) => files.length)).toEqual([0, 5, 0, 0, 5]);
    expect(fake.problems).toEqual([]);
  });
});

describe('an album', () => {
  it('is followed by what it holds, with its audio and a way to take all of it away', async () => {
    const { fake, calls } = await openStage();
    const asked = fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    const end = await fake.waitFor(() => answersIn(fake, GROUP.id)[5]);
    expect(end).toMatchObject({ text: '3 photos, 2 videos', replyTo: asked });
    expect(buttonsOf(end).map(({ text }) => text)).toEqual(['Audio only', 'Delete']);
    expect(calls('sendMessage').at(-1)?.params.disable_notification).toBe(true);
    const [audio, remove] = buttonsOf(end).map(({ data }) => data ?? '');
    const at = { chatId: GROUP.id, messageId: end.messageId };

    fake.callbackQuery({ data: audio ?? '', message: at, from: BUDI });
    const track = await fake.waitFor(() => answersIn(fake, GROUP.id).find(({ file }) => file?.kind === 'audio'));
    expect(track.file?.name).toContain('DWlightkeep');

    const query = fake.callbackQuery({ data: remove ?? '', message: at, from: BUDI });
    expect(await fake.waitFor(() => fake.callbackAnswers.get(query))).toMatchObject({ show_alert: true });
    const before = answersIn(fake, GROUP.id).length;
    fake.callbackQuery({ data: remove ?? '', message: at, from: SARI });
    await fake.waitFor(() => answersIn(fake, GROUP.id).length === before - 6 || undefined);
    expect(fake.problems).toEqual([]);
  });

  it('of photos alone offers no audio', async () => {
    const { fake } = await openStage({ ...photos(3), canFetch: true });
    fake.message({ from: SARI, text: PHOTO });
    const end = await fake.waitFor(() => answersIn(fake, SARI.id)[3]);
    expect(end.text).toBe('3 photos');
    expect(buttonsOf(end).map(({ text }) => text)).toEqual(['Delete']);
  });

  it('is deleted whole where its parts had to wait for each other', async () => {
    const { fake } = await openStage({ ...photos(12), limits: { spacingMs: 150 } });
    fake.message({ from: SARI, text: PHOTO });
    const end = await fake.waitFor(() => answersIn(fake, SARI.id)[12]);
    const [remove] = buttonsOf(end);
    const message = { chatId: SARI.id, messageId: end.messageId };
    fake.callbackQuery({ data: remove?.data ?? '', message, from: SARI });
    await fake.waitFor(() => answersIn(fake, SARI.id).length === 0 || undefined);
  });

  it('one file is followed by nothing', async () => {
    const { fake, calls, settled } = await openStage();
    fake.message({ chat: GROUP, from: SARI, text: REEL });
    const answer = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    await settled();
    expect(answer.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(calls('sendMessage')).toEqual([]);
  });
});
