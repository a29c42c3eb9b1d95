import { describe, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../../src/platforms/platform.ts';
import { examineTelegram, type TelegramExamination } from '../../../src/platforms/telegram/doctor.ts';
import { createFakeTelegram, type FakeTelegram } from '../../fakes/telegram.ts';

const SECRET = 'a-long-word';
const NOW = Date.parse('2026-11-20T12:00:00Z');

async function open(): Promise<FakeTelegram> {
  const fake = await createFakeTelegram();
  onTestFinished(() => fake.close());
  return fake;
}

async function examine(
  { apiUrl, token }: FakeTelegram,
  options: Partial<TelegramExamination> = {},
): Promise<readonly Finding[]> {
  const findings = await examineTelegram({ apiUrl, token, timeoutMs: 30_000, now: () => NOW, ...options });
  expect(JSON.stringify(findings)).not.toContain(options.token ?? token);
  return findings;
}

async function setWebhook({ apiUrl, token }: FakeTelegram, url: string): Promise<void> {
  await fetch(`${apiUrl}bot${token}/setWebhook?${new URLSearchParams({ url })}`, { method: 'POST' });
}

const about = (findings: readonly Finding[], text: string) => findings.filter(({ what }) => what.includes(text));

describe('examineTelegram', () => {
  it('finds a well-made bot well', async () => {
    const fake = await open();
    const findings = await examine(fake);
    expect(about(findings, `https://t.me/${fake.username}`)).toHaveLength(2);
    expect(about(findings, 'privacy mode is off')[0]?.state).toBe('ok');
    expect(about(findings, 'polled for')[0]?.state).toBe('ok');
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([]);
    expect(fake.requests.map(({ method }) => method)).toEqual(['getMe', 'getWebhookInfo']);
    expect(fake.problems).toEqual([]);
  });

  it('says how to turn on inline feedback, which Telegram does not tell', async () => {
    const [finding] = about(await examine(await open()), 'feedback');
    expect(finding).toMatchObject({ state: 'note', remedy: expect.stringMatching(/\/setinlinefeedback.*100%/) });
  });

  it.each([
    ['can_read_all_group_messages', 'privacy mode is on', '/setprivacy'],
    ['supports_inline_queries', 'inline mode is off', '/setinline'],
    ['can_join_groups', 'cannot be added to groups', '/setjoingroups'],
  ])('says what to send to @BotFather when %s is false', async (field, what, command) => {
    const fake = await open();
    fake.me[field] = false;
    const [finding] = about(await examine(fake), what);
    expect(finding).toMatchObject({ state: 'note', remedy: expect.stringContaining(command) });
  });

  it('sees a webhook in the way of polling, and keeps its path to itself', async () => {
    const fake = await open();
    await setWebhook(fake, 'https://other.example/hidden-path');
    const findings = await examine(fake);
    expect(about(findings, 'other.example')[0]?.state).toBe('note');
    expect(JSON.stringify(findings)).not.toContain('hidden-path');
  });

  it.each([
    ['', 'no webhook is set yet', 'ok'],
    ['https://medley.example/telegram/x', 'the webhook goes to medley.example', 'ok'],
    ['https://other.example/x', 'goes to other.example and not to PUBLIC_URL', 'note'],
  ])('compares the webhook %j with PUBLIC_URL', async (url, what, state) => {
    const fake = await open();
    await setWebhook(fake, url);
    const findings = await examine(fake, { webhookSecret: SECRET, publicUrl: 'https://medley.example' });
    expect(about(findings, what)[0]?.state).toBe(state);
    expect(JSON.stringify(findings)).not.toContain(SECRET);
  });

  it.each([
    [NOW - 60_000, 'wrong'],
    [NOW - 86_400_000, 'note'],
  ])('tells the last failure of the webhook, at %d', async (at, state) => {
    const fake = await open();
    const result = {
      url: 'https://medley.example/telegram/x',
      last_error_date: at / 1_000,
      last_error_message: `Wrong response: 502 at ${fake.token}`,
    };
    const server = await import('node:http').then(({ createServer }) =>
      createServer((request, response) => {
        const answer = request.url?.endsWith('getMe') ? fake.me : result;
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, result: answer }));
      }),
    );
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    const apiUrl = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
    const findings = await examine(fake, { apiUrl, webhookSecret: SECRET, publicUrl: 'https://medley.example' });
    expect(about(findings, 'last failed')).toMatchObject([
      { state, what: expect.stringContaining(`${new Date(at).toISOString()}: Wrong response: 502 at ...`) },
    ]);
  });

  it('says that a token is refused', async () => {
    const fake = await open();
    fake.revokeToken();
    expect(await examine(fake)).toEqual([
      { state: 'wrong', what: 'Telegram refuses the token', remedy: expect.stringContaining('TELEGRAM_TOKEN') },
    ]);
  });

  it.each([
    ['nothing listens', undefined, 'wrong', 'ECONNREFUSED'],
    ['nothing is answered', { hang: true }, 'wrong', 'no answer in time'],
    ['the connection breaks', { drop: true }, 'wrong', 'does not answer as it should'],
    ['it is asked too often', { errorCode: 429, parameters: { retry_after: 30 } }, 'note', 'slow down'],
    ['it has trouble', { errorCode: 502 }, 'note', 'answers 502'],
  ] as const)('has one calm word when %s', async (name, fault, state, word) => {
    const fake = await open();
    if (fault === undefined) await fake.close();
    else fake.fault({ method: 'getMe', times: 9, ...fault });
    const findings = await examine(fake, name === 'nothing is answered' ? { timeoutMs: 500 } : {});
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ state, what: expect.stringContaining(word), remedy: expect.any(String) });
  });
});
