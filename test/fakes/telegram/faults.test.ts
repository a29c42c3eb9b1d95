import { describe, expect, it } from 'vitest';
import { ALI, botOf, FILM, launch, refusal, start } from './rehearsal.ts';

describe('faults', () => {
  it('answer 429 with the time to wait, as often as told', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const parameters = { retry_after: 7 };
    const description = 'Too Many Requests: retry after 7';
    fake.fault({ method: 'sendVideo', errorCode: 429, description, parameters, times: 2 });
    await telegram.sendMessage(ALI.id, 'another method');
    for (const _time of [1, 2]) {
      const error = await telegram.sendVideo(ALI.id, FILM).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ response: { error_code: 429, description, parameters } });
    }
    await telegram.sendVideo(ALI.id, FILM);
    expect(fake.messages.size).toBe(2);
    expect(fake.requests).toHaveLength(4);
    expect(fake.problems).toEqual([]);
  });

  it('choose by the request, and may fail after the deed', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    fake.fault({
      method: /^send/,
      when: ({ params }) => params.text === 'two',
      errorCode: 502,
      description: 'Bad Gateway',
      afterSend: true,
    });
    await telegram.sendMessage(ALI.id, 'one');
    expect(await refusal(telegram.sendMessage(ALI.id, 'two'))).toBe('502 Bad Gateway');
    expect([...fake.messages.values()].map(({ text }) => text)).toEqual(['one', 'two']);
  });

  it('hang, cut and delay', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    fake.fault({ method: 'sendMessage', drop: true });
    expect(await refusal(telegram.sendMessage(ALI.id, 'cut'))).toContain('FetchError');
    fake.fault({ method: 'sendMessage', hang: true });
    const hanging = refusal(telegram.sendMessage(ALI.id, 'hangs'));
    await fake.waitFor(() => fake.requests.find(({ params }) => params.text === 'hangs'));
    fake.fault({ method: 'sendMessage', delayMs: 20 });
    await telegram.sendMessage(ALI.id, 'delayed');
    expect([...fake.messages.values()].map(({ text }) => text)).toEqual(['delayed']);
    await fake.close();
    expect(await hanging).toContain('FetchError');
  });

  it('meet polling too', async () => {
    const fake = await start();
    fake.fault({ method: 'getUpdates', errorCode: 409, description: 'Conflict' });
    const over = botOf(fake)
      .launch()
      .catch((thrown: unknown) => thrown);
    expect(await over).toMatchObject({ response: { error_code: 409 } });
    const again = await launch(fake, botOf(fake));
    fake.fault({ method: 'getUpdates', errorCode: 401, description: 'Unauthorized' });
    fake.message({ from: ALI, text: 'wakes the poll' });
    expect(await again.over).toMatchObject({ response: { error_code: 401 } });
  });
});

describe('waitFor', () => {
  it('gives up and tells the problems', async () => {
    const fake = await start();
    await expect(fake.waitFor(() => undefined, 10)).rejects.toThrow('nothing came in 10 ms; problems: none');
  });
});
