import { describe, expect, it } from 'vitest';
import { reply } from '../../../../src/bot/contract/reply-parts.ts';
import { createTranslator } from '../../../../src/i18n/translate.ts';
import { makePhoto, makePost } from '../../../fakes/post.ts';
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
  type Stage,
  sha256Of,
  WATCH,
} from '../stage.ts';
import { FILE_BYTES, openCarousel } from './carousels.ts';

const UNSURE = createTranslator(['en']).messages.requests.unsure;
const NO_MERCY = { runtime: { drainMs: 0 } };
const ALWAYS = { limits: { richFrom: 2 } };
const RICH = { telegram: { isRich: true }, ...ALWAYS };
const FILES = ['photo-shore.jpg', 'sea-720.mp4', 'photo-lights.jpg', 'sky-640.mp4', 'photo-dusk.jpg'].map(sha256Of);

/** The one message that stands in the chat. */
async function only({ fake, settled }: Stage, chatId: number) {
  await fake.waitFor(() => answersIn(fake, chatId)[0]);
  await settled();
  const answers = answersIn(fake, chatId);
  expect(answers).toHaveLength(1);
  const [answer] = answers;
  if (answer === undefined) throw new Error('nothing stands there');
  return answer;
}

const uploads = ({ calls }: Stage) => calls('sendRichMessage').map(({ files }) => files.length);

