import { describe, expect, it, onTestFinished } from 'vitest';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { reply, textBlock } from '../../../src/bot/contract/reply-parts.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { placeholder, resultsOf } from '../../../src/platforms/telegram/inline/inline-results.ts';
import { openHouse } from '../../beatmaps/beatmaps-fixture.ts';
import { madeUpSet } from '../../beatmaps/made-up-sets.ts';
import {
  answersIn,
  BUDI,
  CAROUSEL,
  ORIGINAL,
  openStage,
  PRIVATE,
  REEL,
  SARI,
  type Stage,
  type StageOptions,
  sha256Of,
} from './stage.ts';

async function answered({ fake }: Stage, queryId: string) {
  return fake.waitFor(() => fake.inlineAnswers.get(queryId));
}

async function choose(stage: Stage, from = SARI, query = REEL, place = 0) {
  const { fake } = stage;
  const { results } = await answered(stage, fake.inlineQuery({ query, from }));
  const resultId = results[place]?.id ?? '';
  const id = fake.chosenInlineResult({ resultId, query, from });
  return fake.waitFor(() => fake.inlineMessages.get(id ?? ''));
}

/** The link of the query, as long as nothing is known of its post. */
const PASTED = 'https://www.instagram.com/reel/DYnightsky7/';

describe('a result', () => {
  it('has no title or description longer than Telegram shows, whatever the link and the sentence', async () => {
    const t = createTranslator(['en']);
    const link = `https://www.facebook.com/permalink.php?story_fbid=pfbid0${'a'.repeat(62)}&id=61550000000000`;
    const sentence = 'That link leads to no post that I know. '.repeat(8).trim();
    const notice = reply({ tone: 'notice', blocks: [textBlock([sentence])] });
    const results = [
      placeholder('post:0', link, undefined, t),
      ...(await resultsOf(notice, link, t, async () => undefined)),
    ];
    for (const result of results) {
      expect(result).toMatchObject({ title: expect.stringMatching(/^.{1,119}…$/) });
      expect(result).toMatchObject({ description: expect.stringMatching(/^.{1,200}$/) });
    }
  });
});

