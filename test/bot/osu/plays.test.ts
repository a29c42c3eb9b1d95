import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSvgRasterizer } from '../../../src/bot/cards/svg-rasterizer.ts';
import type { Action, Reply } from '../../../src/bot/contract/reply.ts';
import { type Caller, callerKey, chatKey } from '../../../src/bot/contract/request.ts';
import { type BuiltWorker, buildWorker } from '../../beatmaps/built-worker.ts';
import { made } from '../../fakes/beatmaps.ts';
import { sampleCaller } from '../sample.ts';
import { type OsuStage, type OsuStageOptions, openOsuStage, textOf } from './osu-stage.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker();
});
afterAll(() => worker.remove());

const open = (options: Omit<OsuStageOptions, 'workerFile'> = {}) =>
  openOsuStage({ ...options, workerFile: worker.file });

const inGroup = (userId: string, own: Partial<Caller> = {}) =>
  sampleCaller({ platform: 'discord', userId, chatId: 'channel', groupId: 'guild', chatKind: 'group', ...own });

/** Links a player to a member of the group. */
async function linkMember({ settings, memory }: OsuStage['services'], index: number, id: number): Promise<void> {
  const caller = inGroup(`member${index}`);
  await settings.setUser(callerKey(caller), { player: { id, name: `member ${index}`, mode: null, proven: false } });
  await memory.members.note(chatKey(caller), callerKey(caller));
}

async function linkNineMembers(services: OsuStage['services']): Promise<void> {
  for (let index = 0; index < 9; index += 1) await linkMember(services, index, 4_400_001 + index * 10);
}

function buttonOf([reply]: readonly Reply[], label: string): string {
  const found = reply?.actions.find((action): action is Extract<Action, { kind: 'button' }> => {
    return action.kind === 'button' && action.label === label;
  });
  if (found === undefined) throw new Error(`no button ${label}`);
  return found.token;
}

const labels = ([reply]: readonly Reply[]) => reply?.actions.map(({ label }) => label) ?? [];
const PAPER_COMET = 'https://osu.ppy.sh/beatmapsets/900001#osu/9000014';

/** Every command about plays, as a person without a link writes it in a chat that saw no map. */
const COMMANDS = [
  '/osu recent lamp post',
  '/osu recent lamp post index:2',
  `/osu compare ${PAPER_COMET} lamp post`,
  `/beatmap leaderboard ${PAPER_COMET}`,
  `/beatmap leaderboard ${PAPER_COMET} +DT`,
  `/beatmap simulate ${PAPER_COMET} +HDDT accuracy:98 misses:1`,
  '/osu scores lamp post',
  '/osu scores lamp post mods:HD sort:accuracy chokes:yes',
  '/osu nochoke lamp post',
  '/osu topif lamp post +HD',
  '!topold lamp post',
  '/osu versus lamp_post tea_kettle',
  '/osu daily lamp post',
  '/osu ranking world',
  '/osu whatif 300 2 lamp post',
  '/osu target 7000 lamp post',
  '/osu target rank:5000 player:lamp post',
];

describe('the calls of osu!’s API', () => {
  it.each(COMMANDS)('that %s takes are six at most, and none when it is repeated', async text => {
    const { say, calls, sandbox } = await open({ beatmapsets: 20 });
    const [first] = await say(text);
    expect(first?.tone).toBe('neutral');
    const { api, attributes } = calls();
    expect(api).toBeGreaterThan(0);
    expect(api).toBeLessThanOrEqual(6);
    expect(attributes).toBeLessThanOrEqual(5);
    sandbox.clearRequests();
    await say(text);
    expect(calls()).toEqual({ api: 0, attributes: 0 });
  });

  it('that lists of a group take are six at most', async () => {
    const { say, press, calls, sandbox } = await open();
    for (const [userId, name] of [
      ['sari', 'lamp post'],
      ['budi', 'night bus'],
      ['wati', 'tea kettle'],
    ] as const) {
      await say(`/osu link ${name}`, inGroup(userId));
    }
    sandbox.clearRequests();
    await say('/osu ranking', inGroup('sari'));
    expect(calls().api).toBe(1);
    sandbox.clearRequests();
    const shown = await say(`/beatmap leaderboard ${PAPER_COMET} here`, inGroup('sari'));
    expect(calls().api).toBe(4);
    sandbox.clearRequests();
    await press(buttonOf(shown, 'World'), inGroup('sari'));
    expect(calls().api).toBe(1);
  });
});

describe('the cover of an image card', () => {
  it.each([
    '/osu recent lamp post',
    '/osu score https://osu.ppy.sh/scores/5000000001',
    `/osu compare ${PAPER_COMET} lamp post`,
    `/beatmap simulate ${PAPER_COMET}`,
  ])('is asked for beside the ratings of %s', async text => {
    const { say } = await open({
      instead({ ratings }) {
        let onCover = () => {};
        const asked = new Promise<void>(resolve => {
          onCover = resolve;
        });
        return {
          painter: createSvgRasterizer(),
          artwork: { load: async () => void onCover() },
          ratings: {
            ...ratings,
            async ofMaps(requests, signal) {
              await asked;
              return ratings.ofMaps(requests, signal);
            },
          },
        };
      },
    });
    expect(textOf(await say(text))).toContain('"kind":"picture"');
  });
});