describe('a post with several files', () => {
  it('is one message with all of them, its whole caption and its buttons', async () => {
    const caption = `${'A long day under water. '.repeat(300)}\n\nWith @bluehour.club, see https://example.com/reef.`;
    const stage = await openCarousel({ count: 14, caption });
    const asked = stage.fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    const answer = await only(stage, GROUP.id);
    expect(answer.replyTo).toBe(asked);
    expect(answer.rich?.files.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 14 }, (_, index) => (index % 5 === 1 ? 'video' : 'photo')),
    );
    expect(answer.rich?.text).toContain(caption);
    expect(answer.rich?.text).toContain('Ines Okafor @kelp.forest');
    expect(answer.rich?.blocks).toMatchObject([
      { type: 'slideshow', blocks: [{ type: 'photo', has_spoiler: true }, ...Array.from({ length: 13 }, () => ({}))] },
      { type: 'paragraph' },
      { type: 'expandable_blockquote' },
    ]);
    expect(buttonsOf(answer).map(({ text }) => text)).toEqual(['Open', 'Audio only', 'Delete']);
    expect(stage.calls('sendRichMessage')[0]?.params.rich_message).toMatchObject({ skip_entity_detection: true });
    expect(stage.calls(/^send(MediaGroup|Message)$/)).toEqual([]);
    expect(stage.fake.problems).toEqual([]);
  });

  it('is uploaded in one further try when Telegram cannot fetch it, and sent by ids from then on', async () => {
    const stage = await openCarousel({ count: 14 });
    const { fake } = stage;
    fake.message({ from: SARI, text: PHOTO });
    const first = await only(stage, SARI.id);
    expect(first.rich?.files.map(({ bytes }) => bytes)).toEqual(Array.from({ length: 14 }, () => FILE_BYTES));
    expect(uploads(stage)).toEqual([0, 14]);
    fake.message({ from: BUDI, text: PHOTO });
    const second = await only(stage, BUDI.id);
    expect(second.rich?.files.map(({ fileId }) => fileId)).toEqual(first.rich?.files.map(({ fileId }) => fileId));
    expect(uploads(stage)).toEqual([0, 14, 0]);
    fake.forgetFiles();
    fake.message({ chat: GROUP, from: BUDI, text: PHOTO });
    expect((await only(stage, GROUP.id)).rich?.files).toHaveLength(14);
    expect(uploads(stage)).toEqual([0, 14, 0, 0, 0, 14]);
    expect(fake.problems).toEqual([]);
  });

  it('is an album, as every app shows it, where one holds all of it', async () => {
    const short = await openCarousel({ count: 10 });
    short.fake.message({ from: SARI, text: PHOTO });
    await short.fake.waitFor(() => filesIn(short.fake, SARI.id, 10));
    await short.settled();
    expect(short.calls('sendRichMessage')).toEqual([]);
    const wordy = await openCarousel({ count: 2, caption: 'A long day under water. '.repeat(60) });
    wordy.fake.message({ from: SARI, text: PHOTO });
    expect((await only(wordy, SARI.id)).rich?.files).toHaveLength(2);
  });

  it('keeps its order, is not uploaded where Telegram can fetch it, and its files serve alone as well', async () => {
    const stage = await openStage({ ...RICH, canFetch: true });
    stage.fake.message({ from: SARI, text: CAROUSEL });
    const { rich } = await only(stage, SARI.id);
    expect(rich?.files.map(({ sha256 }) => sha256)).toEqual(FILES);
    expect(uploads(stage)).toEqual([0]);
    stage.fake.message({ from: BUDI, text: `/download ${CAROUSEL} item:2` });
    expect((await only(stage, BUDI.id)).file?.fileId).toBe(rich?.files[1]?.fileId);
    expect(stage.fake.problems).toEqual([]);
  });

  it('has the size, the length and the small picture of uploaded videos', async () => {
    const stage = await openStage(RICH);
    stage.fake.message({ from: SARI, text: CAROUSEL });
    await only(stage, SARI.id);
    const upload = stage.calls('sendRichMessage').at(-1);
    // Five files, and the pictures of two.
    expect(upload?.files).toHaveLength(7);
    expect(JSON.stringify(upload?.params.rich_message)).toMatch(
      /"type":"video","media":"attach:[^}]*"width":720,"height":1280,"duration":8,"thumbnail":"attach:/,
    );
    expect(stage.fake.problems).toEqual([]);
  });

  it('shows files alone, and no more than so many, where the chat wants that', async () => {
    const stage = await openStage(RICH);
    await stage.settings.setChat(`telegram:${GROUP.id}`, { view: 'media', albumCap: 2, silent: true });
    stage.fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    const { rich } = await only(stage, GROUP.id);
    expect(rich?.files).toHaveLength(2);
    expect(rich?.text).toContain('2 of 5 shown');
    expect(rich?.text).not.toContain('@');
    expect(`${stage.calls('sendRichMessage')[0]?.params.disable_notification}`).toBe('true');
  });

  it('lets the link be deleted once all of it stands there in full', async () => {
    const stage = await openStage(RICH);
    const { fake } = stage;
    await stage.settings.setChat(`telegram:${GROUP.id}`, { deleteSource: true });
    fake.setMember(GROUP.id, fake.botId, 'administrator', { can_delete_messages: true });
    const asked = fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    await fake.waitFor(() => stage.calls('deleteMessage')[0]);
    expect(stage.calls('deleteMessage')[0]?.params.message_id).toBe(asked);
    expect((await only(stage, GROUP.id)).replyTo).toBeUndefined();
  });

  it('brings its audio on request, and goes whole when the person who asked deletes it', async () => {
    const stage = await openStage(RICH);
    const { fake } = stage;
    fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    const answer = await only(stage, GROUP.id);
    const [, audio = '', remove = ''] = buttonsOf(answer).map(({ data }) => data);
    const at = { chatId: GROUP.id, messageId: answer.messageId };
    fake.callbackQuery({ data: audio, message: at, from: BUDI });
    const track = await fake.waitFor(() => answersIn(fake, GROUP.id).find(({ file }) => file?.kind === 'audio'));
    expect(track.file?.name).toContain('DWlightkeep');
    const query = fake.callbackQuery({ data: remove, message: at, from: BUDI });
    expect(await fake.waitFor(() => fake.callbackAnswers.get(query))).toMatchObject({ show_alert: true });
    expect(answersIn(fake, GROUP.id).some(({ rich }) => rich)).toBe(true);
    fake.callbackQuery({ data: remove, message: at, from: SARI });
    await fake.waitFor(() => !answersIn(fake, GROUP.id).some(({ rich }) => rich) || undefined);
    expect(stage.calls('deleteMessages')).toEqual([]);
    expect(fake.problems).toEqual([]);
  });
});

