/** A player signs in at osu!: asked for in a chat, opened in a browser, each served by another process of the built program. */
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRedisServer, redisMissing, redisNote } from '../redis-server.ts';
import { SANDBOX_OSU } from '../sandbox/osu.ts';
import { liveTokens } from '../sandbox/osu-sign-in.ts';
import { type Chats, openChats, SARI } from './chats.ts';
import { startProgram } from './program.ts';

const PUBLIC_URL = 'https://medley.example';

async function said({ telegram }: Chats, text: string) {
  const answers = () =>
    [...telegram.messages.values()].filter(({ byBot, chatId, deleted }) => byBot && chatId === SARI.id && !deleted);
  const before = new Set(answers());
  telegram.message({ from: SARI, text });
  return telegram.waitFor(() => answers().find(message => !before.has(message)));
}

describe.skipIf(redisMissing)(`linking over two processes${redisNote}`, () => {
  it('gives the mark to the person who asked, once', async () => {
    const redis = await createRedisServer();
    await redis.start();
    onTestFinished(() => redis.stop());
    const environment = {
      PUBLIC_URL,
      TRUST_PROXY: 'loopback',
      REDIS_URL: redis.url,
      OSU_CLIENT_ID: String(SANDBOX_OSU.clientId),
      OSU_CLIENT_SECRET: SANDBOX_OSU.clientSecret,
    };
    const chats = await openChats({ environment: { ...environment, ROLES: 'gateway,worker' } });
    onTestFinished(() => chats.close());
    const { sandbox } = chats;
    await chats.start();
    const web = await startProgram({ ...environment, ROLES: 'web', UPSTREAM_OVERRIDES: sandbox.overrides });
    onTestFinished(() => web.kill());
    const origin = (await web.ready).replace(/\/$/, '');

    /** As a browser asks, by the public name. */
    async function browse(address: string, method: 'GET' | 'POST' = 'GET', cookie = '') {
      const { pathname, search } = new URL(address, PUBLIC_URL);
      const { statusCode, headers, body } = await request(origin + pathname + search, {
        method,
        headers: {
          host: 'medley.example',
          ...(cookie !== '' && { cookie }),
          ...(method === 'POST' && { origin: PUBLIC_URL, 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(method === 'POST' && { body: '' }),
      });
      return { statusCode, headers, text: await body.text() };
    }

    const offer = await said(chats, '/osu_link');
    const address = /"url":"(https:\/\/medley\.example\/osu\/link\?state=[^"]+)"/.exec(
      JSON.stringify(offer.replyMarkup),
    )?.[1];
    expect((await browse(address ?? '')).text).toContain('person on Telegram');
    const gone = await browse(address ?? '', 'POST');
    expect(gone.statusCode).toBe(303);
    const osu = new URL(String(gone.headers.location));
    const answer = await request(sandbox.origin + osu.pathname + osu.search, { headers: { host: osu.host } });
    await answer.body.dump();
    const back = String(answer.headers.location);
    const cookie = String(gone.headers['set-cookie']).split(';', 1)[0] ?? '';
    expect((await browse(back)).statusCode).toBe(400);
    const done = await browse(back, 'GET', cookie);
    expect(done.text).toContain('You are lamp post on Telegram now.');
    expect((await browse(back, 'GET', cookie)).statusCode).toBe(400);
    expect(liveTokens(sandbox.beatmaps)).toBe(0);
    // The other process hears of it.
    await pause(300);
    const profile = await said(chats, '/osu_profile');
    expect(`${profile.text ?? ''}${profile.caption ?? ''}`).toMatch(/lamp post.*✓/);
    const code = new URL(back).searchParams.get('code') ?? '';
    expect(web.stderr()).not.toContain(code);
    expect(chats.telegram.problems).toEqual([]);
  });
});
