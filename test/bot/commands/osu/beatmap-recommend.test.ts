import { describe, expect, it } from 'vitest';
import type { RecommendResult } from '../../../../src/beatmaps/recommend/recommend.ts';
import { createDispatcher } from '../../../../src/bot/answer/answer.ts';
import { createSvgRasterizer } from '../../../../src/bot/cards/svg-rasterizer.ts';
import type { Reply } from '../../../../src/bot/contract/reply.ts';
import { type Caller, callerKey } from '../../../../src/bot/contract/request.ts';
import { AppError } from '../../../../src/errors.ts';
import { fakeRecommend, RECOMMENDED } from '../../../fakes/recommend.ts';
import { commandList } from '../../command-list.ts';
import { converse, type Said } from '../../converse.ts';
import { memoryLimiter, sampleCaller, sampleServices } from '../../sample.ts';

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const sari = sampleCaller();
const NONE: RecommendResult = { ...RECOMMENDED, recommendations: [] };

function setUp(answer?: () => Promise<RecommendResult>, hasPlayers = true) {
  const { recommend, asked } = fakeRecommend(answer);
  const sample = sampleServices();
  const services = {
    ...sample,
    recommend,
    painter: createSvgRasterizer(),
    beatmaps: { ...sample.beatmaps, hasPlayers },
  };
  const userLimit = { units: 1_000, windowMs: 60_000 };
  const limiter = memoryLimiter(() => 0);
  const dispatcher = createDispatcher({ commands: commandList, services, limiter, userLimit, log: quiet });
  async function send(said: Said): Promise<Reply> {
    const [first] = await converse(dispatcher, said);
    if (first === undefined) throw new TypeError('no reply');
    return first;
  }
  return {
    services,
    asked,
    say: (text: string, caller: Caller = sari) => send({ text, caller }),
    press: (reply: Reply, label: string, caller: Caller = sari) => {
      const button = reply.actions.find(action => action.label === label);
      if (button?.kind !== 'button') throw new TypeError(`no button ${label}`);
      return send({ token: button.token, caller });
    },
  };
}

const shown = ({ blocks }: Reply) => JSON.stringify(blocks);

