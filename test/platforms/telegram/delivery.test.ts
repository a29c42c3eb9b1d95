import { describe, expect, it } from 'vitest';
import { answersIn, GROUP, openStage, REEL, SARI, sha256Of } from './stage.ts';

describe('a reel, pasted', () => {
  it('arrives in a private chat: the bytes of its best film, once, in a valid request', async () => {
    const { fake, calls } = await openStage();
    const asked = fake.message({ from: SARI, text: `look ${REEL} !` });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(answer.replyTo).toBe(asked);
    expect(answer.about).toMatchObject({ width: 720, height: 1280, duration: 8, supports_streaming: true });
    expect(calls('sendVideo')).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('arrives in a group', async () => {
    const { fake } = await openStage();
    fake.message({ chat: GROUP, from: SARI, text: REEL });
    const answer = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(answer.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(fake.problems).toEqual([]);
  });
});
