import { afterEach, describe, expect, it } from 'vitest';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { DELETIONS } from '../../../src/bot/runtime/deletions.ts';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import type { Content } from '../../../src/platforms/discord/api/discord-api.ts';
import { DiscordFailure, type SendProblem } from '../../../src/platforms/discord/api/send-failure.ts';
import { createReplyGroup, type ReplyDestination } from '../../../src/platforms/discord/outgoing/reply-group.ts';
import { samplePost } from '../../bot/sample.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { all, LINK, link, openStage, ownMessages, type Stage, type StageOptions, textOf } from './stage.ts';

let stage: Stage | undefined;

async function open(options?: StageOptions): Promise<Stage> {
  stage = await openStage(options);
  return stage;
}

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
  expect(over?.fake.problems ?? []).toEqual([]);
  expect(over?.held.size ?? 0).toBe(0);
});

const EPHEMERAL = 64;
const SARI = '300';

function answers({ fake }: Stage) {
  return ownMessages(fake).filter(message => all(message.body.components, 'content').length > 0);
}

function answer(on: Stage, place = 0) {
  return on.fake.waitFor(() => answers(on)[place]);
}

/** Which message each of ours replies to. */
function repliedTo(on: Stage): unknown[] {
  return all(
    answers(on).map(({ body }) => body),
    'message_id',
  );
}

describe('a failure that may pass', () => {
  /** A site that fails so often, and the notice of its first failure with the id of its button. */
  async function failing(times: number) {
    let left = times;
    const on = await open({
      answer(id) {
        left -= 1;
        if (left < 0) return samplePost({ id, url: link(id) });
        throw new AppError('upstream_unavailable', 'no answer', { params: { site: 'Instagram' } });
      },
    });
    on.fake.message({ guildId: on.guildId, content: LINK, authorId: SARI });
    const told = await answer(on);
    const button =
      /"custom_id":"([^"]+)","label":"Try another way"|"label":"Try another way"[^}]*"custom_id":"([^"]+)"/;
    const [, before, after] = button.exec(JSON.stringify(told.body)) ?? [];
    const leaving = async () =>
      (await on.records.groupedCollection(DELETIONS).listGroup('discord')).map(({ messageId }) => messageId);
    return { on, told, customId: before ?? after ?? '', leaving };
  }

  it.each([
    ['goes as other notices do, but stays once the file is in it', 1, false, 0],
    ['goes after another failure, too', 2, true, 0],
    ['goes after another failure that Discord takes at the second attempt only', 2, true, 1],
  ])('%s', async (_, times, isLeft, refusals) => {
    const { on, told, customId, leaving } = await failing(times);
    await expect.poll(leaving).toEqual([told.id]);
    if (refusals > 0) on.fake.fault({ method: 'PATCH', path: /original$/, status: 503, times: refusals });
    on.fake.interaction({ kind: 'button', customId, messageId: told.id, guildId: on.guildId, userId: SARI });
    await expect.poll(() => on.platform.outcomes.length).toBe(2);
    await expect.poll(leaving).toEqual(isLeft ? [told.id] : []);
    expect(on.fake.messages.get(told.id)?.files).toHaveLength(isLeft ? 0 : 1);
  });

  it('has a button that asks in another way, and the file takes the place of the notice', async () => {
    const { on, told, customId } = await failing(1);
    on.fake.interaction({ kind: 'button', customId, messageId: told.id, guildId: on.guildId, userId: '301' });
    await on.fake.waitFor(() => ownMessages(on.fake).find(({ files }) => files.length > 0));
    expect(on.asked).toEqual([LINK, LINK]);
    expect(textOf(told)).not.toContain('Try another way');
  });
});