describe('/beatmap recommend', () => {
  it('gives a map one line of facts, without a reason that is a sentence', async () => {
    const recommendations = RECOMMENDED.recommendations.map(each => ({
      ...each,
      reasons: [{ kind: 'mods', value: 0.93 } as const, ...each.reasons],
    }));
    const { blocks } = await setUp(async () => ({ ...RECOMMENDED, recommendations })).say('/beatmap recommend crane');
    const [card] = blocks.filter(({ kind }) => kind === 'card');
    expect(card).toMatchObject({ lines: [expect.arrayContaining(['270 BPM'])], details: [expect.anything()] });
    expect(JSON.stringify(card?.kind === 'card' && card.lines)).not.toContain('93%');
  });

  it('counts the keys of a map of mania', async () => {
    const recommendations = RECOMMENDED.recommendations.map(each => ({
      ...each,
      beatmap: { ...each.beatmap, mode: 'mania' as const },
      reasons: [{ kind: 'cs', value: 7 } as const],
    }));
    const { blocks } = await setUp(async () => ({ ...RECOMMENDED, recommendations })).say('/beatmap recommend crane');
    const [card] = blocks.filter(({ kind }) => kind === 'card');
    expect(card).toMatchObject({ lines: [expect.arrayContaining(['7K'])], details: [['7K']] });
  });

  it('shows maps with what they are worth and why', async () => {
    const { say, asked } = setUp();
    const reply = await say('/beatmap recommend paper_crane');
    expect(asked[0]).toMatchObject({ user: 'paper_crane', bias: 0, caller: callerKey(sari) });
    for (const part of [
      'What paper crane could play next',
      '248 pp',
      '251 pp · +4.6 pp in total',
      'at 98%',
      '270 BPM',
    ]) {
      expect(shown(reply)).toContain(part);
    }
    expect(shown(reply)).toContain('Tin Orchard - Glass Harbour [Extra] +DT');
    expect(shown(reply)).toContain('by the rules of');
    expect(reply.actions.map(({ label }) => label)).toEqual([
      'More like these',
      'Easier',
      'Harder',
      'With DT',
      'Open a beatmap…',
    ]);
    const picture = reply.blocks.find(block => block.kind === 'picture');
    expect(picture?.kind === 'picture' && picture.alt).toContain('Paper Lanterns - Kite Season +HDDT');
  });

  it.each([
    ['lamp post +HDDT -HR', { user: 'lamp post', mods: { must: ['HD', 'DT'], never: ['HR'], exact: false } }],
    ['lamp post mods:NM', { user: 'lamp post', mods: { must: [], never: [], exact: true } }],
    ['stars:5-6 mode:taiko farm:no', { user: undefined, ruleset: 'taiko', farm: false }],
    ['like:900001', { user: undefined, like: '900001' }],
    ['ar:9-9.6', { user: undefined, ar: { low: 8.95, high: 9.65 } }],
    ['pp:200-250 bpm:180', { pp: { low: 199.5, high: 250.5 }, bpm: { low: 174, high: 186 } }],
  ])('understands %s', async (text, expected) => {
    const { say, asked } = setUp();
    await say(`/beatmap recommend ${text}`);
    expect(asked[0]).toMatchObject(expected);
  });

  it('asks again, easier, harder, with DT, for the asker alone', async () => {
    const { say, press, asked } = setUp();
    const first = await say('/beatmap recommend lamp post stars:5-6');
    const harder = await press(first, 'Harder');
    await press(harder, 'Harder');
    await press(harder, 'Easier');
    await press(first, 'With DT');
    await press(first, 'More like these');
    expect(asked.map(({ bias }) => bias)).toEqual([0, 1, 2, 0, 0, 0]);
    expect(asked.map(({ user, stars }) => [user, stars?.low])).toEqual(asked.map(() => ['lamp post', 4.995]));
    expect(asked[4]?.mods?.must).toEqual(['DT']);
    expect(new Set(asked.map(({ seed }) => seed)).size).toBe(asked.length);
    expect(shown(await press(first, 'More like these', sampleCaller({ userId: 'budi' })))).toContain(
      'belongs to someone else',
    );
  });

  it('knows who linked a player', async () => {
    const { say, asked, services } = setUp();
    await services.settings.setUser(callerKey(sari), {
      player: { id: 31, name: 'paper crane', mode: 'mania', proven: false },
    });
    await say('/beatmap recommend');
    await say('/beatmap recommend +DT');
    expect(asked.map(({ user, ruleset }) => [user, ruleset])).toEqual([
      [31, 'mania'],
      [31, 'mania'],
    ]);
    expect(asked[1]?.mods?.must).toEqual(['DT']);
  });

  it('asks who it is for, unless that is unknowable', async () => {
    const { say, asked } = setUp();
    expect(shown(await say('/beatmap recommend'))).toContain('Name a player');
    expect(asked).toEqual([]);
    const blind = setUp(undefined, false);
    await blind.say('/beatmap recommend');
    expect(blind.asked[0]?.user).toBeUndefined();
  });

  it.each([
    ['stars:lots', undefined, 'must be a number, or a range like 5-6'],
    ['mods:DTHT', undefined, 'cannot be combined'],
    ['mods:QQ', undefined, 'I do not know the mod “QQ”'],
    ['like:1', new AppError('not_found', '', { params: { what: 'beatmap' } }), 'That beatmap does not exist'],
    [
      'like:x',
      new AppError('invalid_request', '', { params: { what: 'like' } }),
      'Give a link or ID of a beatmap to match.',
    ],
    ['nobody', new AppError('not_found', ''), 'That player does not exist'],
    ['a', new AppError('credentials_required', ''), 'has not given me a working key'],
  ])('says what is wrong with %s', async (text, error, sentence) => {
    const { say } = setUp(error === undefined ? undefined : () => Promise.reject(error));
    const reply = await say(`/beatmap recommend ${text}`);
    expect(shown(reply)).toContain(sentence);
  });

  it('has a way on when nothing fits', async () => {
    const { say } = setUp(async () => NONE);
    const reply = await say('/beatmap recommend lamp post');
    expect(shown(reply)).toContain('No matches. Try wider filters.');
    expect(reply.actions.map(({ label }) => label)).toEqual(['Easier', 'Harder', 'With DT']);
  });

  it('does not ask for wider filters where all that fits was given before', async () => {
    const { say } = setUp(async () => ({ ...NONE, isOver: true }));
    const reply = await say('/beatmap recommend lamp post');
    expect(shown(reply)).toContain('That is all; the list ends here.');
    expect(shown(reply)).not.toContain('filters');
  });

  it('forgets what was recommended with the rest', async () => {
    const { services, say } = setUp();
    const forgotten: string[] = [];
    services.recommendationHistory = { forgetUser: async key => void forgotten.push(key) };
    const question = await say('/forget');
    expect(question.actions.length).toBeGreaterThan(0);
    await say('/forget me');
    expect(forgotten).toEqual([callerKey(sari)]);
  });
});
