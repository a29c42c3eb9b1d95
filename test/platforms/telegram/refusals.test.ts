import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { answersIn, BUDI, CAROUSEL, GROUP, openStage, PHOTO, REEL, SARI, type Stage } from './stage.ts';

/** Longer than it takes until a request that was put back would come again, twice. */
const AFTERWARDS_MS = 2_500;

/** What stands in the chat when all is over, and stays so. */
async function whatIsSaid({ fake, settled, calls }: Stage, chat: number): Promise<readonly string[]> {
  await fake.waitFor(() => answersIn(fake, chat)[0]);
  await settled();
  const made = calls(/^send(?!ChatAction)/).length;
  await pause(AFTERWARDS_MS);
  expect(calls(/^send(?!ChatAction)/)).toHaveLength(made);
  return answersIn(fake, chat).map(({ text = '', file }) => file?.kind ?? text);
}

describe('a post whose files are refused', () => {
  it('is one sentence and the link where its file cannot be had', async () => {
    const stage = await openStage();
    stage.sandbox.faults.set('cdn', 'status:404');
    stage.fake.message({ chat: GROUP, from: SARI, text: REEL });
    const said = await whatIsSaid(stage, GROUP.id);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('is not answering right now');
    expect(stage.outcomes).toEqual(['answered']);
    expect(stage.calls('sendVideo').length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['sendVideo', REEL, 'Bad Request: not enough rights to send videos to the chat'],
    ['sendPhoto', PHOTO, 'Bad Request: not enough rights to send photos to the chat'],
    ['sendVideo', REEL, 'Bad Request: CHAT_SEND_MEDIA_FORBIDDEN'],
    ['sendMediaGroup', CAROUSEL, 'Bad Request: CHAT_SEND_PHOTOS_FORBIDDEN'],
  ])('is one sentence and the link where %s is not allowed', async (method, link, description) => {
    const stage = await openStage();
    stage.fake.fault({ method, errorCode: 400, description, times: 99 });
    stage.fake.message({ chat: GROUP, from: SARI, text: link });
    const said = await whatIsSaid(stage, GROUP.id);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('does not let me send photos or videos');
    expect(stage.calls(method)).toHaveLength(1);
  });

  it.each([
    [413, 'Request Entity Too Large'],
    [400, 'Bad Request: wrong file identifier/HTTP URL specified'],
    [400, 'Bad Request: failed to get HTTP URL content'],
    [400, 'Bad Request: wrong type of the web page content'],
  ])('is one sentence and the link after %i %s, without a second round of uploads', async (errorCode, description) => {
    const stage = await openStage();
    stage.fake.fault({ method: 'sendVideo', errorCode, description, times: 99 });
    stage.fake.message({ chat: GROUP, from: SARI, text: REEL });
    const said = await whatIsSaid(stage, GROUP.id);
    expect(said).toHaveLength(1);
    expect(stage.calls('sendVideo').length).toBeLessThanOrEqual(4);
    expect(stage.outcomes).toEqual(['answered']);
  });

  it('uses up nothing of its group: a good link beside it comes at once', async () => {
    const stage = await openStage();
    const { fake, calls } = stage;
    const description = 'Bad Request: wrong type of the web page content';
    fake.fault({ method: 'sendMediaGroup', errorCode: 400, description, times: 999 });
    const since = Date.now();
    for (let n = 0; n < 4; n += 1) fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    fake.message({ chat: GROUP, from: BUDI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id).find(({ file }) => file?.kind === 'photo'));
    await stage.settled();
    expect(Date.now() - since).toBeLessThan(30_000);
    const words = answersIn(fake, GROUP.id).filter(({ file }) => file === undefined);
    expect(words).toHaveLength(4);
    // One album has five files, none of which is tried for ever.
    expect(calls('sendMediaGroup').length).toBeLessThanOrEqual(4 * 8);
  });

  it('is one sentence when Telegram refuses one file of an album after the other', async () => {
    const stage = await openStage();
    const description = (place: number) => `Bad Request: failed to send message #${place} with the error message "X"`;
    for (let n = 0; n < 99; n += 1)
      stage.fake.fault({
        method: /^send(?!Message|ChatAction)/,
        errorCode: 400,
        description: description((n % 3) + 1),
      });
    stage.fake.message({ from: SARI, text: CAROUSEL });
    const said = await whatIsSaid(stage, SARI.id);
    expect(said).toHaveLength(1);
    expect(JSON.stringify(answersIn(stage.fake, SARI.id)[0]?.replyMarkup)).toContain('DWlightkeep');
    expect(stage.calls(/^send(?!Message|ChatAction)/).length).toBeLessThanOrEqual(6);
  });
});
