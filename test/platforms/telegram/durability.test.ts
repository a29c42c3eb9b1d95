import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { createFileDelivery } from '../../fakes/file-delivery.ts';
import type { TelegramRequest } from '../../fakes/telegram/call.ts';
import { answersIn, BUDI, CAROUSEL, GROUP, openStage, PHOTO, REEL, SARI } from './stage.ts';

const UNSURE = createTranslator(['en']).messages.requests.unsure;
const NO_MERCY = { runtime: { drainMs: 0 } };

describe('a process that ends in the middle', () => {
  it.each(['restart', 'crash'] as const)('by a %s leaves what it had not begun to send to the next', async end => {
    const stage = await openStage(NO_MERCY);
    const { fake, sandbox } = stage;
    sandbox.faults.set('instagram.*', 'hang');
    fake.message({ from: SARI, text: `${REEL} ${PHOTO}` });
    fake.message({ from: BUDI, text: `/download ${CAROUSEL} item:2` });
    await fake.waitFor(() =>
      sandbox.requests.filter(({ host }) => host.includes('instagram')).length >= 3 ? true : undefined,
    );
    sandbox.faults.clear();
    await stage[end]();
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    expect(
      answersIn(fake, SARI.id)
        .map(({ file, replyTo }) => [file?.kind, replyTo])
        .toSorted(),
    ).toEqual([
      ['photo', 1],
      ['video', 1],
    ]);
    expect(answersIn(fake, BUDI.id).map(({ file }) => file?.kind)).toEqual(['video']);
    await stage.settled();
    expect(fake.problems).toEqual([]);
  });

  it('leaves what Telegram refused to the next as well', async () => {
    const { fake, sandbox, restart } = await openStage(NO_MERCY);
    sandbox.faults.set('cdn', 'hang');
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => sandbox.count('cdn') || undefined);
    expect(fake.requests.filter(({ method }) => method === 'sendVideo')).toHaveLength(1);
    sandbox.faults.clear();
    await restart();
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answersIn(fake, SARI.id).map(({ file }) => file?.kind)).toEqual(['video']);
  });

  it('leaves what it was told to wait with to the next, which waits as long', async () => {
    const { fake, calls, restart, queue } = await openStage({ ...NO_MERCY, canFetch: true });
    const description = 'Too Many Requests: retry after 2';
    fake.fault({ method: 'sendPhoto', errorCode: 429, description, parameters: { retry_after: 2 } });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => calls('sendPhoto')[0]);
    await expect.poll(() => queue.stats()).toMatchObject({ waiting: 1, running: 0 });
    await restart();
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const [first, second] = calls('sendPhoto');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
    expect(answersIn(fake, SARI.id)).toHaveLength(1);
  });

  it.each(['restart', 'crash'] as const)('by a %s never repeats what may have arrived, but says so once', async end => {
    const stage = await openStage(NO_MERCY);
    const { fake } = stage;
    fake.fault({ method: 'sendVideo', when: ({ files }) => files.length > 0, afterSend: true, hang: true });
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await stage[end]();
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    await stage.settled();
    expect(answersIn(fake, SARI.id).map(({ file, text }) => file?.kind ?? text)).toEqual(['video', UNSURE]);
  });

  it('goes on behind the files of an album that stand already', async () => {
    const stage = await openStage({ ...NO_MERCY, limits: { localUpload: 200_000 } });
    const { fake, calls } = stage;
    const uploads = () => calls(/^send/).filter(({ files }) => files.length > 0);
    let held = 0;
    // What comes after the first upload waits until the process is gone.
    fake.fault({
      method: /^send(?!ChatAction)/,
      when: ({ files }) => files.length > 0 && ++held > 1,
      errorCode: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    fake.message({ from: SARI, text: CAROUSEL });
    await fake.waitFor(() => (uploads().length === 2 ? true : undefined));
    await expect.poll(() => stage.queue.stats()).toMatchObject({ waiting: 1, running: 0 });
    expect(answersIn(fake, SARI.id).length).toBeGreaterThan(0);
    await stage.restart();
    await stage.settled();
    const files = answersIn(fake, SARI.id).filter(({ file }) => file !== undefined);
    expect(files).toHaveLength(5);
    expect(new Set(files.map(({ file }) => file?.sha256)).size).toBe(5);
    expect(answersIn(fake, SARI.id).filter(({ caption }) => caption !== undefined)).toHaveLength(1);
  });

  it('keeps names of requests that name no person, since they outlive what is forgotten', async () => {
    const names: string[] = [];
    const { fake, settled } = await openStage({
      queueOver: queue => ({
        ...queue,
        add(entry) {
          names.push(entry.id);
          return queue.add(entry);
        },
      }),
    });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await settled();
    expect(names).toEqual([expect.stringMatching(/^telegram:[\w-]{22}$/)]);
    expect(names[0]).not.toContain(`${SARI.id}`);
  });

  it('has nothing left when all was answered', async () => {
    const { fake, settled, outcomes } = await openStage();
    fake.message({ from: SARI, text: `${REEL} ${PHOTO}` });
    fake.message({ from: BUDI, text: `/download ${PHOTO}` });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    await settled();
    expect(outcomes).toEqual(['answered', 'answered']);
  });
});