describe('an inline query', () => {
  it('becomes the film: a placeholder, an upload to the person that is taken away again, and an edit', async () => {
    const stage = await openStage();
    const { fake, calls } = stage;
    fake.message({ from: SARI, text: 'hello' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const message = await choose(stage);
    await fake.waitFor(() => message.file);
    expect(message.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(message.caption).toContain('The lamp turns');
    expect(message.replyMarkup).toMatchObject({ inline_keyboard: [[{ url: ORIGINAL }]] });
    expect(answersIn(fake, SARI.id).filter(({ file }) => file !== undefined)).toEqual([]);
    expect(calls('sendVideo').at(-1)?.params.disable_notification).toBe(true);
    expect(fake.problems).toEqual([]);
  });

  it('offers a file Telegram holds at once', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.message({ from: SARI, text: REEL });
    const sent = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const { results, cache_time, is_personal } = await answered(stage, fake.inlineQuery({ query: REEL, from: BUDI }));
    expect(results).toMatchObject([{ type: 'video', video_file_id: sent.file?.fileId }]);
    expect([cache_time, is_personal]).toEqual([0, true]);
    expect(fake.problems).toEqual([]);
  });

  it('never brings a sensitive post uncovered: not by a file that Telegram holds, nor by a thumbnail', async () => {
    const stage = await openStage({ post: () => ({ sensitive: true }) });
    const { fake } = stage;
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const { results } = await answered(stage, fake.inlineQuery({ query: REEL, from: SARI }));
    expect(results).toMatchObject([{ type: 'article', id: 'post:0' }]);
    expect(JSON.stringify(results)).not.toContain('thumbnail');
    const message = await choose(stage);
    await fake.waitFor(() => message.file);
    expect(message.about.has_spoiler).toBe(true);
    expect(fake.problems).toEqual([]);
  });

  it('offers every file of a carousel', async () => {
    const stage = await openStage();
    const { fake } = stage;
    const { results } = await answered(stage, fake.inlineQuery({ query: CAROUSEL, from: SARI }));
    expect(results).toHaveLength(5);
    fake.message({ from: SARI, text: 'hello' });
    const message = await choose(stage, SARI, CAROUSEL, 2);
    await fake.waitFor(() => message.file);
    expect(message.file?.sha256).toBe(sha256Of('photo-lights.jpg'));
    expect(fake.problems).toEqual([]);
  });

  it('is answered in time with a placeholder when the site is slow', async () => {
    const stage = await openStage({ limits: { inlineMs: 50 } });
    const { fake, sandbox } = stage;
    sandbox.faults.set('instagram.*', 'hang', 1);
    const { results } = await answered(stage, fake.inlineQuery({ query: REEL, from: SARI }));
    expect(results).toMatchObject([{ type: 'article', reply_markup: { inline_keyboard: [[{ url: PASTED }]] } }]);
  });

  it('that is being filled when Medley stops says that it has to be asked again', async () => {
    let isBegun = false;
    const stage = await openStage({
      delivery: () => ({
        deliver(_, signal) {
          isBegun = true;
          return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        },
        remoteFile: () => undefined,
        wholeAddress: () => ({ url: ORIGINAL, leadsTo: 'original' }),
      }),
    });
    const message = await choose(stage);
    await stage.fake.waitFor(() => isBegun || undefined);
    await stage.restart();
    expect(message.text).toBe(createTranslator(['en']).messages.errors.internal);
    expect(message.replyMarkup).toMatchObject({ inline_keyboard: [[{ url: PASTED }]] });
    expect(stage.fake.problems).toEqual([]);
  });

  it('over the limit says so every time, and offers nothing that would never come', async () => {
    const stage = await openStage({ userLimit: 2 });
    const { fake } = stage;
    await answered(stage, fake.inlineQuery({ query: REEL, from: SARI }));
    for (let asked = 0; asked < 2; asked += 1) {
      const { results } = await answered(stage, fake.inlineQuery({ query: CAROUSEL, from: SARI }));
      expect(results).toMatchObject([{ type: 'article', title: expect.stringMatching(/wait|again|too/i) }]);
    }
  });

  it('of a person who never began a chat ends as words and the way there', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.fault({
      method: 'sendVideo',
      errorCode: 403,
      description: "Forbidden: bot can't initiate conversation with a user",
      times: 9,
    });
    fake.fault({
      method: 'editMessageMedia',
      errorCode: 400,
      description: 'Bad Request: failed to get HTTP URL content',
      times: 9,
    });
    const message = await choose(stage);
    await fake.waitFor(() => (message.text?.includes('press Start') ? true : undefined));
    expect(message.text).toContain('The lamp turns');
    expect(message.replyMarkup).toMatchObject({ inline_keyboard: [[{ url: ORIGINAL }]] });
    expect(fake.problems).toEqual([]);
  });

  it('whose file Telegram does not take for ten minutes says so, not that the file is too large', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.fault({
      method: 'sendVideo',
      errorCode: 429,
      description: 'Too Many Requests',
      parameters: { retry_after: 600 },
    });
    const message = await choose(stage);
    await fake.waitFor(() => (message.text?.includes('10 minutes') ? true : undefined));
    expect(message.text).toContain('Telegram asks me to slow down. Please try again in 10 minutes.');
    expect(message.text).not.toContain('too large');
  });

  it('becomes the film though its edit is refused for a moment, or its answer is lost', async () => {
    const stage = await openStage();
    const { fake, calls } = stage;
    fake.message({ from: SARI, text: 'hello' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const edits = { method: 'editMessageMedia' };
    fake.fault({ ...edits, errorCode: 429, description: 'Too Many Requests', parameters: { retry_after: 0.1 } });
    fake.fault({ ...edits, drop: true, afterSend: true });
    const message = await choose(stage);
    await fake.waitFor(() => calls('editMessageMedia')[2]);
    expect(message.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(calls('editMessageText')).toEqual([]);
  });

  it('of such a person still becomes the film where Telegram can fetch it', async () => {
    const stage = await openStage({ canFetch: true });
    const { fake } = stage;
    fake.fault({
      method: 'sendVideo',
      errorCode: 403,
      description: "Forbidden: bot can't initiate conversation with a user",
      times: 9,
    });
    const message = await choose(stage);
    await fake.waitFor(() => message.file);
    expect(message.file?.sha256).toBe(sha256Of('sea-720.mp4'));
    expect(fake.problems).toEqual([]);
  });

  it('says why a post cannot be brought', async () => {
    const stage = await openStage();
    const { fake } = stage;
    const { results } = await answered(stage, fake.inlineQuery({ query: PRIVATE, from: SARI }));
    expect(results).toMatchObject([{ type: 'article', title: expect.stringContaining('private') }]);
    expect(fake.problems).toEqual([]);
  });

  it('that is too old is let go', async () => {
    const { fake, log } = await openStage();
    fake.expireQuery(fake.inlineQuery({ query: REEL, from: SARI }));
    await fake.waitFor(() => log.lines.find(({ message }) => message.includes('inline query')));
    expect(log.at('error')).toEqual([]);
  });

  it('never brings what others sent through Medley a second time', async () => {
    const { fake } = await openStage();
    const me = { id: fake.botId, is_bot: true, first_name: 'Medley', username: fake.username };
    fake.message({ from: SARI, text: REEL, extra: { via_bot: me } });
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answersIn(fake, SARI.id).map(({ file }) => file)).toEqual([undefined]);
  });
});

describe('an osu! link after the name', () => {
  it.each([
    ['https://osu.ppy.sh/beatmapsets/900001', 'Marble Lanterns - Paper Comet', 'quietmallet'],
    ['osu.ppy.sh/b/9000014', 'Marble Lanterns - Paper Comet', 'Insane'],
    ['https://osu.ppy.sh/scores/5000000001', 'lamp post (osu!)', 'Paper Comet [Normal]'],
    ['https://osu.ppy.sh/users/lamp%20post', 'lamp post', '#21,480'],
  ])('%s is told of in words', async (query, title, words) => {
    const { beatmaps } = await openHouse();
    const stage = await openStage({ beatmaps });
    const { fake, calls } = stage;
    const { results } = await answered(stage, fake.inlineQuery({ query, from: SARI }));
    expect(results).toMatchObject([
      {
        type: 'article',
        id: 'told',
        title,
        input_message_content: { message_text: expect.stringContaining(words) },
        reply_markup: {
          inline_keyboard: [
            expect.arrayContaining([{ text: 'Open on osu!', url: expect.stringContaining('https://osu.ppy.sh/') }]),
          ],
        },
      },
    ]);
    fake.chosenInlineResult({ resultId: results[0]?.id ?? '', query, from: SARI });
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(calls(/^(send(Video|Photo|Document)|edit)/)).toEqual([]);
    expect(fake.problems).toEqual([]);
  });

  it('becomes its words later when osu! is slow', async () => {
    const { beatmaps, sandbox } = await openHouse();
    const stage = await openStage({ beatmaps, limits: { inlineMs: 50 } });
    const { fake } = stage;
    sandbox.faults.set('osu.set', 'delay:400', 1);
    const message = await choose(stage, SARI, 'https://osu.ppy.sh/beatmapsets/900002');
    await fake.waitFor(() => (message.text?.includes('Glass Harbour') ? true : undefined));
    expect(message.file).toBeUndefined();
    expect(fake.problems).toEqual([]);
  });

  it('that leads nowhere says so', async () => {
    const { beatmaps } = await openHouse();
    const stage = await openStage({ beatmaps });
    const query = 'https://osu.ppy.sh/beatmapsets/777';
    const { results } = await answered(stage, stage.fake.inlineQuery({ query, from: SARI }));
    expect(results).toMatchObject([{ id: 'remark', title: expect.stringContaining('does not exist') }]);
    expect(stage.fake.problems).toEqual([]);
  });
});

describe('words after the name', () => {
  async function openCatalogue({ sets = 0, isEmpty = false } = {}) {
    const store = openStore(':memory:');
    const catalogue = createCatalogueHere({ store, onFailure: error => expect.unreachable(String(error)) });
    onTestFinished(async () => {
      await catalogue.close();
      store.close();
    });
    const { beatmaps, sandbox } = await openHouse({ catalogue });
    if (isEmpty) return { beatmaps, sandbox };
    catalogue.remember([
      madeUpSet({ id: 901, title: 'Paper Comet', artist: 'Marble Lanterns' }),
      ...Array.from({ length: sets }, (_, index) => madeUpSet({ id: 1_000 + index, title: `Glass ${index}` })),
    ]);
    await catalogue.flush();
    return { beatmaps, sandbox };
  }

  it('find beatmaps while they are typed, without asking anybody', async () => {
    const { beatmaps, sandbox } = await openCatalogue();
    sandbox.faults.set('osu.*', 'hang');
    for (const mirror of ['osu-direct.*', 'hinai.*', 'catboy.*'] as const) sandbox.faults.set(mirror, 'hang');
    const stage = await openStage({ beatmaps });
    const { fake } = stage;
    const { results, next_offset } = await answered(stage, fake.inlineQuery({ query: 'paper com', from: SARI }));
    expect(results).toMatchObject([
      {
        type: 'article',
        title: 'Marble Lanterns - Paper Comet',
        description: expect.stringContaining('mapped by'),
        thumbnail_url: expect.stringMatching(/^https:/),
        input_message_content: {
          message_text: expect.stringContaining('Paper Comet'),
          entities: expect.arrayContaining([expect.objectContaining({ type: 'text_link' })]),
          link_preview_options: { prefer_large_media: true },
        },
        reply_markup: { inline_keyboard: [[{ url: 'https://osu.ppy.sh/beatmapsets/901' }, expect.anything()]] },
      },
    ]);
    expect(next_offset).toBe('');
    expect(fake.problems).toEqual([]);
  });

  it('list what is popular when there are none, page by page', async () => {
    const { beatmaps } = await openCatalogue({ sets: 30 });
    const stage = await openStage({ beatmaps });
    const { fake } = stage;
    const first = await answered(stage, fake.inlineQuery({ query: '', from: SARI }));
    expect(first.results).toHaveLength(20);
    expect(first.button).toMatchObject({ start_parameter: 'inline' });
    const offset = first.next_offset ?? '';
    const second = await answered(stage, fake.inlineQuery({ query: '', from: SARI, offset }));
    expect(second.results).toHaveLength(11);
    expect(second.next_offset).toBe('');
    expect(second.button).toBeUndefined();
    const ids = [...first.results, ...second.results].map(({ id }) => id);
    expect(new Set(ids).size).toBe(31);
    expect(fake.problems).toEqual([]);
  });

  describe('on a new installation', () => {
    async function openNew(options: StageOptions = {}) {
      const { beatmaps, sandbox } = await openCatalogue({ isEmpty: true });
      const asked = () => sandbox.requests.filter(({ path }) => path.includes('paper')).length;
      return { stage: await openStage({ beatmaps, ...options }), sandbox, asked };
    }

    it('are looked up by the upstream, and what it has is offered', async () => {
      const { stage, asked } = await openNew();
      const { results } = await answered(stage, stage.fake.inlineQuery({ query: 'paper comet', from: SARI }));
      expect(results).toMatchObject([{ type: 'article', title: 'Marble Lanterns - Paper Comet' }]);
      expect(asked()).toBe(1);
      expect(stage.fake.problems).toEqual([]);
    });

    it('are asked for when they are typed to their end, at the cost of the person', async () => {
      const { stage, asked } = await openNew({ userLimit: 1, limits: { typingMs: 2_500 } });
      const { fake } = stage;
      for (const query of ['pape', 'paper c', 'paper com']) fake.inlineQuery({ query, from: SARI });
      const { results } = await answered(stage, fake.inlineQuery({ query: 'paper come', from: SARI }));
      expect(results).toHaveLength(1);
      expect(fake.inlineAnswers.size).toBe(1);
      expect(asked()).toBe(1);
      const refused = await answered(stage, fake.inlineQuery({ query: 'paper lanterns glass', from: SARI }));
      expect(refused.results).toEqual([]);
      expect(asked()).toBe(1);
    });

    it('get an empty answer in time when the upstream is slow, and are not kept as nothing', async () => {
      const { stage, sandbox } = await openNew({ limits: { inlineSearchMs: 200, typingMs: 0 } });
      sandbox.faults.set('osu.*', 'hang');
      for (const mirror of ['osu-direct.*', 'hinai.*', 'catboy.*'] as const) sandbox.faults.set(mirror, 'hang');
      const answer = await answered(stage, stage.fake.inlineQuery({ query: 'paper comet', from: SARI }));
      expect(answer).toMatchObject({ results: [], cache_time: 0 });
      expect(stage.log.at('error')).toEqual([]);
    });
  });

  it.each([
    ['nothing that is known', 'qqqq zzzz', ''],
    ['too many', 'x'.repeat(600), ''],
    ['broken ones', '"stars>abc', ''],
    ['a place that Medley never gave', 'paper', 'nowhere'],
  ])('that are %s give an empty list and the way to paste a link', async (_, query, offset) => {
    const { beatmaps } = await openCatalogue();
    const stage = await openStage({ beatmaps });
    const { fake, log } = stage;
    const answer = await answered(stage, fake.inlineQuery({ query, from: SARI, offset }));
    expect(answer.results).toEqual([]);
    expect(answer.button === undefined).toBe(offset !== '');
    expect(log.at('error')).toEqual([]);
    expect(fake.problems).toEqual([]);
  });
});
