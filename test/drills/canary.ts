import { BUDI, openChats, SARI } from '../end-to-end/chats.ts';
import { ask } from './bystander.ts';
import type { Drill } from './drill.ts';

/** What the program takes for stand-ins on this machine. */
const INTERVAL_MS = 4_000;
const DISCORD_OWNER = '80351110224678912';

export const canaryDrill: Drill = {
  name: 'canary',
  about: 'one way of asking a site breaks and is mended; the owners are told',
  async run(say) {
    const chats = await openChats({
      environment: { CANARY: 'on', OWNER_IDS: `telegram:${SARI.id},discord:${DISCORD_OWNER}` },
    });
    try {
      const medley = await chats.start();
      const origin = (await medley.ready).replace(/\/$/, '');
      const toTelegram = () =>
        [...chats.telegram.messages.values()].filter(({ byBot, chatId }) => byBot && chatId === SARI.id).length;
      const toOthers = () =>
        [...chats.telegram.messages.values()].filter(({ byBot, chatId }) => byBot && chatId === BUDI.id).length;
      const toDiscord = () => [...chats.discord.messages.values()].filter(({ own }) => own).length;
      const until = async (told: number, limitMs: number) => {
        const startedAt = performance.now();
        while (performance.now() - startedAt < limitMs && (toTelegram() < told || toDiscord() < told))
          await new Promise(resolve => setTimeout(resolve, 50));
        return performance.now() - startedAt;
      };
      // Long enough for each to have worked once.
      await new Promise(resolve => setTimeout(resolve, 2 * INTERVAL_MS));
      chats.sandbox.faults.set('instagram.embed', 'status:500');
      const brokenMs = await until(1, 6 * INTERVAL_MS);
      await new Promise(resolve => setTimeout(resolve, 2 * INTERVAL_MS));
      say(
        `broken: told after ${(brokenMs / INTERVAL_MS).toFixed(1)} intervals; Telegram ${toTelegram()}, Discord ${toDiscord()}, others ${toOthers()}`,
      );
      const { body } = await ask(`${origin}/readyz`);
      say(`/readyz ${/"reasons":.*/.exec(body)?.[0] ?? body}`);
      const isOnce = toTelegram() === 1 && toDiscord() === 1;
      chats.sandbox.faults.clear();
      const backMs = await until(2, 6 * INTERVAL_MS);
      await new Promise(resolve => setTimeout(resolve, 2 * INTERVAL_MS));
      say(
        `mended: told after ${(backMs / INTERVAL_MS).toFixed(1)} intervals; Telegram ${toTelegram()}, Discord ${toDiscord()}`,
      );
      for (const { byBot, text } of chats.telegram.messages.values()) if (byBot) say(`  ${text ?? ''}`);
      // Give or take the jitter of a fifth.
      const isInTime = brokenMs <= 3.6 * INTERVAL_MS;
      return isOnce && isInTime && body.includes('embed/crawler') && toTelegram() === 2 && toDiscord() === 2;
    } finally {
      await chats.close();
    }
  },
};