describe('people over their limit', () => {
  it('are told so under every message, with the time to wait', async () => {
    const on = await open({ units: 2 });
    on.fake.message({ guildId: on.guildId, content: LINK, authorId: SARI });
    await answer(on);
    const asked: string[] = [];
    for (const place of [1, 2, 3, 4]) {
      asked.push(on.fake.message({ guildId: on.guildId, content: link(`Over0${place}`), authorId: SARI }));
      expect(textOf(await answer(on, place))).toMatch(
        /^That was a lot at once\. One link waits and follows by itself in \d+ seconds\.$/,
      );
    }
    expect(repliedTo(on).slice(1)).toEqual(asked);
    expect(on.asked).toEqual([LINK]);
    expect(on.log.at()).toEqual([]);
  });

  it('do not make Medley flood a server: of many messages at once a few are told so, and the others by and by', async () => {
    const on = await open({ units: 2 });
    on.fake.message({ guildId: on.guildId, content: LINK, authorId: SARI });
    await answer(on);
    for (let n = 0; n < 9; n += 1) on.fake.message({ guildId: on.guildId, content: link(`Over${n}`), authorId: SARI });
    await answer(on, 5);
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(answers(on)).toHaveLength(6);
    await on.fake.waitFor(() => answers(on)[6]);
    expect(new Set(repliedTo(on)).size).toBe(answers(on).length);
    expect(on.unfinished()).toHaveLength(9);
  });

  it('are told so alone where Discord can show it to them alone, however they ask', async () => {
    const on = await open({ units: 2 });
    const asked = { guildId: on.guildId, userId: SARI };
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, ...asked });
    await answer(on);
    const targetMessage = { content: `<${link('Other01')}>`, guildId: on.guildId };
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: link('Two02') }, ...asked });
    on.fake.interaction({ kind: 'message-command', name: 'Get media', targetMessage, ...asked });
    on.fake.interaction({ kind: 'message-command', name: 'Get media', targetMessage, ...asked });
    await answer(on, 3);
    expect(answers(on).slice(1).map(textOf).toSorted()).toEqual([
      expect.stringMatching(/^That was a lot at once\. One link waits and follows by itself in \d+ seconds\.$/),
      expect.stringMatching(/^That was a lot at once\. One link waits and follows by itself in \d+ seconds\.$/),
      expect.stringMatching(/^Too many requests\. Please try again in \d+ seconds\.$/),
    ]);
    for (const notice of answers(on).slice(1)) {
      expect(notice.flags & EPHEMERAL).toBe(EPHEMERAL);
    }
    expect(ownMessages(on.fake)).toHaveLength(4);
  });

  it('are told how many links wait, when some were answered', async () => {
    const on = await open({ units: 4 });
    const content = ['One01', 'Two02', 'Three03', 'Four04'].map(link).join(' ');
    on.fake.message({ guildId: on.guildId, content, authorId: SARI });
    expect((await answer(on)).files).toHaveLength(2);
    expect(textOf(await answer(on, 1))).toBe(
      'That was a lot at once. 2 links wait and follow by themselves, the first in 60 seconds.',
    );
  });
});

describe('a failure among several links', () => {
  it('says which link, as code that is neither an address nor a mention', async () => {
    const on = await open({
      answer: id => {
        if (id === 'Gone01') throw new AppError('not_found', 'no such post');
        if (id === 'Shut02') throw new AppError('private', 'private');
        return samplePost({ id, url: link(id) });
      },
    });
    on.fake.message({ guildId: on.guildId, content: `${link('Gone01')} ${LINK} ${link('Shut02')}` });
    const message = await answer(on);
    const said = all(message.body.components, 'content').map(String);
    expect(said[0]).toBe('`instagram.com/p/Gone01`: That post does not exist, or it was removed.');
    expect(said.at(-1)).toBe('`instagram.com/p/Shut02`: That post is private, so only its followers can see it.');
    expect([said[0], said.at(-1)].join(' ')).not.toMatch(/https?:/);
    expect(message.body.allowed_mentions).toEqual({ parse: [], replied_user: false });
  });
});

