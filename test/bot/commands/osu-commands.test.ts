import { describe, expect, it } from 'vitest';
import type { Beatmaps } from '../../../src/beatmaps/beatmaps.ts';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { createDispatcher } from '../../../src/bot/answer/answer.ts';
import type { Action, Reply } from '../../../src/bot/contract/reply.ts';
import { type Caller, callerKey, chatKey } from '../../../src/bot/contract/request.ts';
import { AppError, type ErrorCode } from '../../../src/errors.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { openHouse } from '../../beatmaps/beatmaps-fixture.ts';
import { madeUpSet } from '../../beatmaps/made-up-sets.ts';
import { FOUND, fakeBeatmaps } from '../../fakes/beatmaps.ts';
import { commandList } from '../command-list.ts';
import { converse } from '../converse.ts';
import { memoryLimiter, sampleCaller, sampleServices } from '../sample.ts';
import { spelled } from '../spelled.ts';

const sari = sampleCaller();
const group = (own: Partial<Caller> = {}) => sampleCaller({ platform: 'discord', chatKind: 'group', ...own });
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function setUp(beatmaps: Beatmaps) {
  const services = { ...sampleServices(), beatmaps };
  const userLimit = { units: 1_000, windowMs: 60_000 };
  const dispatcher = createDispatcher({
    commands: commandList,
    services,
    limiter: memoryLimiter(() => 0),
    userLimit,
    log: quiet,
  });
  const { signal } = new AbortController();

  return {
    services,
    dispatcher,
    say: (text: string, caller: Caller = sari) => converse(dispatcher, { text, caller }),
    press: (token: string, caller: Caller = sari) => converse(dispatcher, { token, caller }),
    options: (command: string, option: string, partial: string, caller: Caller = sari) =>
      dispatcher.suggestOption({ command, option, partial, caller, signal }),
  };
}

const all = (replies: readonly Reply[]) => spelled(replies.map(({ blocks }) => blocks));

function buttonOf([reply]: readonly Reply[], label: string): string {
  const found = reply?.actions.find(action => action.label === label);
  if (found?.kind !== 'button') throw new Error(`no button ${label}`);
  return found.token;
}

function choicesOf([reply]: readonly Reply[]): Extract<Action, { kind: 'menu' }>['choices'] {
  return reply?.actions.find(action => action.kind === 'menu')?.choices ?? [];
}

const titles = ([reply]: readonly Reply[]) =>
  (reply?.blocks ?? []).flatMap(block => (block.kind === 'card' ? [JSON.stringify(block.title)] : []));

