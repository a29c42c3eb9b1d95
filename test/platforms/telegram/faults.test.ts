import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Runtime } from '../../../src/bot/runtime/runtime.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { createTelegramPlatform } from '../../../src/platforms/telegram/platform.ts';
import { answersIn, BUDI, GROUP, openStage, PHOTO, SARI, type Stage } from './stage.ts';

const UNSURE = createTranslator(['en']).messages.requests.unsure;
const AWAY_MS = 1_500;
const PEOPLE = Array.from({ length: 6 }, (_, index) => ({ id: 600 + index, first_name: `Person ${index}` }));

/** What stands in each person's chat: kinds of files, or the words. */
function answers({ fake }: Stage, people: readonly { readonly id: number }[] = PEOPLE): readonly string[][] {
  return people.map(({ id }) => answersIn(fake, id).map(({ file, text }) => file?.kind ?? text ?? ''));
}

async function allAnswered(stage: Stage, people: readonly { readonly id: number }[] = PEOPLE): Promise<void> {
  await stage.fake.waitFor(() => (answers(stage, people).every(each => each.length > 0) ? true : undefined));
  await stage.settled();
}

describe('an API that is away', () => {
  it('and refuses connections for a while loses nothing, and nothing comes twice', async () => {
    const stage = await openStage({ canFetch: true });
    const { fake, gate, sandbox } = stage;
    // They are heard, and worked on, when the way is closed.
    sandbox.faults.set('instagram.*', 'delay:300');
    for (const from of PEOPLE) fake.message({ from, text: PHOTO });
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    await gate.refuse();
    await pause(AWAY_MS);
    await gate.open();
    await allAnswered(stage);
    expect(answers(stage)).toEqual(PEOPLE.map(() => ['photo']));
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
  });

  it('and cuts connections for a while loses nothing, nor says anything twice', async () => {
    const stage = await openStage({ canFetch: true });
    const { fake, gate, sandbox } = stage;
    sandbox.faults.set('instagram.*', 'delay:300');
    for (const from of PEOPLE) fake.message({ from, text: PHOTO });
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    gate.cut();
    await pause(AWAY_MS);
    await gate.open();
    await allAnswered(stage);
    // The lost connection for updates was a warning: before anything is sent Telegram is asked whether it is there.
    expect(answers(stage)).toEqual(PEOPLE.map(() => ['photo']));
  });

  it('and answers 503 for a while loses nothing', async () => {
    const stage = await openStage({ canFetch: true });
    const { fake } = stage;
    const until = Date.now() + AWAY_MS;
    const when = () => Date.now() < until;
    fake.fault({ method: /./, when, errorCode: 503, description: 'Service Unavailable', times: 999 });
    for (const from of PEOPLE) fake.message({ from, text: PHOTO });
    await allAnswered(stage);
    expect(answers(stage)).toEqual(PEOPLE.map(() => ['photo']));
  });

  it('when a sentence that something may be missing is due, says it when it is back', async () => {
    const stage = await openStage({ canFetch: true });
    const { fake, gate } = stage;
    fake.fault({ method: 'sendPhoto', afterSend: true, hang: true });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await gate.refuse();
    await pause(AWAY_MS);
    await gate.open();
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    await stage.settled();
    expect(answers(stage, [SARI])).toEqual([['photo', UNSURE]]);
  });
});

describe('a token that is refused once', () => {
  it.each(['sendPhoto', 'sendChatAction', 'getUpdates'])('by %s loses nothing', async method => {
    const stage = await openStage({ canFetch: true });
    const { fake } = stage;
    fake.fault({ method, errorCode: 401, description: 'Unauthorized' });
    for (const from of PEOPLE) fake.message({ from, text: PHOTO });
    await allAnswered(stage);
    expect(answers(stage)).toEqual(PEOPLE.map(() => ['photo']));
    expect(stage.log.at('error')).toEqual([]);
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
  });
});

describe('a process that dies while many are answered', () => {
  it.each([40, 120, 250, 400])('after %i ms leaves an answer, or a sentence, to each', async ms => {
    const stage = await openStage({ canFetch: true });
    const { fake, sandbox } = stage;
    sandbox.faults.set('instagram.*', 'delay:60');
    fake.fault({ method: /^send(?!ChatAction)/, delayMs: 80, times: 99 });
    for (const from of PEOPLE) fake.message({ from, text: PHOTO });
    await pause(ms);
    await stage.crash();
    await allAnswered(stage);
    for (const each of answers(stage)) {
      expect(each.filter(what => what === 'photo').length).toBeLessThanOrEqual(1);
      expect(each.filter(what => what === UNSURE).length).toBeLessThanOrEqual(1);
      expect(each.length).toBeGreaterThan(0);
    }
  });
});