describe('an upload that Discord does not take', () => {
  const cases: readonly (readonly [string, object, string])[] = [
    ['because it says so', { status: 400, body: { code: 20009, message: 'Explicit content' } }, 'does not let me send'],
    [
      'because files are not allowed',
      { status: 403, body: { code: 50013, message: 'Missing' } },
      'does not let me send',
    ],
  ];

  it.each(cases)('%s, is told truly', async (_, fault, sentence) => {
    const on = await open();
    on.fake.fault({ method: 'POST', path: /messages$/, ...fault });
    on.fake.message({ guildId: on.guildId, content: LINK });
    const message = await answer(on);
    expect(message.files).toEqual([]);
    expect(textOf(message)).toContain(sentence);
    expect(textOf(message)).toContain(`[Open original](${LINK})`);
  });

  it.each<readonly [string, object]>([
    ['a server that fails', { status: 500, times: 2 }],
    ['a connection that breaks', { cut: true }],
  ])('because of %s, is sent again as it is', async (_, fault) => {
    const on = await open();
    on.fake.fault({ method: 'POST', path: /messages$/, ...fault });
    on.fake.message({ guildId: on.guildId, content: LINK });
    expect((await answer(on)).files).toHaveLength(1);
    expect(textOf(await answer(on))).not.toContain('Discord');
  });

  it.each<[SendProblem, string]>([
    ['cut', 'Sending this file to Discord took too long.'],
    ['blocked', 'Discord does not let me send this file here.'],
    ['refused', 'Discord does not let me send this file here.'],
    ['forbidden', 'Discord does not let me send this file here.'],
  ])('leaves a link with the reason: %s', async (problem, sentence) => {
    const t = createTranslator(['en']);
    const file = {
      kind: 'file' as const,
      path: '/nowhere',
      bytes: 10,
      mime: 'video/mp4',
      fileName: 'a.mp4',
      variantKey: 'v0',
      width: 1,
      height: 1,
      durationMs: null,
      hasAudio: true,
      thumbnail: null,
      dispose: async () => undefined,
    };
    const { signal } = new AbortController();
    const log = createRecordingLog();
    const rights = { send: true, attach: true, reply: true, manage: false, content: true };
    const shown = createReplyGroup(
      { kind: 'message', fileBytes: 1_000, rights },
      {
        delivery: { deliver: async () => file },
        t,
        commands: new Map(),
        log,
        signal,
      },
    );
    const post = samplePost();
    shown.add(reply({ gallery: [{ kind: 'media', post, index: 0, form: 'original', spoiler: false }] }));
    const sent: Content[] = [];
    const destination: ReplyDestination = {
      deleteId: () => undefined,
      messages: 5,
      async send(content) {
        sent.push(content);
        if (sent.length === 1) throw new DiscordFailure(problem, problem);
        return true;
      },
    };
    await shown.finish(destination);
    expect(sent.map(({ uploads }) => uploads.length)).toEqual([1, 0]);
    expect(all(sent[1]?.components, 'content').join()).toContain(sentence);
  });

  it('have an owner for the failure of their files while their image card is still drawn', async () => {
    const { signal } = new AbortController();
    const log = createRecordingLog();
    const rights = { send: true, attach: true, reply: true, manage: false, content: true };
    const delivery = { deliver: () => Promise.reject(new AppError('internal', 'Medley stops')) };
    const shown = createReplyGroup(
      { kind: 'message', fileBytes: 1_000, rights },
      { delivery, t: createTranslator(['en']), commands: new Map(), log, signal },
    );
    const draw = () => new Promise<Buffer>(resolve => setTimeout(() => resolve(Buffer.from('png')), 20));
    const picture = { key: 'card', width: 10, height: 10, draw };
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      shown.add(
        reply({
          blocks: [{ kind: 'picture', picture, alt: 'A card.' }],
          gallery: [{ kind: 'media', post: samplePost(), index: 0, form: 'original', spoiler: false }],
        }),
      );
      await new Promise(resolve => setTimeout(resolve, 40));
      await shown.dispose();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});

describe('a rate limit of ten minutes', () => {
  const headers = { 'retry-after': '600', 'x-ratelimit-scope': 'shared' };
  const body = { retry_after: 600, global: false, message: 'You are being rate limited.' };

  it('of one chat is waited for by its own requests alone, which hold no worker', async () => {
    const on = await open();
    const other = on.fake.addGuild();
    on.fake.fault({
      method: 'POST',
      path: new RegExp(`${on.channelId}/messages$`),
      status: 429,
      headers,
      body,
      times: 9,
    });
    for (let n = 0; n < 6; n += 1) on.fake.message({ guildId: on.guildId, content: link(`Busy${n}`) });
    await on.fake.waitFor(() => on.log.at('info').find(({ message }) => message.includes('left alone')));
    on.fake.message({ guildId: other.id, content: LINK });
    expect((await answer(on)).channelId).toBe(other.channelId);
    await on.fake.waitFor(() => on.unfinished().length === 6 || undefined);
    // Each is taken up for a moment, to see that it has to wait.
    await expect
      .poll(async () => {
        const { running, waiting } = await on.platform.runtime().status();
        return { running, waiting };
      })
      .toEqual({ running: 0, waiting: 6 });
    const posts = on.fake.requests.filter(({ path }) => path === `/channels/${on.channelId}/messages`);
    // Those that were under way when it was said.
    expect(posts.length).toBeLessThanOrEqual(4);
  });

  it('of an interaction is waited for as well, within the life of its token', async () => {
    const on = await open();
    on.fake.fault({ method: 'PATCH', path: /@original/, status: 429, headers, body });
    on.fake.interaction({ kind: 'command', name: 'download', options: { link: LINK }, guildId: on.guildId });
    await on.fake.waitFor(() => on.log.at('info').find(({ message }) => message.includes('left alone')));
    await on.platform.stop();
    await on.another({ now: () => Date.now() + 11 * 60_000 }).start();
    expect((await answer(on)).files).toHaveLength(1);
  });
});