describe('over the played upstreams', () => {
  async function open(own: Parameters<typeof openHouse>[0] = {}) {
    const house = await openHouse(own);
    return { ...house, ...setUp(house.beatmaps) };
  }

  it('searches, pages to and fro, and opens what was found', async () => {
    const { say, press } = await open({ beatmapsets: 40 });
    const first = await say('/beatmap search stars>1 status:any');
    expect(titles(first)).toHaveLength(5);
    expect(first[0]?.actions.map(({ label }) => label)).not.toContain('Back');
    const second = await press(buttonOf(first, 'More'));
    expect(all(second)).toContain('page 2');
    expect(titles(second).filter(title => titles(first).includes(title))).toEqual([]);
    const third = await press(buttonOf(second, 'More'));
    expect(titles(await press(buttonOf(third, 'Back')))).toEqual(titles(second));
    expect(titles(await press(buttonOf(second, 'Back')))).toEqual(titles(first));
    const [choice] = choicesOf(first);
    const opened = await press(choice?.token ?? '', sampleCaller({ userId: 'budi' }));
    expect(all(opened)).toContain(choice?.label);
    expect(all(opened)).toContain('Difficulties');
  });

  it.each([
    ['osu!', {}],
    ['the mirrors', { withCredentials: false }],
  ])('leaves out what is written with a minus, asking %s', async (_, own) => {
    const { say } = await open(own);
    expect(all(await say('/beatmap search lantern'))).toContain('quietmallet');
    const without = all(await say('/beatmap search lantern -creator=quietmallet'));
    expect(without).not.toContain('Paper Comet');
    const others = titles(await say('/beatmap search status:any -artist="Marble Lanterns"'));
    expect(others.length).toBeGreaterThan(0);
    expect(others.join()).not.toContain('Marble Lanterns');
    expect(all(await say('/beatmap search comet -tag=festival'))).not.toContain('Paper Comet');
    expect(all(await say('/beatmap search comet -tag=nothing'))).toContain('Paper Comet');
  });

  it.each(['divisor=4', '-stars>5', '-mode=osu'])('refuses %s in words', async written => {
    const { say } = await open();
    expect(all(await say(`/beatmap search comet ${written}`))).toContain(`I cannot search by “${written}”`);
    expect(all(await say(`/osu scores lamp post search:"comet ${written}"`))).toContain('I cannot search by');
  });

  it('lists one line of facts a map, and states mapper and status where a map is opened', async () => {
    const { say } = await open({ beatmapsets: 40 });
    const found = await say('/beatmap search stars>1 status:any');
    const cards = found.flatMap(({ blocks }) => blocks.filter(block => block.kind === 'card'));
    for (const { lines } of cards) {
      expect(lines).toHaveLength(1);
      expect(JSON.stringify(lines)).not.toContain('mapped by');
    }
    for (const { detail } of choicesOf(found)) expect(detail).toMatch(/^mapped by .+ · \w+/);
  });

  it('lists by status, ruleset and order without words, on any page', async () => {
    const { say, press } = await open({ beatmapsets: 200 });
    const loved = await say('!s status=l');
    expect(all(loved)).toContain('status=loved');
    expect(all(loved)).not.toContain('ranked');
    expect(titles(loved)).toHaveLength(5);
    expect(titles(await press(buttonOf(loved, 'More')))).not.toEqual(titles(loved));
    expect(all(await say('/beatmap search mode:taiko sort:plays'))).toContain('mode=taiko sort=plays');
    expect(all(await say('!s'))).toContain('also needs: query');
  });

  it('shows on a card what the list is sorted by', async () => {
    const { say } = await open();
    expect(all(await say('/beatmap search comet'))).not.toMatch(/plays|favourites/);
    expect(all(await say('/beatmap search comet sort:plays'))).toContain('2.4M plays');
    expect(all(await say('/beatmap search comet sort:favourites'))).toContain('5.1K favourites');
  });

  it('names all difficulties in one block', async () => {
    const { say } = await open();
    const [info] = await say('/beatmap info 900001');
    const texts = (info?.blocks ?? []).flatMap(block => (block.kind === 'text' ? [JSON.stringify(block.text)] : []));
    const named = texts.filter(text => /Easy|Expert/.test(text));
    expect(named).toHaveLength(1);
    expect(named[0]?.split('"\\n"')).toHaveLength(5);
  });

  it('lets only the asker turn the pages', async () => {
    const { say, press } = await open({ beatmapsets: 40 });
    const first = await say('/beatmap search stars>1');
    expect(all(await press(buttonOf(first, 'More'), sampleCaller({ userId: 'budi' })))).toContain(
      'belongs to someone else',
    );
  });

  it.each([
    ['/beatmap info paper comet', ['Paper Comet', 'Difficulties', 'Expert']],
    ['/beatmap info 900001', ['Paper Comet', 'quietmallet']],
    ['/beatmap info 9000014', ['Insane', 'Other difficulties']],
    ['/beatmap info https://osu.ppy.sh/beatmapsets/900001#osu/9000014 +HDDT', ['With +', '270 BPM', '1:20']],
    ['/beatmap info 星の手紙', ['Hoshi no Tegami', '天音ゆかり - 星の手紙']],
    ['/beatmap info 900005', ['5K OD 5 HP 4.3']],
    ['/beatmap download 900006', ['taken down the download', 'at the wish of the label']],
    ['/beatmap search comet mode:keys', ['I found no beatmap for “comet”']],
    ['/osu profile lamp_post', ['lamp post', '#21,480', '97.85%']],
    ['/osu profile Drum Kitten taiko', ['Drum_Kitten', 'osu!taiko']],
    ['/osu scores lamp post top std', ['best plays (osu!)', '98.10%', '1. ']],
    ['/osu score https://osu.ppy.sh/scores/5000000001', ['lamp post', 'osu!', 'Normal', '98.70%', '1 miss', '+DT']],
    ['/osu maps lamp post most_played', ['most played beatmaps', 'played 400 times', 'Easy']],
    ['/beatmap search "stars>abc " """', ['I found no beatmap']],
  ])('answers %s', async (text, expected) => {
    const { say } = await open();
    const replies = await say(text);
    expect(replies).toHaveLength(1);
    for (const part of expected) expect(all(replies)).toContain(part);
  });

  it('offers files with the video, without it, or both', async () => {
    const { say } = await open();
    const labels = ([reply]: readonly Reply[]) => reply?.actions.map(({ label }) => label) ?? [];
    const both = await say('/beatmap download 900001');
    expect(labels(both)).toEqual(['Download', 'Without video', 'Open on osu!']);
    const urls = new Set(all(both).match(/https:[^"]*(?:\/d\/|download)[^"]*/g));
    expect(urls.size).toBe(6);
    for (const action of both[0]?.actions.slice(0, 2) ?? []) {
      expect(action.kind === 'link' && urls.has(action.url)).toBe(true);
    }
    expect(all(both)).toMatch(/catboy \(not asked yet\): .*with video.*without video/);
    expect(all(both)).toContain('osu://dl/900001');
    const light = await say('/beatmap download 900001 video:no');
    expect(labels(light)).toEqual(['Download', 'Open on osu!']);
    expect(all(light)).not.toContain('with video');
    const only = await say('/beatmap download 900002 video:yes');
    expect(labels(only)).toEqual(['Download', 'Open on osu!']);
    expect(all(only)).toMatch(/"https:\/\/catboy.best\/d\/900002[^"]*","children":\["catboy"\]/);
    expect(all(only)).toContain(' (not asked yet)');
    expect(labels(await say('/beatmap download 900006'))).toEqual(['Open on osu!']);
  });

  it.each([
    [`/beatmap search ${'a'.repeat(10_000)}`, 'can be at most 500 characters long'],
    ['/beatmap search comet mode:chess', 'must be one of: osu, taiko, catch, mania'],
    ['/beatmap search comet sort:plays_asc', '“sort” must be one of: artist, creator'],
    ['/beatmap info zzzz qqqq', 'I found no beatmap with these words'],
    ['/beatmap info 123456789', 'That beatmap does not exist, or it was deleted.'],
    ['/beatmap info https://osu.ppy.sh/users/1', 'does not lead to an osu! beatmap'],
    ['/beatmap info comet +XX', 'I do not know the mod “XX”'],
    ['/beatmap info comet +HREZ', 'cannot be combined'],
    ['/osu profile nobody at all', 'That player does not exist, or is restricted.'],
    ['/osu profile gonefishing', 'That player does not exist, or is restricted.'],
    ['/osu gonefishing', 'That player does not exist, or is restricted.'],
    ['/beatmap serch', 'I do not know /beatmap serch. These are the commands: /beatmap search,'],
    ['/osuu', 'These are the commands: /download, /beatmap, /osu, /settings,'],
    ['/osu scores gonefishing', 'That player does not exist, or is restricted.'],
    ['/osu profile <script>', 'Name a player by name'],
    ['/osu profile', '/osu link'],
    ['/osu score https://osu.ppy.sh/scores/77', 'That score does not exist, or osu! no longer keeps it.'],
    ['/osu score https://osu.ppy.sh/users/1', 'does not lead to an osu! score'],
  ])('says in one sentence what is amiss with %.40s', async (text, sentence) => {
    const { say } = await open();
    const replies = await say(text);
    expect(replies).toHaveLength(1);
    expect(replies[0]?.tone).toBe('notice');
    expect(replies[0]?.blocks).toHaveLength(1);
    expect(all(replies)).toContain(sentence);
  });

  it.each([
    ['/beatmap serch comet', '/beatmap search comet'],
    ['/beatmp search comet', '/beatmap search comet'],
    ['/serch comet', '/beatmap search comet'],
    ['/dowload', '/download'],
    ['/hlep osu', '/help osu'],
    ['/weather today', undefined],
  ])('offers what %s was probably meant for', async (text, line) => {
    const { say, press } = await open();
    const [reply] = await say(text);
    expect(reply?.actions.map(({ label }) => label)).toEqual(line === undefined ? [] : [`Did you mean ${line}?`]);
    const [action] = reply?.actions ?? [];
    if (line?.includes('comet') !== true || action?.kind !== 'button') return;
    expect(all(await press(action.token))).toContain('Paper Comet');
  });

  it('knows a linked player until they are unlinked or forgotten', async () => {
    const { say, services, options } = await open();
    expect(all(await say('/osu link lamp_post taiko'))).toContain('Linked lamp post in osu!taiko.');
    expect((await services.settings.user(callerKey(sari))).player).toEqual({
      id: 4_400_001,
      name: 'lamp post',
      mode: 'taiko',
      proven: false,
    });
    expect(all(await say('/osu profile'))).toContain('osu!taiko');
    expect(all(await say('/settings'))).toMatch(/osu! player.*lamp post.*osu!taiko.*\/osu unlink removes it/);
    expect(all(await say('/osu scores recent'))).toContain('recent plays (osu!taiko)');
    expect(await options('osu profile', 'player', 'la')).toEqual([{ label: 'lamp post (you)', value: 'lamp post' }]);
    expect(all(await say('/osu unlink'))).toContain('Unlinked lamp post.');
    expect((await services.settings.user(callerKey(sari))).player).toBeNull();
    expect(all(await say('/settings'))).toContain('none; link yours with /osu link');
    await say('/osu link lamp_post');
    await say('/forget me');
    expect((await services.settings.user(callerKey(sari))).player).toBeNull();
  });

  it('says calmly what needs a key, and does the rest without', async () => {
    const { say } = await open({ withCredentials: false });
    for (const text of ['/osu profile lamp post', '/osu scores', '/osu maps x1', '/osu link x1']) {
      expect(all(await say(text))).toContain('Only osu! itself knows players');
    }
    expect(all(await say('https://osu.ppy.sh/scores/5000000001'))).toContain('Only osu! itself knows scores');
    expect(all(await say('/beatmap info paper comet'))).toContain('Paper Comet');
  });

  it('answers from what it knows when no upstream answers, and says so', async () => {
    const store = openStore(':memory:');
    const catalogue = createCatalogueHere({ store, onFailure: failure => expect.unreachable(String(failure)) });
    await catalogue.warm();
    const { say, sandbox, options } = await open({ withCredentials: false, catalogue });
    await say('/beatmap search glass harbour');
    await catalogue.flush();
    for (const site of ['osu-direct.*', 'hinai.*', 'catboy.*'] as const) sandbox.faults.set(site, 'status:503');
    expect(all(await say('/beatmap search harbour'))).toContain('this is from my own copy');
    expect(all(await say('/beatmap search comet'))).toContain('The beatmap sites are not answering right now');
    sandbox.clearRequests();
    for (const typed of ['glass har', '900002', 'osu.ppy.sh/s/900002']) {
      const [found] = await options('beatmap info', 'map', typed);
      expect(found?.label).toBe('Marble Lanterns - Glass Harbour (Old Ferry)');
      expect(found?.value).toBe('https://osu.ppy.sh/beatmapsets/900002');
    }
    expect(sandbox.requests).toEqual([]);
    await catalogue.close();
    store.close();
  });

  it('answers in Indonesian, figures included', async () => {
    const { say } = await open();
    const tono = sampleCaller({ locales: ['id'] });
    expect(all(await say('/osu profile lamp post', tono))).toMatch(/Peringkat.*#21\.480.*97,85%/);
    expect(all(await say('/beatmap info paper comet', tono))).toMatch(/Tingkat kesulitan.*1,60★/);
    expect(all(await say('/osu profile gonefishing', tono))).toContain('Pemain itu tidak ada');
  });

  it('answers pasted osu! links, each once', async () => {
    const { say, press } = await open();
    const text = 'osu.ppy.sh/u/4400002 and https://osu.ppy.sh/b/9000014, https://osu.ppy.sh/beatmaps/9000014';
    const replies = await say(text);
    expect(replies).toHaveLength(2);
    expect(all(replies)).toMatch(/Drum_Kitten.*Paper Comet/);
    const plays = await say('https://osu.ppy.sh/scores/5000000001 https://osu.ppy.sh/scores/taiko/4000000000');
    expect(plays).toHaveLength(2);
    expect(all(plays)).toMatch(/lamp post.*Paper Comet \[Normal\].*Drum_Kitten.*Slow Tram/);
    expect(plays[1]?.actions[0]).toMatchObject({ kind: 'link', url: 'https://osu.ppy.sh/scores/taiko/4000000000' });
    expect(all(await press(buttonOf(plays, 'Beatmap')))).toContain('Other difficulties');
    expect(all(await press(buttonOf(plays, 'Player')))).toContain('#21,480');
    expect(all(await say('https://osu.ppy.sh/wiki'))).toContain('does not lead to an osu! beatmap');
  });
});

describe('pasted osu! links in groups', () => {
  const LINK = 'https://osu.ppy.sh/beatmapsets/901';

  it('are left alone until its admins want them, unless said to Medley itself', async () => {
    const { say, services, dispatcher } = setUp(fakeBeatmaps().beatmaps);
    expect(await say(LINK, group())).toEqual([]);
    const direct = { kind: 'text', text: LINK, caller: group(), direct: true } as const;
    expect(await dispatcher.linksOf(direct)).toEqual([{ url: LINK, spoiler: false }]);
    await say('/settings osu-links:on', group({ isChatAdmin: true }));
    expect((await services.settings.chat(chatKey(group()))).osuLinks).toBe(true);
    expect(await say(LINK, group())).toHaveLength(1);
    await services.settings.setChat(chatKey(group()), { autoDetect: false });
    expect(await say(`${LINK} https://www.instagram.com/p/a/`, group())).toHaveLength(1);
  });

  it('share one look-up, but not with people who ask for themselves', async () => {
    const { beatmaps, calls } = fakeBeatmaps();
    const { say } = setUp(beatmaps);
    await Promise.all([say(LINK), say('osu.ppy.sh/s/901', sampleCaller({ userId: 'budi' }))]);
    expect(calls).toHaveLength(1);
  });
});

describe('over a beatmap room that fails', () => {
  const CODES: readonly (readonly [ErrorCode, RegExp])[] = [
    ['upstream_unavailable', /(?:is|are) not answering right now.*in 20 seconds/],
    ['upstream_rate_limited', /slow down.*in 20 seconds/],
    ['upstream_changed', /in a way I cannot read/],
    ['timeout', /too long to answer/],
  ];

  it.each(CODES)('words %s for maps and for players, never for posts', async (code, sentence) => {
    const fail = () => Promise.reject(new AppError(code, 'so it is', { retryAfterMs: 20_000 }));
    const { say } = setUp(fakeBeatmaps({ search: fail, set: fail, user: fail, download: fail }).beatmaps);
    for (const text of [
      '/beatmap search a',
      '/beatmap info 12',
      '/beatmap download 12',
      '/osu profile x12',
      '/osu link x12',
    ]) {
      const said = all(await say(text));
      expect(said).toMatch(sentence);
      expect(said).not.toMatch(/\bpost\b|\blink is fine/);
    }
  });

  it('says that osu! cannot be reached where nothing can', async () => {
    const offline = new AppError('upstream_unavailable', 'no way', { params: { what: 'offline' } });
    const fail = () => Promise.reject(offline);
    const { say } = setUp(fakeBeatmaps({ search: fail, set: fail, user: fail, download: fail }).beatmaps);
    for (const text of ['/beatmap search a', '/beatmap info 12', '/osu profile x12']) {
      expect(all(await say(text))).toContain(
        'I cannot reach osu! because this server seems to have no internet connection.',
      );
    }
  });

  it('says when words were mended, and leaves covers of explicit sets out', async () => {
    const search = async () =>
      ({ ...FOUND, sets: [madeUpSet({ nsfw: true })], source: 'catalogue', corrected: true }) as const;
    const { say } = setUp(fakeBeatmaps({ search }).beatmaps);
    const [found] = await say('/beatmap search kitt');
    const said = all([found].filter(each => each !== undefined));
    expect(said).toMatch(/may be what you meant.*explicit/);
    expect(said).not.toContain('osu! was not asked');
    expect(found?.blocks.find(block => block.kind === 'card')?.image).toBeUndefined();
  });

  it('says beside the status that osu! has put a set in a spotlight', async () => {
    const shown = async (spotlight: boolean | null) => {
      const set = madeUpSet({ spotlight });
      const search = async () => ({ ...FOUND, sets: [set] });
      const { say } = setUp(fakeBeatmaps({ search, set: async () => ({ ...FOUND, set }) }).beatmaps);
      return [all(await say('/beatmap search kite')), all(await say('/beatmap info 901'))];
    };
    for (const said of await shown(true)) expect(said).toContain('"ranked"," · ","spotlight"');
    for (const said of [...(await shown(false)), ...(await shown(null))]) expect(said).not.toContain('spotlight');
  });

  it('shows what no upstream said as nothing', async () => {
    const bare = madeUpSet({
      beatmaps: [],
      bpm: null,
      user_id: null,
      favourite_count: null,
      play_count: null,
      ranked_date: null,
      last_updated: null,
    });
    const set = async () => ({ set: bare, source: 'osu', stale: false }) as const;
    const { say } = setUp(fakeBeatmaps({ set }).beatmaps);
    expect(all(await say('/beatmap info 12'))).not.toMatch(/null|NaN|undefined|Infinity/);
  });
});