describe('a recent play', () => {
  it('of osu!lazer opens its map and its simulation, at its speed and without mods that no command takes', async () => {
    const { say, press } = await open({
      instead: ({ beatmaps }) => ({
        beatmaps: {
          ...beatmaps,
          async userScores(...asked) {
            const { scores, ...answer } = await beatmaps.userScores(...asked);
            const mods = [{ acronym: 'DT', settings: { speed_change: 1.35 } }, { acronym: 'WG' }];
            return { ...answer, scores: scores.map(score => ({ ...score, mods })) };
          },
        },
      }),
    });
    const last = await say('/osu recent lamp post');
    expect(textOf(await press(buttonOf(last, 'Beatmap')))).toContain('With +DT.');
    expect(textOf(await press(buttonOf(last, 'Simulate')))).toContain('1.35x speed');
  });

  it('stands with its place on the map and among the best, and what a full combo had given', async () => {
    const { say, press } = await open();
    const last = await say('/osu recent lamp post');
    expect(textOf(last)).toMatch(/most recent play \(osu!\)/);
    expect(textOf(last)).toMatch(/#12 on this map/);
    expect(textOf(last)).toMatch(/#\d+ of the best plays/);
    expect(textOf(last)).toMatch(/as a full combo about #\d+ of the best plays, \+\d+\.?\d* pp in total/);
    expect(textOf(last)).toMatch(/×300/);
    const failed = await press(buttonOf(last, 'Earlier'));
    expect(textOf(failed)).toMatch(/recent play 2 \(osu!\)/);
    expect(textOf(failed)).toMatch(/failed at \d+%/);
    expect(textOf(failed)).toMatch(/about \d+ pp up to there/);
    expect(textOf(failed)).not.toMatch(/on this map/);
    expect(textOf(await press(buttonOf(failed, 'Later')))).toContain('most recent play');
  });

  it('opens its map, its leaderboard, a simulation, and its player', async () => {
    const { say, press } = await open();
    const last = await say('/osu recent lamp post');
    expect(textOf(await press(buttonOf(last, 'Beatmap')))).toContain('Other difficulties');
    expect(textOf(await press(buttonOf(last, 'Leaderboard')))).toContain('Best of the world');
    expect(textOf(await press(buttonOf(last, 'Simulate')))).toContain('What a play would be worth');
    expect(textOf(await press(buttonOf(last, 'Player')))).toContain('#21,480');
    expect(textOf(await press(buttonOf(last, 'Best plays')))).toContain('best plays');
    const profile = await say('/osu profile lamp post');
    expect(textOf(await press(buttonOf(profile, 'Recent plays')))).toContain('most recent play');
  });

  it('is one that was passed where passes alone are asked for', async () => {
    const { say, press } = await open();
    const first = await say('/osu recent lamp post pass');
    const second = await press(buttonOf(first, 'Earlier'));
    expect(textOf(second)).toContain('recent play 2 (osu!)');
    expect(textOf(second)).not.toContain('failed at');
    expect(textOf(await say('/osu recent lamp post pass index:90'))).toMatch(/There are only \d+ plays like that/);
  });

  it('that is simulated with hits says that the accuracy beside them is left out', async () => {
    const { say } = await open();
    const left = 'follows from the hits, so 98% is left out';
    expect(textOf(await say(`/beatmap simulate ${PAPER_COMET} 98% n100=3`))).toContain(left);
    expect(textOf(await say(`/beatmap simulate ${PAPER_COMET} n100=3`))).not.toContain('follows from the hits');
  });

  it.each(['ar10 od=9', 'bpm=200', 'CS4'])('that is simulated is not another map found by %s', async figures => {
    const { say, calls } = await open();
    expect(textOf(await say(`/beatmap simulate ${figures}`))).toContain(
      `does not understand “${figures.split(' ')[0]}”`,
    );
    expect(calls().api).toBe(0);
  });

  it('says how many there are where the nth is not', async () => {
    const { say } = await open();
    expect(textOf(await say('/osu recent lamp post index:90'))).toMatch(/There were only \d+ plays/);
    expect(textOf(await say('/osu recent Drum_Kitten mode:mania index:50'))).toMatch(/There were only \d+ plays/);
  });

  it('is asked for in the form of Telegram’s menu, too', async () => {
    const { say } = await open();
    expect(textOf(await say('/osu_recent lamp post'))).toContain('most recent play');
    expect(textOf(await say('/osu_whatif 300 lamp post'))).toContain('One more play of 300 pp');
    expect(textOf(await say(`/beatmap_leaderboard ${PAPER_COMET}`))).toContain('Best of the world');
  });
});

describe('a map that was deleted', () => {
  it.each(['/osu compare', '/beatmap leaderboard', '/beatmap simulate'])('is what %s speaks of', async text => {
    const { say, services } = await open();
    const sari = inGroup('sari');
    await say('/osu link lamp post', sari);
    await services.memory.maps.remember(sari, { id: 7_777_777, ruleset: 'osu' });
    expect(textOf(await say(text, sari))).toContain('That beatmap does not exist, or it was deleted.');
  });

  it('is still that when only its plays are gone', async () => {
    const { say, sandbox } = await open();
    await say('/osu link lamp post');
    sandbox.faults.set('osu.own-scores', 'status:404');
    expect(textOf(await say(`/osu compare ${PAPER_COMET}`))).toContain('That beatmap does not exist');
  });
});

describe('the map last shown', () => {
  it('is remembered for each chat, by whomever it was shown', async () => {
    const { say } = await open();
    const sari = inGroup('sari');
    await say('/osu link lamp post', sari);
    expect(textOf(await say('/osu compare', sari))).toContain('No map was shown in this chat lately');
    await say(`/beatmap info ${PAPER_COMET}`, inGroup('budi'));
    expect(textOf(await say('/osu compare', sari))).toMatch(/lamp post.*Paper Comet \[Insane\]/);
    const elsewhere = inGroup('sari', { chatId: 'other channel' });
    expect(textOf(await say('/osu compare', elsewhere))).toContain('No map was shown');
    expect(textOf(await say('/beatmap leaderboard', sari))).toContain('Paper Comet [Insane]');
    expect(textOf(await say('/beatmap simulate +DT', sari))).toContain('Paper Comet [Insane]');
  });

  it.each([
    ['/osu recent lamp post', /Paper Comet/],
    ['/osu score https://osu.ppy.sh/scores/5000000001', /Paper Comet \[Normal\]/],
    ['/osu score 5000000001', /Paper Comet \[Normal\]/],
    ['/beatmap info 900001', /Paper Comet \[Expert\]/],
    ['https://osu.ppy.sh/beatmapsets/900001#taiko', /Paper Comet \[Expert\].*osu!taiko/],
    ['/osu scores lamp post index:1', /\[/],
    ['/beatmap simulate paper comet', /Paper Comet \[Expert\]/],
    ['!sim Marble Lanterns - Paper Comet [Easy] 98%', /Paper Comet \[Easy\]/],
    ['!sim Paper Comet [insane] +HD', /Paper Comet \[Insane\]/],
    ['!m Vega Foundry - Seven Keys to Nowhere [[5K] Normal]', /Keys to Nowhere \[\[5K\] Normal\]/],
  ])('is the one of %s', async (text, map) => {
    const { say } = await open();
    await say(text);
    expect(textOf(await say('/beatmap leaderboard'))).toMatch(map);
  });

  it('has buttons for the ruleset that the link of its set names', async () => {
    const { say, press } = await open();
    const info = await say('https://osu.ppy.sh/beatmapsets/900001#taiko');
    expect(textOf(await press(buttonOf(info, 'Leaderboard')))).toMatch(/Paper Comet \[Expert\].*osu!taiko/);
  });

  it('of a private chat is forgotten with the person', async () => {
    const { say } = await open();
    await say(`/beatmap info ${PAPER_COMET}`);
    expect(textOf(await say('/beatmap leaderboard'))).toContain('Paper Comet');
    await say('/forget me');
    expect(textOf(await say('/beatmap leaderboard'))).toContain('No map was shown');
  });
});

describe('compare', () => {
  it.each([
    `/osu compare ${PAPER_COMET} lamp post`,
    '/osu compare 9000014 lamp post',
    `/osu compare lamp post map:${PAPER_COMET}`,
    '/osu compare player:lamp_post map:osu.ppy.sh/b/9000014',
  ])('reads %s', async text => {
    const { say } = await open();
    const found = await say(text);
    expect(textOf(found)).toMatch(/lamp post.*plays on this map.*Paper Comet \[Insane\]/);
    expect(found[0]?.blocks.filter(({ kind }) => kind === 'card')).toHaveLength(2);
  });

  it('takes words that name no player for a map’s, and the linked player', async () => {
    const { say } = await open();
    expect(textOf(await say('/osu compare paper comet'))).toContain('That player does not exist');
    await say('/osu link lamp post');
    expect(textOf(await say('/osu compare paper comet'))).toMatch(/lamp post.*Paper Comet \[Expert\]/);
  });

  it('says when there is no play', async () => {
    const { say } = await open();
    const text = await say('/osu compare https://osu.ppy.sh/b/9000071 lamp post');
    expect(textOf(text)).toContain('lamp post has no play that counts on this map.');
    expect(labels(text)).toContain('Leaderboard');
  });
});

describe('a leaderboard', () => {
  it('of the world has ten a page, those with mods, or a sentence', async () => {
    const { say } = await open();
    const world = await say(`/beatmap leaderboard ${PAPER_COMET}`);
    expect(textOf(world)).toMatch(/1\. .*salt shaker.*2\. .*Window Seat/);
    const double = textOf(await say('/beatmap leaderboard mods:DT'));
    expect(double).toContain('Best of the world +DT');
    expect(double).not.toContain('salt shaker');
    expect(textOf(await say('/beatmap leaderboard +EZ'))).toContain('This map has no plays like that yet.');
    expect(textOf(await say('/beatmap leaderboard page:2'))).toContain('That is all; the list ends here.');
    expect(textOf(await say('/beatmap leaderboard 900007'))).toContain('osu! keeps no leaderboard for this map.');
    expect(textOf(await say('!lb https://osu.ppy.sh/beatmapsets/900001#taiko'))).toContain('osu!taiko');
  });

  it('of a country has its players among the best of the world, by one call more', async () => {
    const { say, calls, sandbox } = await open();
    await say(`/beatmap info ${PAPER_COMET}`);
    expect(textOf(await say('!lb country'))).toContain('Name a player, or link your own');
    await say('/osu link lamp post');
    const own = textOf(await say('!lb country'));
    expect(own).toMatch(/Best of ID, among the first 50 of the world.*1\. .*lamp post/);
    expect(own).not.toContain('salt shaker');
    sandbox.clearRequests();
    expect(textOf(await say('!lb country=jp +DT'))).toMatch(/Best of JP.* \+DT.*Nobody from JP/);
    expect(calls().api).toBe(2);
    expect(textOf(await say('!lb country=japan +DT'))).toContain('Best of JP');
    expect(textOf(await say('!lb country=Atlantis'))).toContain('I know no country by “Atlantis”.');
  });

  it('of a chat has the linked members who used Medley there, until they are forgotten', async () => {
    const { say, services } = await open();
    expect(textOf(await say(`/beatmap leaderboard ${PAPER_COMET} here`))).toContain('it works in groups');
    await say('/osu link lamp post', inGroup('sari'));
    await say('/osu link night bus', inGroup('budi'));
    await say('/osu link tea kettle', inGroup('wati', { chatId: 'far away', groupId: 'other guild' }));
    await say(`/beatmap info ${PAPER_COMET}`, inGroup('tono'));
    const here = textOf(await say('/beatmap leaderboard of:here', inGroup('sari')));
    expect(here).toMatch(/lamp post/);
    expect(here).toMatch(/night bus/);
    expect(here).not.toMatch(/tea kettle|salt shaker/);
    await say('/forget me', inGroup('budi'));
    expect(await services.memory.members.list(chatKey(inGroup('sari')))).toEqual([callerKey(inGroup('sari'))]);
    expect(textOf(await say('/beatmap leaderboard of:here', inGroup('sari')))).not.toMatch(/night bus/);
  });

  it.each(['DT', 'NC'])('of a chat counts Nightcore as Double Time, for +%s', async mods => {
    const { say } = await open({
      instead: ({ beatmaps }) => ({
        beatmaps: {
          ...beatmaps,
          async memberMapScores(...asked) {
            const { scores, ...answer } = await beatmaps.memberMapScores(...asked);
            return { ...answer, scores: scores.map(score => ({ ...score, mods: [{ acronym: 'NC' }] })) };
          },
        },
      }),
    });
    await say('/osu link lamp post', inGroup('sari'));
    const here = await say(`/beatmap leaderboard ${PAPER_COMET} here mods:${mods}`, inGroup('sari'));
    expect(textOf(here)).toMatch(/1\. .*lamp post/);
  });

  it('asks about a few members at a time', async () => {
    const { say, press, services, calls, sandbox } = await open();
    await linkNineMembers(services);
    const first = await say(`/beatmap leaderboard ${PAPER_COMET} here`, inGroup('tono'));
    expect(calls().api).toBe(5);
    expect(textOf(first)).toContain('5 players of this chat were not looked up yet.');
    sandbox.clearRequests();
    const second = await press(buttonOf(first, 'More'), inGroup('tono'));
    expect(calls().api).toBe(4);
    expect(textOf(second)).toContain('1 player of this chat was not looked up yet.');
    expect(labels(await press(buttonOf(second, 'More'), inGroup('tono')))).not.toContain('More');
  });

  it('of a chat says on every page that none of the members asked so far has a play', async () => {
    const { say, press, services } = await open({
      instead: ({ beatmaps }) => ({
        beatmaps: {
          ...beatmaps,
          memberMapScores: async (...asked) => ({ ...(await beatmaps.memberMapScores(...asked)), scores: [] }),
        },
      }),
    });
    await linkNineMembers(services);
    const first = await say(`/beatmap leaderboard ${PAPER_COMET} here`, inGroup('tono'));
    expect(textOf(first)).toContain('None of the linked players of this chat has a play like that');
    const second = textOf(await press(buttonOf(first, 'More'), inGroup('tono')));
    expect(second).toContain('None of the linked players of this chat has a play like that');
    expect(second).not.toContain('That is all');
    expect(second).toContain('1 player of this chat was not looked up yet.');
  });
});

describe('a simulation', () => {
  const ppOf = (replies: readonly Reply[]) => Number(/This play: .*?"(\d+) pp"/.exec(textOf(replies))?.[1]);

  it('says what a play would be worth, and what usual ones would', async () => {
    const { say } = await open();
    const best = ppOf(await say(`/beatmap simulate ${PAPER_COMET} accuracy:100`));
    const one = ppOf(await say('/beatmap simulate accuracy:100 misses:1'));
    const broken = ppOf(await say('/beatmap simulate accuracy:98 misses:1 combo:50'));
    expect(best).toBeGreaterThan(one);
    expect(one).toBeGreaterThan(broken);
    const usual = textOf(await say('/beatmap simulate'));
    expect(usual).toMatch(/95%.*97%.*98%.*99%.*100%/);
    expect(usual).not.toContain('This play');
  });

  it('is on an image card whose words have all its pp', async () => {
    const { say } = await open({ instead: () => ({ painter: createSvgRasterizer() }) });
    const [reply] = await say(`/beatmap simulate ${PAPER_COMET} +HDDT accuracy:98 misses:1`);
    const picture = reply?.blocks.find(block => block.kind === 'picture');
    expect(picture?.alt).toMatch(
      /^Marble Lanterns - Paper Comet \[Insane\] \+HDDT: 98%, 1 miss: \d+ pp; 95%: \d+ pp; .*100%: \d+ pp$/,
    );
  });

  it('counts results', async () => {
    const { say } = await open();
    const counted = textOf(await say(`/beatmap simulate ${PAPER_COMET} n100:10 n50:0 misses:2`));
    expect(counted).toMatch(/This play: .*98\.\d+%.*2 misses/);
    expect(textOf(await say('/beatmap simulate n300:1 n100:0 n50:0'))).toMatch(/This play: .*624 misses/);
    expect(textOf(await say('/beatmap simulate combo:9999 accuracy:98'))).toMatch(/This play: .*874x/);
    expect(textOf(await say('/beatmap simulate n100:99999'))).toContain('These results do not fit that map.');
    expect(textOf(await say('/beatmap simulate 900008 n100:1'))).toContain(
      'In osu!catch, and for converted maps, give accuracy',
    );
  });

  it('plays at other speeds, and leads on by buttons', async () => {
    const { say, press } = await open();
    const fast = await say(`/beatmap simulate ${PAPER_COMET} accuracy:99 rate:1.2`);
    expect(textOf(fast)).toMatch(/1\.2x speed.*216 BPM/);
    const plain = await say('/beatmap simulate accuracy:99');
    expect(ppOf(fast)).toBeGreaterThan(ppOf(plain));
    const missed = await press(buttonOf(plain, '1 miss'));
    expect(textOf(missed)).toMatch(/99%.*1 miss/);
    expect(textOf(await press(buttonOf(missed, 'Full combo')))).toMatch(/99%.*full combo/);
    expect(textOf(await press(buttonOf(plain, '95%')))).toMatch(/This play: .*95%/);
    const menu = plain[0]?.actions.find(action => action.kind === 'menu');
    const hidden = menu?.choices.find(({ label }) => label === '+HDDT');
    expect(textOf(await press(hidden?.token ?? ''))).toMatch(/\+HDDT/);
  });

  it('needs no key', async () => {
    const { say } = await open({ withCredentials: false });
    const found = await say('/beatmap simulate 900001 +DT accuracy:98,5%');
    expect(textOf(found)).toMatch(/This play: .*98\.5%/);
    expect(textOf(found)).toContain('about');
  });

  it.each([
    ['accuracy:101', '“accuracy” must be a number from 0 to 100.'],
    ['rate:9', '“rate” must be a number from 0.5 to 2.'],
    ['mods:XX', 'I do not know the mod “XX”'],
  ])('says what is amiss with %s', async (option, sentence) => {
    const { say } = await open();
    expect(textOf(await say(`/beatmap simulate 900001 ${option}`))).toContain(sentence);
  });
});

describe('a list of plays', () => {
  it('is filtered, ordered, reversed, and one of it picked', async () => {
    const { say, press } = await open({ beatmapsets: 20 });
    const placed = (replies: readonly Reply[]) =>
      [...textOf(replies).matchAll(/"(\d+)\. "/g)].map(([, place]) => Number(place));
    const hidden = await say('/osu scores lamp post mods:HD');
    expect(textOf(hidden)).toMatch(/\d+ plays/);
    expect(textOf(hidden)).not.toContain('+DT');
    const worst = await say('/osu scores lamp post reverse:yes');
    const best = await say('/osu scores lamp post');
    expect(placed(best)).toEqual([1, 2, 3, 4, 5]);
    expect(placed(worst)[0]).toBeGreaterThan(placed(worst)[1] ?? 0);
    const third = await say('/osu scores lamp post index:3');
    expect(placed(third)).toEqual([3]);
    expect(placed(await press(buttonOf(third, 'More')))).toEqual([4]);
    expect(placed(await press(buttonOf(third, 'Back')))).toEqual([2]);
    const found = await say('/osu scores lamp post search:paper comet stars>3');
    expect(textOf(found)).toContain('Paper Comet [Insane]');
    expect(textOf(found)).not.toContain('[Normal]');
    for (const grade of ['X', 'xh', 'D']) {
      expect(textOf(await say(`/osu scores lamp post grade:${grade}`))).toContain('No play is like that.');
    }
    expect(placed(await say('/osu scores lamp post grade:SH'))).toEqual(
      placed(await say('/osu scores lamp post grade:S')),
    );
    expect(textOf(await say('/osu scores lamp post mods:HD index:190'))).toMatch(/There are only \d+ plays like that/);
    const more = await press(buttonOf(hidden, 'More'));
    expect(textOf(more)).toContain('page 2');
    expect(textOf(more)).not.toContain('+DT');
  });

  it('opens a converted map in the ruleset in which it was played', async () => {
    const { say, press } = await open();
    const [list] = await say('/osu scores Drum_Kitten');
    const cards = list?.blocks.filter(block => block.kind === 'card') ?? [];
    const card = cards.find(({ title }) => JSON.stringify(title).includes('[Expert]'));
    expect(JSON.stringify(card?.title)).toMatch(/beatmapsets\/\d+#taiko\/\d+/);
    const action = card?.action;
    expect(textOf(await press(action?.kind === 'button' ? action.token : ''))).toMatch(/Expert.*osu!taiko/);
    const reworked = JSON.stringify(await say('/osu topif Drum_Kitten mods:HR'));
    expect(reworked).toMatch(/beatmapsets\/\d+#taiko\/\d+[^}]*\[Expert\]/);
    const menu = list?.actions.find(action => action.kind === 'menu');
    const choice = menu?.choices.find(({ label }) => label.includes('[Expert]'));
    expect(textOf(await press(choice?.token ?? ''))).toMatch(/Expert.*osu!taiko/);
    const score = await say('/osu score https://osu.ppy.sh/scores/5000000900');
    expect(textOf(await press(buttonOf(score, 'Beatmap')))).toMatch(/With \+HD\..*Expert.*osu!taiko/);
  });

  it('without chokes says what the total would be', async () => {
    const { say, press } = await open();
    let shown = await say('/osu nochoke lamp post');
    // The files of all its maps may take longer than a card waits.
    for (let turn = 0; turn < 5 && labels(shown).includes('Go on'); turn += 1) {
      shown = await press(buttonOf(shown, 'Go on'));
    }
    const [, now = '', then = ''] = /([\d,]+) pp now, about ([\d,]+) pp without chokes/.exec(textOf(shown)) ?? [];
    expect(Number(then.replace(',', ''))).toBeGreaterThan(Number(now.replace(',', '')));
    expect(textOf(shown)).toMatch(/\d+ → about \d+ pp/);
  });

  it('without chokes are none of a player who has none', async () => {
    const none = { scores: [], cursor: null, source: 'osu', stale: false } as const;
    const { say } = await open({
      instead: ({ beatmaps }) => ({ beatmaps: { ...beatmaps, userScores: async () => none } }),
    });
    expect(textOf(await say('/osu nochoke lamp post'))).toContain('There are no plays that count here yet.');
  });
});

describe('what could be', () => {
  it('is said of one more play, or several', async () => {
    const { say } = await open();
    expect(textOf(await say('/osu whatif 900 lamp post'))).toMatch(
      /One more play of 900 pp.*6,241 → [67],\d\d\d pp.*#1 of the best plays/,
    );
    expect(textOf(await say('/osu whatif 900 3 lamp post'))).toContain('3 more plays of 900 pp');
  });

  it('is said of a total and of a rank', async () => {
    const { say } = await open();
    expect(textOf(await say('/osu target 7000 lamp post'))).toMatch(
      /The way to 7,000 pp.*6,241 pp now, 760 to go.*1 play.*of [\d,]+ pp.*10 plays.*each/,
    );
    expect(textOf(await say('/osu target 100 lamp post'))).toContain('Reached: there are 6,241 pp already.');
    expect(textOf(await say('/osu target rank:5000 player:lamp post'))).toContain(
      'The way to #5,000, held with 20,000 pp',
    );
    expect(textOf(await say('/osu target'))).toContain('Give a total to reach');
    expect(textOf(await say('/osu target 7000 rank:5000 player:lamp post'))).toContain('either a total or a rank');
  });
});

describe('a ranking', () => {
  it('orders the members of a group by pp, in any ruleset', async () => {
    const { say } = await open();
    expect(textOf(await say('/osu ranking'))).toContain('it works in groups');
    expect(textOf(await say('/osu ranking', inGroup('sari')))).toContain('No linked player has used');
    await say('/osu link tea kettle', inGroup('sari'));
    await say('/osu link lamp post', inGroup('budi'));
    await say('/osu link Drum_Kitten', inGroup('wati'));
    const osu = textOf(await say('/osu ranking osu', inGroup('sari')));
    expect(osu).toMatch(/Players of this chat \(osu!\).*1\. .*lamp post.*2\. .*tea kettle.*3\. .*Drum_Kitten/);
    expect(textOf(await say('/osu ranking taiko', inGroup('sari')))).toMatch(/1\. .*Drum_Kitten/);
    const ours = textOf(await say('/osu ranking country', inGroup('budi')));
    expect(ours).toMatch(/Players of this chat.*ID.*lamp post/);
    expect(ours).not.toContain('Drum_Kitten');
    const none = textOf(await say('/osu ranking country=FI', inGroup('budi')));
    expect(none).toContain('None of the linked players of this chat is from FI.');
  });

  it('of a group has one page', async () => {
    const { say } = await open();
    await say('/osu link lamp post', inGroup('budi'));
    expect(textOf(await say('/osu ranking 1', inGroup('budi')))).toMatch(/1\. .*lamp post/);
    const second = textOf(await say('/osu ranking 2', inGroup('budi')));
    expect(second).toContain('That is all; the list ends here.');
    expect(second).not.toContain('lamp post');
    expect(textOf(await say('/osu ranking 2 world', inGroup('budi')))).toMatch(/51\. .*ranked 51"/);
  });
});

describe('a ranking of many members', () => {
  it('has the best of them first, page by page, and says how many were not looked up', async () => {
    const { say, press, services } = await open({
      instead: ({ beatmaps }) => ({
        beatmaps: {
          ...beatmaps,
          async standings(ids) {
            const { players, ...answer } = await beatmaps.standings([4_400_001]);
            const [one] = players;
            if (one === undefined) throw new TypeError('no such player');
            const of = (id: number) => ({ pp: id, global_rank: null, hit_accuracy: null });
            const all = ids.map(id => ({ ...one, id, username: `member ${id}`, standings: { osu: of(id) } }));
            return { ...answer, players: all };
          },
        },
      }),
    });
    for (const id of [201, 202, 203]) await linkMember(services, id, id);
    await sleep(5);
    for (let id = 1; id <= 200; id += 1) await linkMember(services, id, id);
    const first = await say('/osu ranking', inGroup('member1'));
    expect(textOf(first)).toMatch(/"1\. .{0,200}member 200"/);
    expect(textOf(first)).toContain('and 3 more, not looked up');
    const second = await press(buttonOf(first, 'More'), inGroup('member1'));
    expect(textOf(second)).toMatch(/"51\. .{0,200}member 150"/);
    expect(textOf(second)).not.toContain('member 151"');
  });
});

describe('osu!’s own ranking', () => {
  it('lists the world, page by page, and a country, in private chats too', async () => {
    const { say, press } = await open();
    const world = await say('/osu ranking world');
    expect(textOf(world)).toMatch(/Ranking \(osu!\).*1\. .*ranked 1".*29,998 pp.*JP.*98\.5%/);
    expect(textOf(await press(buttonOf(world, 'More')))).toMatch(/51\. .*ranked 51"/);
    expect(labels(await say('/osu ranking world page=200'))).not.toContain('More');
    const country = textOf(await say('/osu ranking country=id'));
    expect(country).toMatch(/Ranking \(osu!\).*ID.*1\. .*ranked 1".*#40/);
    expect(textOf(await say('/osu ranking world country=FI', inGroup('sari')))).toMatch(/Ranking.*FI/);
    expect(textOf(await say('!ranking south-korea'))).toMatch(/Ranking.*KR/);
    expect(textOf(await say('!ranking uk'))).toMatch(/Ranking.*GB/);
  });
});

describe('the best plays with other mods', () => {
  it('have the worth that those mods give, in their order', async () => {
    const { say } = await open();
    const plain = textOf(await say('/osu topif lamp post NM'));
    expect(plain).toMatch(/best plays with NM \(osu!\)/);
    expect(plain).toMatch(/[\d,]+ pp now, about [\d,]+ pp with NM/);
    expect(plain).not.toContain('+DT');
    const harder = textOf(await say('/osu topif lamp post +DT'));
    expect(harder).toMatch(/1\. .*\+DT.*\d+ → about \d+ pp/);
    expect(textOf(await say('/osu topif lamp post -EZ'))).toContain('None of these plays would change with -EZ.');
    expect(textOf(await say('/osu topif lamp post'))).toContain('mods');
  });
});

describe('the best plays by earlier rules', () => {
  it('have the worth that the library gives, whatever osu! gave', async () => {
    const { say, osu } = await open();
    const shown = await say('!topold lamp post');
    expect(textOf(shown)).toMatch(/best plays by the rules of March 6, 2025 \(osu!\)/);
    expect(textOf(shown)).toMatch(/[\d,]+ pp now, about [\d,]+ pp by those rules/);
    expect(textOf(shown)).not.toContain('estimate');
    const signal = new AbortController().signal;
    const { user } = await osu.beatmaps.user('lamp post', 'osu', signal);
    const { scores } = await osu.beatmaps.userScores(user.id, 'best', { ruleset: 'osu', limit: 100, signal });
    const worths = await Promise.all(
      scores.map(async play => {
        const request = { beatmap: made(play.beatmap ?? undefined), mods: play.mods, play, isScan: true };
        return (await osu.difficulty.of(request, signal)).play?.pp ?? 0;
      }),
    );
    expect(textOf(shown)).toMatch(new RegExp(`1\\. .*about ${Math.round(Math.max(...worths))} pp`));
  });
});

describe('two players', () => {
  it('stand beside each other, with the maps that both play best', async () => {
    const { say, press } = await open();
    const shown = await say('/osu versus lamp_post tea_kettle');
    expect(textOf(shown)).toMatch(/lamp post.* – .*tea kettle.*\(osu!\)/);
    expect(textOf(shown)).toMatch(/Rank.*#21,480.* – .*#310,400/);
    expect(textOf(shown)).toMatch(/maps? among the best plays of both.*lamp post \d+ – \d+ tea kettle/);
    expect(textOf(await press(buttonOf(shown, 'tea kettle')))).toContain('tea kettle');
  });

  it('are the caller and one who is named, and never the same', async () => {
    const { say } = await open();
    expect(textOf(await say('/osu versus tea_kettle', inGroup('sari')))).toContain('link your own once');
    await say('/osu link lamp post', inGroup('sari'));
    expect(textOf(await say('/osu versus tea_kettle', inGroup('sari')))).toMatch(/lamp post.* – .*tea kettle/);
    expect(textOf(await say('/osu versus lamp_post', inGroup('sari')))).toContain('Both are the same player.');
  });
});

describe('the daily challenge', () => {
  it('has its streaks and places, or none yet', async () => {
    const { say } = await open();
    const answers = await Promise.all(
      ['lamp post', 'night bus'].map(async name => textOf(await say(`/osu daily ${name}`))),
    );
    expect(answers.filter(text => /Days in a row.*4.*In the top 10%.*3/.test(text))).toHaveLength(1);
    expect(answers.filter(text => text.includes('no play in the daily challenge yet'))).toHaveLength(1);
  });
});

describe('tracking', () => {
  const admin = inGroup('sari', { isChatAdmin: true });

  it('is for the admins of a group, and seen by all', async () => {
    const { say, press, services, calls, sandbox } = await open();
    expect(textOf(await say('/osu track lamp post', inGroup('budi')))).toContain('Only admins of this chat');
    expect(textOf(await say('/osu track', inGroup('budi')))).toContain('I watch no player for this chat.');
    expect(calls().api).toBe(0);
    const added = await say('/osu track lamp post taiko', admin);
    expect(textOf(added)).toContain('I post new best plays of lamp post (osu!taiko) here');
    expect(calls().api).toBe(1);
    await say('/track add night bus', admin);
    const list = await say('/osu track', inGroup('budi'));
    expect(textOf(list)).toMatch(/Players I watch for this chat.*lamp post.*osu!taiko.*night bus.*osu!/);
    const stop = buttonOf(list, 'Stop lamp post');
    expect(textOf(await press(stop, inGroup('budi')))).toContain('Only admins of this chat');
    // They may be gone, or have another name now: what is kept of them is enough.
    sandbox.faults.set('osu.*', 'status:404');
    sandbox.clearRequests();
    const stopped = await press(stop, admin);
    expect(calls().api).toBe(0);
    expect(textOf(stopped)).toContain('I no longer watch lamp post.');
    expect(labels(stopped)).not.toContain('Stop lamp post');
    expect(textOf(await press(stop, admin))).toContain('I was not watching that player.');
    expect(textOf(await say('/track remove Night_Bus', admin))).toContain('I no longer watch night bus.');
    await say('/track add night bus', admin);
    const page = `https://osu.ppy.sh/users/${(await services.memory.tracked.list(admin)).at(-1)?.id}/osu`;
    expect(textOf(await say(`/osu track ${page} stop:yes`, admin))).toContain('I no longer watch night bus.');
  });

  it('takes a member who is mentioned for the player whom they linked, in their ruleset', async () => {
    const { say } = await open();
    await say('/osu link lamp post mode:taiko', inGroup('4400'));
    const added = textOf(await say('/osu track <@4400>', admin));
    expect(added).toContain('I post new best plays of lamp post (osu!taiko) here');
    expect(textOf(await say('/track remove <@4400>', admin))).toContain('I no longer watch lamp post.');
  });

  it('is refused where nothing can be posted unasked', async () => {
    const stage = await open();
    const { say, services } = stage;
    const tracked = { ...services.memory.tracked, canPost: () => false };
    Object.assign(services.memory, { tracked });
    expect(textOf(await say('/osu track lamp post', admin))).toContain('I cannot post here unasked');
  });
});

describe('plays to which osu! gives no id', () => {
  it('have the stars of their own map each', async () => {
    const ask = '/osu scores lamp post type:recent';
    const starsIn = (replies: readonly Reply[]) => textOf(replies).match(/[\d.]+★/g) ?? [];
    const usual = starsIn(await (await open()).say(ask));
    const { say } = await open({
      instead: ({ beatmaps }) => ({
        beatmaps: {
          ...beatmaps,
          async userScores(...asked: Parameters<typeof beatmaps.userScores>) {
            const page = await beatmaps.userScores(...asked);
            return { ...page, scores: page.scores.map(score => ({ ...score, id: 0 })) };
          },
        },
      }),
    });
    expect(new Set(usual).size).toBeGreaterThan(1);
    expect(starsIn(await say(ask))).toEqual(usual);
  });
});

describe('without credentials', () => {
  it.each([...COMMANDS.filter(text => !text.includes('simulate')), '/osu track lamp post'])(
    'it is said what %s lacks',
    async text => {
      const { say } = await open({ withCredentials: false });
      expect(textOf(await say(text))).toContain('has not given me a working key for it');
    },
  );

  it('it is said what lists of a group lack', async () => {
    const { say } = await open({ withCredentials: false });
    expect(textOf(await say('/osu ranking', inGroup('sari')))).toContain('has not given me a working key');
  });
});

describe('in Indonesian', () => {
  it.each([
    ['/osu recent lamp post', 'permainan terakhir'],
    [`/beatmap leaderboard ${PAPER_COMET}`, 'Terbaik di dunia'],
    [`/beatmap simulate ${PAPER_COMET}`, 'Berapa pp sebuah permainan'],
    ['/osu whatif 300 lamp post', '1 permainan 300 pp lagi'],
    ['/osu target 7000 lamp post', 'Jalan menuju 7.000 pp'],
  ])('%s is answered', async (text, words) => {
    const { say } = await open();
    expect(textOf(await say(text, sampleCaller({ locales: ['id'] })))).toContain(words);
  });
});
