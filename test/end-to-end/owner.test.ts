import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUDI, type Chats, openChats, PHOTO, REEL, SARI } from './chats.ts';
import type { Program } from './program.ts';

const DISCORD_OWNER = '80351110224678912';

let chats: Chats;
let medley: Program;

beforeAll(async () => {
  chats = await openChats({ environment: { OWNER_IDS: `telegram:${SARI.id},discord:${DISCORD_OWNER}` } });
  medley = await chats.start();
});

afterAll(async () => {
  await chats?.close();
});

const toTelegram = (chat: number) =>
  [...chats.telegram.messages.values()].filter(({ byBot, chatId }) => byBot && chatId === chat);

/** The next answer in that person's private chat. */
async function told(from: typeof SARI, text: string): Promise<string> {
  const before = toTelegram(from.id).length;
  chats.telegram.message({ from, text });
  await chats.telegram.waitFor(() => (toTelegram(from.id).length > before ? true : undefined));
  return JSON.stringify(toTelegram(from.id).slice(before));
}

describe('an owner', () => {
  it('asks how Medley does, on Telegram and on Discord, and nobody else can', async () => {
    const status = await told(SARI, '/owner status');
    for (const part of ['Medley', process.version, 'MiB', '1 running', 'telegram', 'connected', 'embed/crawler'])
      expect(status).toContain(part);
    expect(await told(BUDI, '/owner status')).toContain('I do not know /owner');

    chats.discord.message({ authorId: DISCORD_OWNER, content: '/owner blocked' });
    const said = await chats.discord.waitFor(
      () => [...chats.discord.messages.values()].find(message => message.own),
      10_000,
    );
    expect(JSON.stringify(said)).toContain('Nothing is blocked.');
  });

  it('blocks a link and a person, also over a restart, and takes it back', async () => {
    expect(await told(SARI, `/owner block link ${PHOTO}`)).toContain('Blocked: link instagram:');
    expect(await told(BUDI, PHOTO)).toContain('That post is not shown here');
    await told(SARI, `/owner block person telegram:${BUDI.id}`);
    // A kill could come before the last answer is written down as sent, and the next process would ask about it.
    medley.child.kill('SIGTERM');
    expect(await medley.ended).toBe(0);
    medley = await chats.start();
    const before = toTelegram(BUDI.id).length;
    chats.telegram.message({ from: BUDI, text: REEL });
    expect(await told(SARI, '/owner blocked')).toContain(`telegram:${BUDI.id}`);
    expect(toTelegram(BUDI.id)).toHaveLength(before);
    await told(SARI, `/owner unblock person telegram:${BUDI.id}`);
    expect(await told(BUDI, '/help more')).toContain('/privacy');
  });

  it('blocks a group, also when it has become a supergroup', async () => {
    const [before, after] = [-4_700, -1_004_700];
    const group = (id: number, type: 'group' | 'supergroup') => ({ id, type, title: 'Harbour walks' });
    const help = (chat: ReturnType<typeof group>) =>
      chats.telegram.message({ from: BUDI, chat, text: `/help@${chats.telegram.username}` });
    await told(SARI, `/owner block chat telegram:${before}`);
    help(group(before, 'group'));
    chats.telegram.migrate(before, after);
    help(group(after, 'supergroup'));
    await expect.poll(() => told(SARI, '/owner blocked'), { timeout: 10_000 }).toContain(`telegram:${after}`);
    expect([...toTelegram(before), ...toTelegram(after)]).toEqual([]);
    await told(SARI, `/owner unblock chat telegram:${after}`);
    expect(await told(SARI, '/owner blocked')).not.toContain(`telegram:${before}`);
    help(group(after, 'supergroup'));
    await chats.telegram.waitFor(() => toTelegram(after)[0]);
  });

  it('is told what failed', async () => {
    chats.sandbox.faults.set('instagram.*', 'status:500');
    await told(BUDI, 'https://www.instagram.com/p/DXneverseen1/');
    chats.sandbox.faults.clear();
    expect(await told(SARI, '/owner logs')).toMatch(/a request failed: upstream_unavailable/);
  });
});