describe('albums come in place of a rich message', () => {
  it('when the server does not know it, which is asked once', async () => {
    const stage = await openStage({ ...ALWAYS, telegram: { isRich: false }, canFetch: true });
    const { fake, calls } = stage;
    for (const from of [SARI, BUDI]) {
      fake.message({ from, text: CAROUSEL });
      const album = await fake.waitFor(() => filesIn(fake, from.id, 5));
      expect(album.map(({ file }) => file?.sha256)).toEqual(FILES);
    }
    await stage.settled();
    expect(calls('sendRichMessage')).toHaveLength(1);
    expect(calls('sendMediaGroup')).toHaveLength(2);
    expect(answersIn(fake, SARI.id).at(-1)?.text).toBe('3 photos, 2 videos');
    expect(fake.problems).toEqual([]);
  });

  it('when it is refused, at once; that post is not tried again', async () => {
    const stage = await openStage({ ...RICH, canFetch: true, limits: { spacingMs: 60_000, richFrom: 2 } });
    const { fake, calls } = stage;
    fake.fault({
      method: 'sendRichMessage',
      errorCode: 400,
      description: 'Bad Request: RICH_MESSAGE_INVALID',
      times: 9,
    });
    fake.message({ from: SARI, text: CAROUSEL });
    await fake.waitFor(() => filesIn(fake, SARI.id, 5));
    fake.message({ from: BUDI, text: CAROUSEL });
    await fake.waitFor(() => filesIn(fake, BUDI.id, 5));
    expect(calls('sendRichMessage')).toHaveLength(1);
    expect(calls('sendMediaGroup').map(({ files }) => files.length)).toEqual([0, 0]);
  });

  it('when three posts in a row were refused, for all others', async () => {
    const stage = await openCarousel({ count: 3 }, ALWAYS);
    const { fake, calls } = stage;
    fake.fault({
      method: 'sendRichMessage',
      errorCode: 400,
      description: 'Bad Request: RICH_MESSAGE_INVALID',
      times: 9,
    });
    for (const [place, link] of [CAROUSEL, REEL, PHOTO, WATCH].entries()) {
      fake.message({ from: SARI, text: link });
      await fake.waitFor(() => filesIn(fake, SARI.id, 3 * (place + 1)));
    }
    await stage.settled();
    expect(calls('sendRichMessage')).toHaveLength(3);
    expect(calls('sendMediaGroup').filter(({ files }) => files.length > 0)).toHaveLength(4);
  });

  it('and are reserved as albums once it is known that they come', async () => {
    const items = Array.from({ length: 12 }, (_, position) => makePhoto({ position }));
    const answerTo = (id: string) => {
      const post = makePost({ id, items });
      return reply({
        gallery: items.map((_, index) => ({ kind: 'media', post, index, form: 'original', spoiler: false })),
      });
    };
    const messages = ({ platform }: Stage, id: string) =>
      platform.messagesOf?.({ chat: GROUP.id, isGroup: true }, answerTo(id));
    const refusing = await openCarousel({ count: 12 });
    expect(messages(refusing, PHOTO)).toBe(2);
    refusing.fake.fault({
      method: 'sendRichMessage',
      errorCode: 400,
      description: 'Bad Request: RICH_MESSAGE_INVALID',
    });
    refusing.fake.message({ from: SARI, text: PHOTO });
    await refusing.fake.waitFor(() => filesIn(refusing.fake, SARI.id, 12));
    expect([PHOTO, REEL].map(id => messages(refusing, id))).toEqual([14, 2]);
    const older = await openCarousel({ count: 12 }, { telegram: { isRich: false } });
    older.fake.message({ from: SARI, text: PHOTO });
    await older.fake.waitFor(() => filesIn(older.fake, SARI.id, 12));
    expect([PHOTO, REEL].map(id => messages(older, id))).toEqual([14, 14]);
  });

  it('when it may not hold so much by upload, without asking Telegram again for what it could not fetch', async () => {
    const stage = await openCarousel(
      { count: 4, bytes: 400_000 },
      { limits: { upload: 1_000_000, localUpload: 1_000_000, richFrom: 2 } },
    );
    stage.fake.message({ from: SARI, text: PHOTO });
    await stage.fake.waitFor(() => filesIn(stage.fake, SARI.id, 4));
    await stage.settled();
    expect(uploads(stage)).toEqual([0]);
    expect(stage.calls('sendMediaGroup').map(({ files }) => files.length)).toEqual([2, 2]);
    expect(stage.fake.problems).toEqual([]);
  });

  it('when the upload is refused too', async () => {
    const stage = await openCarousel({ count: 12 });
    const { fake } = stage;
    fake.fault({
      method: 'sendRichMessage',
      when: ({ files }) => files.length > 0,
      errorCode: 413,
      description: 'Request Entity Too Large',
    });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => filesIn(fake, SARI.id, 12));
    expect(uploads(stage)).toEqual([0, 12]);
    expect(stage.calls('sendMediaGroup').map(({ files }) => files.length)).toEqual([10, 2]);
    expect(fake.problems).toEqual([]);
  });

  it('and the words with the link where the chat takes no files', async () => {
    const stage = await openStage({ ...RICH, canFetch: true });
    stage.fake.setMember(GROUP.id, stage.fake.botId, 'restricted', { can_send_photos: false, can_send_videos: false });
    stage.fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    expect((await only(stage, GROUP.id)).text).toContain('does not let me send photos or videos');
  });

  it('but not where nothing can be said: a closed chat is asked once', async () => {
    const stage = await openStage({ ...RICH, canFetch: true });
    stage.fake.setMember(SARI.id, stage.fake.botId, 'kicked');
    stage.fake.message({ from: SARI, text: CAROUSEL });
    await stage.fake.waitFor(() => stage.outcomes[0]);
    expect(stage.outcomes).toEqual(['gone']);
    expect(stage.calls(/^send(?!ChatAction)/)).toHaveLength(1);
  });
});