describe('a flood limit', () => {
  const flood = { errorCode: 429, description: 'Too Many Requests: retry after 60', parameters: { retry_after: 60 } };

  it('of thirty-four groups holds neither a worker nor a private chat', async () => {
    const groups = Array.from({ length: 34 }, (_, index) => ({
      id: -1_001_000_001_000 - index,
      type: 'supergroup' as const,
      title: `Group ${index}`,
    }));
    const { fake, calls, queue } = await openStage({ canFetch: true, runtime: { concurrency: 2 } });
    fake.fault({ method: 'sendPhoto', when: ({ params }) => Number(params.chat_id) < 0, ...flood, times: 999 });
    for (const chat of groups) fake.message({ chat, from: SARI, text: PHOTO });
    await fake.waitFor(() => (calls('sendPhoto').length === groups.length ? true : undefined));
    const since = Date.now();
    fake.message({ from: BUDI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    expect(Date.now() - since).toBeLessThan(30_000);
    expect(await queue.stats()).toMatchObject({ waiting: groups.length });
    // None is asked again before its time.
    expect(calls('sendPhoto')).toHaveLength(groups.length + 1);
  });

  it('of a chat keeps what else is asked there from being begun', async () => {
    const { fake, calls, sandbox } = await openStage({ canFetch: true });
    fake.fault({ method: 'sendPhoto', ...flood });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => calls('sendPhoto')[0]);
    const asked = sandbox.requests.length;
    fake.message({ chat: GROUP, from: BUDI, text: 'https://www.instagram.com/reel/DYnightsky7/' });
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    await pause(300);
    expect(sandbox.requests).toHaveLength(asked);
  });
});

describe('twenty links at once', () => {
  it('in twenty messages of one chat are all answered', async () => {
    const stage = await openStage({ canFetch: true });
    for (let n = 0; n < 20; n += 1) stage.fake.message({ from: SARI, text: PHOTO });
    await stage.fake.waitFor(() =>
      answersIn(stage.fake, SARI.id).filter(({ file }) => file !== undefined).length === 20 ? true : undefined,
    );
    await stage.settled();
    expect(new Set(answersIn(stage.fake, SARI.id).flatMap(({ file, replyTo }) => (file ? [replyTo] : []))).size).toBe(
      20,
    );
    expect(stage.fake.problems).toEqual([]);
  });
});

describe('a worker', () => {
  it('answers what another process has heard, by the Bot API alone', async () => {
    const stage = await openStage({ canFetch: true, runtime: { works: false } });
    const { fake, calls } = stage;
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    fake.message({ from: SARI, text: '/settings' });
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    // The menus of three kinds of chat in every language, of which the fake knows none.
    await fake.waitFor(() => calls('setMyCommands')[3 * LANGUAGES.length - 1]);
    await pause(300);
    expect(calls(/^send/)).toEqual([]);
    const heard = fake.requests.length;
    const platform = createTelegramPlatform({
      token: fake.token,
      apiUrl: fake.apiUrl,
      dispatcher: stage.dispatcher,
      delivery: stage.delivery,
      sentFiles: stage.sentFiles,
      settings: stage.settings,
      records: stage.records,
      log: stage.log,
    });
    const { dispatcher, log, queue } = stage;
    const worker = new Runtime({
      ...{ platforms: [platform], dispatcher, log, queue },
      hears: () => false,
      drainMs: 500,
    });
    onTestFinished(() => worker.stop());
    await worker.start();
    const page = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect((await fake.waitFor(() => answersIn(fake, GROUP.id)[0])).file?.kind).toBe('photo');
    const data = /"callback_data":"([^"]*)"/.exec(JSON.stringify(page.replyMarkup))?.[1] ?? '';
    fake.callbackQuery({ data, message: { chatId: SARI.id, messageId: page.messageId }, from: SARI });
    await fake.waitFor(() => (page.edits > 0 ? true : undefined));
    const asked = new Set(fake.requests.slice(heard).map(({ method }) => method));
    expect(asked).toContain('editMessageText');
    await fake.waitFor(() => fake.callbackAnswers.size || undefined);
    expect([...asked].filter(method => /Updates|Webhook|Commands/.test(method))).toEqual([]);
  });
});
