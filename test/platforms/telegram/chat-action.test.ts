import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openHouse } from '../../beatmaps/beatmaps-fixture.ts';
import { answersIn, CAROUSEL, openStage, PHOTO, REEL, SARI, type Stage, type StageOptions } from './stage.ts';

const EVERY_MS = 60;
/** Much longer than the machine may stand still. */
const SLOW_MS = 3_000;

/**
 * The methods in the order in which Telegram got them, actions by their names, and how many actions came after the
 * request was done: one may have been on its way.
 */
async function shown(text: string, options: StageOptions = {}, prepare: (stage: Stage) => void = () => undefined) {
  const stage = await openStage({ limits: { actionEveryMs: EVERY_MS }, ...options });
  const { fake, calls, settled } = stage;
  prepare(stage);
  fake.message({ from: SARI, text });
  await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
  await settled();
  const before = calls('sendChatAction').length;
  await pause(5 * EVERY_MS);
  expect(fake.problems).toEqual([]);
  const sent = calls(/^send/).map(({ method, params }) => (method === 'sendChatAction' ? `${params.action}` : method));
  return { ...stage, sent, after: calls('sendChatAction').length - before };
}

describe('what Medley is seen to do', () => {
  it('is typing for words, as long as they take, and nothing after them', async () => {
    const { beatmaps, sandbox } = await openHouse();
    sandbox.faults.set('osu.*', `delay:${SLOW_MS}`);
    const { sent, after } = await shown('/osu profile lamp post', { beatmaps });
    expect(sent.filter(what => what === 'typing').length).toBeGreaterThan(2);
    expect(sent.some(what => /^send(Message|Photo)$/.test(what))).toBe(true);
    expect(after).toBeLessThan(2);
    expect(sent.filter(what => what === 'upload_video')).toEqual([]);
  });

  it('is a video on its way while one is, and nothing after it', async () => {
    const { sent, after } = await shown(REEL, {}, ({ fake }) => {
      fake.fault({ method: 'sendVideo', when: ({ files }) => files.length > 0, delayMs: SLOW_MS });
    });
    expect(sent[0]).toBe('typing');
    expect(sent.filter(what => what === 'upload_video').length).toBeGreaterThan(2);
    expect(after).toBeLessThan(2);
  });

  it('is a photo on its way for a photo', async () => {
    const { sent, after } = await shown(PHOTO);
    expect(sent).toContain('sendPhoto');
    expect(sent).toContain('upload_photo');
    expect(sent).not.toContain('upload_video');
    expect(after).toBeLessThan(2);
  });

  it('is a video on its way for an album with one', async () => {
    expect((await shown(CAROUSEL)).sent).toContain('upload_video');
  });

  it('is nothing for what is said at once', async () => {
    expect((await shown('/about')).sent).toEqual(['sendMessage']);
  });
});