describe('a rich message', () => {
  it.each(['restart', 'crash'] as const)('that stands is not sent again after a %s; what follows is', async end => {
    const stage = await openStage({ ...RICH, ...NO_MERCY, canFetch: true });
    const { fake } = stage;
    fake.fault({
      method: 'sendVideo',
      errorCode: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    fake.message({ from: SARI, text: `${CAROUSEL} ${REEL}` });
    await fake.waitFor(() => stage.calls('sendVideo')[0]);
    await expect.poll(() => stage.queue.stats()).toMatchObject({ waiting: 1, running: 0 });
    await stage[end]();
    await stage.settled();
    expect(answersIn(fake, SARI.id).map(({ rich, file }) => rich?.files.length ?? file?.kind)).toEqual([5, 'video']);
    expect(stage.calls('sendRichMessage')).toHaveLength(1);
  });

  it.each(['restart', 'crash'] as const)(
    'whose fate a %s hides is not repeated in any form, but said once',
    async end => {
      const stage = await openStage({ ...RICH, ...NO_MERCY, canFetch: true });
      const { fake } = stage;
      fake.fault({ method: 'sendRichMessage', afterSend: true, hang: true });
      fake.message({ from: SARI, text: CAROUSEL });
      await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
      await stage[end]();
      await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
      await stage.settled();
      expect(answersIn(fake, SARI.id).map(({ rich, text }) => rich?.files.length ?? text)).toEqual([5, UNSURE]);
    },
  );

  it('that was refused before a crash gives way to albums that go on where they were', async () => {
    const stage = await openCarousel({ count: 14 }, NO_MERCY);
    const { fake, calls } = stage;
    fake.fault({ method: 'sendRichMessage', errorCode: 400, description: 'Bad Request: RICH_MESSAGE_INVALID' });
    let albums = 0;
    fake.fault({
      method: 'sendMediaGroup',
      when: ({ files }) => files.length > 0 && ++albums > 1,
      errorCode: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => (albums === 2 ? true : undefined));
    await expect.poll(() => stage.queue.stats()).toMatchObject({ waiting: 1, running: 0 });
    await stage.crash();
    await stage.settled();
    expect(filesIn(fake, SARI.id, 14)).toBeDefined();
    expect(calls('sendRichMessage')).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it.each([
    ['answers 502 after it sent', { errorCode: 502, description: 'Bad Gateway', afterSend: true }],
    ['breaks off after it sent', { drop: true, afterSend: true }],
  ])('to a Telegram that %s comes once, with a calm word', async (_, fault) => {
    const stage = await openStage({ ...RICH, canFetch: true });
    const { fake } = stage;
    fake.fault({ method: 'sendRichMessage', ...fault });
    fake.message({ from: SARI, text: CAROUSEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    await stage.settled();
    expect(answersIn(fake, SARI.id).map(({ rich, text }) => rich?.files.length ?? text)).toEqual([5, UNSURE]);
    expect(stage.outcomes).toEqual(['unsure']);
  });

  it('waits as long as Telegram wants, and comes as one message then', async () => {
    const stage = await openStage({ ...RICH, canFetch: true });
    const description = 'Too Many Requests: retry after 1';
    stage.fake.fault({ method: 'sendRichMessage', errorCode: 429, description, parameters: { retry_after: 1 } });
    stage.fake.message({ from: SARI, text: CAROUSEL });
    expect((await only(stage, SARI.id)).rich?.files).toHaveLength(5);
  });
});
