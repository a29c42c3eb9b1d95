import { describe, expect, it } from 'vitest';
import {
  answersIn,
  BUDI,
  CAROUSEL,
  filesIn,
  GROUP,
  ORIGINAL,
  openStage,
  REEL,
  SARI,
  SILENT,
  sha256Of,
  WATCH,
} from './stage.ts';

const uploads = <Call extends { readonly files: readonly unknown[] }>(calls: readonly Call[]) =>
  calls.filter(({ files }) => files.length > 0);

describe('a file that Telegram holds', () => {
  it('is sent again by its id, also after a restart', async () => {
    const { fake, calls, restart } = await openStage();
    fake.message({ from: SARI, text: REEL });
    const first = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    fake.message({ from: BUDI, text: REEL });
    const second = await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    await restart();
    fake.message({ chat: GROUP, from: BUDI, text: REEL });
    const third = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect([second.file?.fileId, third.file?.fileId]).toEqual([first.file?.fileId, first.file?.fileId]);
    expect(uploads(calls('sendVideo'))).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('is uploaded once when two chats ask at the same time', async () => {
    const { fake, calls } = await openStage();
    fake.fault({ method: 'sendVideo', when: ({ files }) => files.length > 0, delayMs: 150 });
    fake.message({ from: SARI, text: REEL });
    fake.message({ from: BUDI, text: REEL });
    const [one, two] = await fake.waitFor(() => {
      const both = [answersIn(fake, SARI.id)[0], answersIn(fake, BUDI.id)[0]];
      return both.every(each => each !== undefined) ? both : undefined;
    });
    expect(one?.file?.fileId).toBe(two?.file?.fileId);
    expect(uploads(calls('sendVideo'))).toHaveLength(1);
  });

  it('is uploaded anew when its id is refused', async () => {
    const { fake, calls } = await openStage();
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    fake.forgetFiles();
    fake.message({ from: BUDI, text: REEL });
    const again = await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    expect(again.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(uploads(calls('sendVideo'))).toHaveLength(2);
    fake.message({ chat: GROUP, from: BUDI, text: REEL });
    expect((await fake.waitFor(() => answersIn(fake, GROUP.id)[0])).file?.fileId).toBe(again.file?.fileId);
  });

  it('is remembered as what Telegram made of it: a silent film is an animation', async () => {
    const { fake, calls } = await openStage({
      telegram: { isSilent: ({ sha256 }) => sha256 === sha256Of('silent-540.mp4') },
    });
    fake.message({ from: SARI, text: SILENT });
    const first = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(first.file?.kind).toBe('animation');
    fake.message({ from: BUDI, text: SILENT });
    const second = await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    expect(second.file?.fileId).toBe(first.file?.fileId);
    expect(calls('sendAnimation')).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('takes a whole album by ids, and uploads only what was forgotten', async () => {
    const { fake, calls } = await openStage();
    fake.message({ from: SARI, text: CAROUSEL });
    const first = await fake.waitFor(() => filesIn(fake, SARI.id, 5));
    fake.message({ from: BUDI, text: CAROUSEL });
    await fake.waitFor(() => answersIn(fake, BUDI.id)[4]);
    expect(uploads(calls('sendMediaGroup'))).toHaveLength(1);
    fake.forgetFiles(first[1]?.file?.fileId);
    fake.message({ chat: GROUP, from: BUDI, text: CAROUSEL });
    const third = await fake.waitFor(() => filesIn(fake, GROUP.id, 5));
    expect(third.map(({ file }) => file?.sha256)).toEqual(first.map(({ file }) => file?.sha256));
    expect(fake.problems).toEqual([]);
  });
});

describe('an uploaded film', () => {
  it('has a small picture and its shape, also in an album', async () => {
    const { fake, calls } = await openStage();
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const [film] = uploads(calls('sendVideo'));
    expect(film).toMatchObject({ params: { width: 720, height: 1280, duration: 8, supports_streaming: true } });
    expect(film?.files).toHaveLength(2);
    fake.message({ from: SARI, text: CAROUSEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[5]);
    const [album] = uploads(calls('sendMediaGroup'));
    expect(JSON.stringify(album?.params.media)).toContain('thumbnail');
    expect(fake.problems).toEqual([]);
  });
});

describe('a file that Telegram may fetch', () => {
  it('is not uploaded at all', async () => {
    const { fake, calls } = await openStage({ canFetch: true });
    fake.message({ from: SARI, text: REEL });
    fake.message({ from: BUDI, text: CAROUSEL });
    const film = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await fake.waitFor(() => answersIn(fake, BUDI.id)[4]);
    expect(film.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(uploads(calls(/^send/))).toEqual([]);
    expect(fake.problems).toEqual([]);
  });

  it('is uploaded when Telegram cannot get it', async () => {
    const { fake, calls } = await openStage();
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(calls('sendVideo').map(({ multipart }) => multipart)).toEqual([false, true]);
  });
});

describe('a file that is too large', () => {
  it('gives way to the next smaller', async () => {
    const { fake, calls } = await openStage();
    fake.fault({
      method: 'sendVideo',
      when: ({ files }) => files.length > 0,
      errorCode: 413,
      description: 'Request Entity Too Large',
    });
    fake.message({ from: SARI, text: WATCH });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.file?.sha256).toBe(sha256Of('sea-360.mp4'));
    expect(uploads(calls('sendVideo'))).toHaveLength(2);
    expect(fake.problems).toEqual([]);
  });

  it('says that it is smaller and where the whole one is, each time and in their language', async () => {
    const page = 'https://medley.example/v/abc';
    const addresses = { file: () => 'https://medley.example/media/abc', page: () => page };
    const { fake, calls } = await openStage({ addresses, limits: { upload: 120_000, localUpload: 120_000 } });
    const isNoted = ({ caption, entities }: { caption?: string | undefined; entities?: unknown }) =>
      caption?.endsWith('Made smaller to fit here: 0.1 MB. Play the whole video') === true &&
      JSON.stringify(entities).includes(page);
    fake.message({ from: SARI, text: WATCH });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.file?.sha256).toBe(sha256Of('sea-360.mp4'));
    expect(isNoted(answer)).toBe(true);
    fake.message({ from: BUDI, text: WATCH });
    const second = await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    expect(second.file?.fileId).toBe(answer.file?.fileId);
    expect(second.caption).toMatch(/Diperkecil agar muat di sini: 0,1 MB\. Putar video utuhnya$/);
    expect(uploads(calls('sendVideo'))).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('says nothing of the kind where the best fits', async () => {
    const { fake } = await openStage();
    fake.message({ from: SARI, text: WATCH });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.caption).not.toContain('smaller');
  });

  it('is a link when every size was refused', async () => {
    const { fake } = await openStage();
    fake.fault({ method: 'sendVideo', errorCode: 413, description: 'Request Entity Too Large', times: 99 });
    fake.message({ from: SARI, text: REEL });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.text).toContain('too large for me to send');
    expect(answer.text).toContain('The lamp turns');
    expect(answer.replyMarkup).toMatchObject({ inline_keyboard: [[{ url: ORIGINAL }]] });
    expect(fake.problems).toEqual([]);
  });

  it('is a player where people can reach Medley: the address of its page, shown large', async () => {
    const page = 'https://medley.example/v/abc';
    const addresses = { file: () => 'https://medley.example/media/abc', page: () => page };
    const { fake, calls } = await openStage({ addresses, limits: { upload: 10_000, localUpload: 10_000 } });
    fake.message({ from: SARI, text: REEL });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.text).toContain('too large for this chat');
    expect(answer.text).toContain(page);
    expect(calls('sendMessage').at(-1)?.params.link_preview_options).toMatchObject({
      ...{ url: page, prefer_large_media: true },
    });
    expect(fake.problems).toEqual([]);
  });

  it('is never uploaded beyond the limit', async () => {
    const { fake } = await openStage({ limits: { upload: 100_000, localUpload: 100_000 } });
    fake.message({ from: SARI, text: WATCH });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.file?.bytes ?? 0).toBeLessThanOrEqual(100_000);
    expect(fake.problems).toEqual([]);
  });

  it('parts an album whose files are too large for one request', async () => {
    const { fake } = await openStage({ limits: { localUpload: 200_000 } });
    fake.message({ from: SARI, text: CAROUSEL });
    const files = await fake.waitFor(() => filesIn(fake, SARI.id, 5));
    expect(files.filter(({ caption }) => caption !== undefined)).toHaveLength(1);
    const perRequest = fake.requests.map(({ files: sent }) => sent.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(Math.max(...perRequest)).toBeLessThanOrEqual(200_000);
    expect(fake.problems).toEqual([]);
  });
});

describe('a chat that takes no files', () => {
  it('gets the words and the link', async () => {
    const { fake } = await openStage();
    fake.fault({
      method: 'sendVideo',
      errorCode: 400,
      description: 'Bad Request: not enough rights to send videos to the chat',
      times: 9,
    });
    fake.message({ chat: GROUP, from: SARI, text: REEL });
    const answer = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(answer.text).toContain('does not let me send photos or videos');
    expect(answer.replyMarkup).toMatchObject({ inline_keyboard: [[{ url: ORIGINAL }]] });
  });
});

describe('a post whose file cannot be had', () => {
  it('is a calm sentence and a link', async () => {
    const { fake, sandbox } = await openStage();
    sandbox.faults.set('cdn', 'status:404');
    fake.message({ from: SARI, text: REEL });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.text).toContain('is not answering right now');
    expect(fake.problems).toEqual([]);
  });
});