describe('an upload', () => {
  const VIDEO_BYTES = 24 * 1024 * 1024;
  const large = {
    ...NO_MERCY,
    delivery: (folder: string) => createFileDelivery(folder, new Set(), () => [VIDEO_BYTES]),
  };

  it('that a stop cuts in its middle is made again by the next process, and nothing is said about it', async () => {
    const { fake, gate, restart, settled, outcomes } = await openStage(large);
    gate.stall();
    fake.message({ from: SARI, text: REEL });
    // Long enough for as much of it to leave as fits into the buffers on the way.
    await pause(1_500);
    expect(outcomes).toEqual([]);
    await gate.open();
    await restart();
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await settled();
    expect(answersIn(fake, SARI.id).map(({ file, text }) => file?.bytes ?? text)).toEqual([VIDEO_BYTES]);
  });
});

describe('stopping', () => {
  it('lets a running upload arrive', async () => {
    const { fake, runtime } = await openStage({ runtime: { drainMs: 30_000 } });
    const isUpload = ({ files }: TelegramRequest) => files.length > 0;
    fake.fault({ method: 'sendPhoto', when: isUpload, delayMs: 300 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => fake.requests.find(isUpload));
    await runtime.stop();
    expect(answersIn(fake, SARI.id).map(({ file }) => file?.kind)).toEqual(['photo']);
  });

  it('ends within its time although Telegram hangs, and may be asked twice', async () => {
    const { fake, runtime } = await openStage({ runtime: { drainMs: 200 } });
    fake.fault({ method: 'sendPhoto', hang: true, times: 9 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => fake.requests.find(({ method }) => method === 'sendPhoto'));
    const since = Date.now();
    await Promise.all([runtime.stop(), runtime.stop()]);
    expect(Date.now() - since).toBeLessThan(20_000);
  });
});

describe('a Telegram that fails', () => {
  it('is waited for when it is asked too fast', async () => {
    const { fake, calls } = await openStage();
    fake.fault({
      method: 'sendPhoto',
      errorCode: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    fake.message({ from: SARI, text: PHOTO });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.file?.kind).toBe('photo');
    const [first, second] = calls('sendPhoto');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(fake.problems).toEqual([]);
  });

  it.each([
    ['answers 502 after it sent', { errorCode: 502, description: 'Bad Gateway', afterSend: true }],
    ['breaks off after it sent', { drop: true, afterSend: true }],
  ])('and %s gets the file once, and a calm word', async (_, fault) => {
    const { fake, calls, settled, outcomes } = await openStage({ canFetch: true });
    fake.fault({ method: 'sendPhoto', ...fault });
    fake.message({ from: SARI, text: PHOTO });
    const word = await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    expect(word.text).toBe(UNSURE);
    await settled();
    expect(calls('sendPhoto')).toHaveLength(1);
    expect(answersIn(fake, SARI.id)).toHaveLength(2);
    expect(outcomes).toEqual(['unsure']);
  });

  it('keeps the other links of the message from nothing', async () => {
    const { fake } = await openStage({ canFetch: true });
    fake.fault({ method: 'sendVideo', errorCode: 500, description: 'Internal Server Error', times: 9 });
    fake.message({ from: SARI, text: `${REEL} ${PHOTO}` });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    const [word, photo] = answersIn(fake, SARI.id);
    expect(word?.text).toBe(UNSURE);
    expect(photo?.file?.kind).toBe('photo');
  });

  it('and lets Medley say nothing in a group is left in peace', async () => {
    const { fake, calls, log, outcomes } = await openStage({ canFetch: true });
    fake.setMember(GROUP.id, fake.botId, 'restricted', { can_send_messages: false, can_send_photos: false });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => outcomes[0]);
    expect(outcomes).toEqual(['gone']);
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(
      calls(/^send(?!ChatAction)/).filter(({ params }) => `${params.chat_id}` === `${GROUP.id}`).length,
    ).toBeLessThan(3);
    expect(log.at('error')).toEqual([]);
  });

  it('and has blocked Medley is left in peace', async () => {
    const { fake, calls, log, outcomes } = await openStage();
    fake.setMember(SARI.id, fake.botId, 'kicked');
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => outcomes[0]);
    expect(outcomes).toEqual(['gone']);
    expect(calls(/^send(?!ChatAction)/)).toHaveLength(1);
    expect(log.at('error')).toEqual([]);
  });

  it('never sees words or tokens in the log', async () => {
    const { fake, log, outcomes } = await openStage();
    fake.fault({ method: /^send/, errorCode: 400, description: 'Bad Request: chat not found', times: 9 });
    fake.message({ from: SARI, text: `my secret words ${PHOTO}` });
    await fake.waitFor(() => outcomes[0]);
    const written = log.lines
      .map(({ details, message }) => `${message} ${Object.values(details).map(String).join(' ')}`)
      .join('\n');
    expect(written).toContain('chat not found');
    expect(written).not.toContain('secret words');
    expect(written).not.toContain(fake.token.split(':')[1]);
  });
});
