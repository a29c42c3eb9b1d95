/** Recent, compare, leaderboard, simulate, scores filtered, whatif, recommend, ranking, track: on each platform, over the played upstreams. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type BuiltWorker, buildWorker } from '../beatmaps/built-worker.ts';
import type { FakeMessage } from '../fakes/telegram.ts';
import { all, openStage as openDiscord, ownMessages, textOf } from './discord/stage.ts';
import { EVENING, type EveningStep, openEvening, spoken } from './evening.ts';
import { answersIn, BUDI, GROUP, openStage as openTelegram, SARI } from './telegram/stage.ts';
import { connect, wordsOf } from './web/page-client.ts';
import { openStage as openWeb } from './web/stage.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker();
});
afterAll(() => worker.remove());

const SHORT = EVENING.flatMap(step => (step.short === undefined ? [] : [{ ...step, short: step.short }]));
const ADMIN = '300';
const MEMBER = '301';
const QUAY = { id: -1_001_000_000_009, type: 'supergroup', title: 'Quay' } as const;
/** Manage Server. */
const MANAGE = 0x20n;

/** The page says in rows, or draws as a curve of its own, what their cards say. */
const REPEATED = ['osu profile', 'osu scores', 'beatmap recommend'];

describe('an evening of osu!', () => {
  it('on Discord: by commands, then in the words of players', async () => {
    const { services, drawn } = await openEvening(worker.file);
    const stage = await openDiscord({ services });
    onTestFinished(() => stage.close());
    const { fake, guildId } = stage;
    await fake.waitFor(() => fake.commands);

    async function answerTo(step: EveningStep, ask: () => void): Promise<void> {
      const before = new Set(ownMessages(fake));
      ask();
      const answer = await fake.waitFor(
        () => ownMessages(fake).find(message => !before.has(message) && textOf(message) !== ''),
        20_000,
      );
      expect.soft(textOf(answer), step.command).toMatch(step.says);
      if (!step.hasCard) return;
      const files = answer.files.map(({ sha256 }) => sha256);
      expect.soft(files.length, step.command).toBeGreaterThan(0);
      // The better form of an earlier card may have been drawn in between.
      expect.soft(drawn.slice(-files.length), step.command).toEqual(files);
    }

    for (const step of EVENING) {
      const isAdmin = step.who === 'admin';
      await answerTo(step, () =>
        fake.interaction({
          kind: 'command',
          name: step.command,
          options: step.options,
          guildId,
          userId: isAdmin ? ADMIN : MEMBER,
          memberPermissions: isAdmin ? MANAGE : 0n,
        }),
      );
    }
    await stage.services.settings.setChat(`discord:${guildId}`, { prefix: '!' });
    for (const step of SHORT) {
      const authorId = step.who === 'admin' ? ADMIN : MEMBER;
      await answerTo(step, () => fake.message({ guildId, content: step.short, authorId }));
    }
    const answered = ownMessages(fake).length;
    fake.message({ guildId, content: '!rs', bot: true });
    fake.message({ guildId, content: '!play a song', authorId: MEMBER });
    fake.message({ guildId, content: '.rs', authorId: MEMBER });
    fake.message({ guildId, content: '!ranking', authorId: MEMBER });
    await fake.waitFor(() => ownMessages(fake)[answered]);
    expect(ownMessages(fake)).toHaveLength(answered + 1);
    expect(fake.problems).toEqual([]);
    expect(stage.log.at('error')).toEqual([]);
    expect(all(ownMessages(fake)[0]?.body.components, 'content')).not.toEqual([]);
  });

  it('in a group of Telegram: from the menu and as it is spoken, then in the words of players', async () => {
    const { services, drawn } = await openEvening(worker.file);
    const stage = await openTelegram({ services, canFetch: true });
    const { fake } = stage;
    fake.setMember(GROUP.id, SARI.id, 'administrator');

    async function answerTo(step: EveningStep, text: string, chat: typeof GROUP | typeof QUAY): Promise<void> {
      const before = new Set(answersIn(fake, chat.id).map(({ messageId }) => messageId));
      fake.message({ chat, from: step.who === 'admin' ? SARI : { ...BUDI, language_code: 'en' }, text });
      const isFresh = ({ messageId }: FakeMessage) => !before.has(messageId);
      await fake.waitFor(() => answersIn(fake, chat.id).find(isFresh));
      // A long list comes below its card.
      await stage.settled();
      const answers = answersIn(fake, chat.id).filter(isFresh);
      const words = answers.map(answer => `${answer.text ?? ''}${answer.caption ?? ''}`).join('\n');
      expect.soft(words, text).toMatch(step.says);
      if (step.hasCard) expect.soft(drawn, text).toContain(answers[0]?.file?.sha256);
    }

    for (const [place, step] of EVENING.entries()) {
      await answerTo(step, spoken(step, place % 2 === 0 ? 'menu' : 'words'), GROUP);
    }
    // Telegram takes 20 messages a minute in one group.
    await stage.settings.setChat(`telegram:${QUAY.id}`, { prefix: '!' });
    for (const step of SHORT) await answerTo(step, step.short, QUAY);
    const answered = answersIn(fake, QUAY.id).length;
    for (const text of ['!play a song', '.rs', '!ranking']) fake.message({ chat: QUAY, from: BUDI, text });
    await fake.waitFor(() => answersIn(fake, QUAY.id)[answered]);
    await stage.settled();
    expect(answersIn(fake, QUAY.id)).toHaveLength(answered + 1);
    expect(fake.problems).toEqual([]);
    expect(stage.log.at('error')).toEqual([]);
  });

  it('in the web chat, which is everyone’s own: typed, then in the words of players', async () => {
    const { services, drawn } = await openEvening(worker.file);
    const stage = await openWeb({ services, limits: { drainMs: 200, closeMs: 200 } });
    const page = await connect(stage.origin);
    onTestFinished(async () => {
      page.socket.terminate();
      await stage.close();
    });
    let asked = 0;

    async function answerTo(step: EveningStep, text: string): Promise<void> {
      asked += 1;
      const id = `step-${asked}`;
      page.send({ type: 'message', id, text });
      const { reply } = await page.hear('reply', frame => frame.id === id);
      expect.soft(wordsOf(reply.blocks), text).toMatch(step.saysAlone ?? step.says);
      const card = reply.blocks.find(block => block.kind === 'picture');
      // What a card only repeats the page shows once.
      const isRepeated = REPEATED.includes(step.command);
      expect.soft(card !== undefined, text).toBe(step.hasCard === true && !isRepeated);
      if (card === undefined) return;
      for (const theme of ['dark', 'light']) {
        const shown = await fetch(`${stage.origin}${card.url}?theme=${theme}`);
        expect.soft(shown.status, `${text} ${theme}`).toBe(200);
        expect.soft(shown.headers.get('content-type')).toBe('image/png');
      }
    }

    // One person does it all.
    const own = EVENING.filter(({ command, who }) => command !== 'osu link' || who === 'admin');
    for (const step of own) await answerTo(step, spoken(step, 'words'));
    for (const step of SHORT) await answerTo(step, step.short);
    expect(drawn.length).toBeGreaterThan(0);
    expect(stage.logged).toEqual([]);
  });
});
