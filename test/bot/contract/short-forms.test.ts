import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../../../src/bot/answer/answer.ts';
import { type Caller, chatKey, type TextMessage } from '../../../src/bot/contract/request.ts';
import { PREFIXES, parseShortForm } from '../../../src/bot/contract/short-forms.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { commandList } from '../command-list.ts';
import { converse } from '../converse.ts';
import { memoryLimiter, sampleCaller, sampleServices } from '../sample.ts';

const group = sampleCaller({ platform: 'discord', chatKind: 'group', groupId: 'guild' });
const admin = { ...group, isChatAdmin: true };

function open(isBlocked = false) {
  const services = sampleServices();
  const dispatcher = createDispatcher({
    commands: commandList,
    services,
    limiter: memoryLimiter(() => 0),
    userLimit: { units: 2, windowMs: 60_000 },
    blocks: { hasCaller: async () => isBlocked },
    log: createRecordingLog(),
  });
  const message = (text: string, own: Partial<TextMessage> = {}): TextMessage => ({
    text,
    caller: group,
    ...own,
  });
  async function say(text: string, caller: Caller = group): Promise<string> {
    return JSON.stringify(await converse(dispatcher, { text, caller }));
  }
  return {
    services,
    say,
    read: (text: string, own?: Partial<TextMessage>) => dispatcher.read(message(text, own)),
    choose: (prefix: 'm!' | '!' | null) => services.settings.setChat(chatKey(group), { prefix }),
  };
}

describe('short forms', () => {
  it.each([
    ['!rs', 'osu recent', ''],
    ['!RS lamp post', 'osu recent', 'lamp post'],
    ['!c +HD', 'osu compare', '+HD'],
    ['!map https://osu.ppy.sh/b/9000014 +HDDT', 'beatmap info', 'https://osu.ppy.sh/b/9000014 +HDDT'],
    ['!lb mods:HD', 'beatmap leaderboard', 'mods:HD'],
    ['!sim accuracy:98', 'beatmap simulate', 'accuracy:98'],
    ['M!top night_bus', 'osu scores', 'night_bus'],
    ['.recent', 'osu recent', ''],
    ['?ranking taiko', 'osu ranking', 'taiko'],
  ])('%s is /%s', (text, command, rest) => {
    expect(parseShortForm(text)).toMatchObject({ command, rest });
  });

  it.each([
    ['/osu track add lamp_post', 'osu track', 'lamp_post'],
    ['/osu track remove lamp_post', 'osu track', 'stop:on lamp_post'],
    ['/osu whatif pp:300 player:tea kettle 5', 'osu whatif', 'pp:300 player:tea kettle 5'],
    ['!pp 7000pp', 'osu target', '7000pp'],
  ])('%s is read as /%s %s', async (text, name, args) => {
    const caller = sampleCaller();
    expect(await open().read(text, { caller })).toMatchObject({ what: { name, args } });
  });

  it.each(['rs', ' !rs', '!rsx', '! rs', '!!rs', 'hello !rs', '!rs!', '!', '!constructor', '#rs', '/rs', '...', ''])(
    '%j is none',
    text => {
      expect(parseShortForm(text)).toBeUndefined();
    },
  );

  it('all name a command that there is', () => {
    const names = new Set(commandList.map(({ name }) => name));
    const words = ['rs', 'c', 'map', 'm', 'search', 'lb', 'sim', 'r', 'rec', 'osu', 'top', 'nc', 'whatif', 'target'];
    for (const prefix of PREFIXES) {
      for (const word of words) expect(names, word).toContain(parseShortForm(prefix + word)?.command);
    }
  });
});

describe('in a group', () => {
  it('are off until its admins choose a prefix, and then go by that one alone', async () => {
    const { read, choose, say } = open();
    expect(await read('!rs')).toBeUndefined();
    await say('/settings prefix:m!', group);
    expect(await read('m!rs')).toBeUndefined();
    expect(await say('/settings prefix:m!', admin)).toContain('m!rs m!c m!map');
    expect(await read('m!rs lamp post')).toEqual({ kind: 'line', what: { name: 'osu recent', args: 'lamp post' } });
    expect(await read('!rs')).toBeUndefined();
    await say('/settings prefix:off', admin);
    expect(await read('m!rs')).toBeUndefined();
    await choose('!');
    expect(await read('!map https://www.instagram.com/p/Abc/')).toMatchObject({ what: { name: 'beatmap info' } });
  });

  it('that are not known stay unanswered, and so does the line of a message that is not theirs', async () => {
    const { read, choose } = open();
    await choose('!');
    for (const text of ['!play something', '!help', '!owner', '!settings']) expect(await read(text)).toBeUndefined();
    // What a platform hears unasked comes as the line alone.
    expect(await read('', { line: '!lb', direct: false })).toMatchObject({ what: { name: 'beatmap leaderboard' } });
    expect(await read('', { line: '/osu recent', direct: false })).toBeUndefined();
    expect(await read('', { line: 'rs please', direct: false })).toBeUndefined();
  });

  it('of one letter behind a slash are left to other bots, but for those that are said to Medley', async () => {
    const { read } = open();
    for (const text of ['/r', '/c', '/m 9000014', '/s camellia']) expect(await read(text), text).toBeUndefined();
    expect(await read('/rs')).toMatchObject({ what: { name: 'osu recent' } });
    expect(await read('/r', { direct: true })).toMatchObject({ what: { name: 'beatmap recommend' } });
  });

  it('count towards the limit, and blocked people stay without an answer', async () => {
    const { choose, say } = open();
    await choose('!');
    expect(await say('!ranking')).not.toContain('Too many requests');
    expect(await say('!ranking')).not.toContain('Too many requests');
    expect(await say('!ranking')).toContain('Too many requests');
    const blocked = open(true);
    await blocked.choose('!');
    expect(await blocked.read('!ranking')).toBeUndefined();
  });

  it('are left alone in channels whose pasted links are, but for those that are said to Medley', async () => {
    const { read, choose, services } = open();
    await choose('!');
    await services.settings.setChat(chatKey(group), { offChannels: [group.chatId] });
    expect(await read('!rs')).toBeUndefined();
    expect(await read('', { line: '!rs', direct: false })).toBeUndefined();
    expect(await read('!rs', { direct: true })).toMatchObject({ what: { name: 'osu recent' } });
    await services.settings.setChat(chatKey(group), { offChannels: [], onlyChannels: ['another'] });
    expect(await read('!rs')).toBeUndefined();
    const thread = { ...group, chatId: 'thread', parentChatId: 'another' };
    expect(await read('!rs', { caller: thread })).toMatchObject({ what: { name: 'osu recent' } });
  });

  it('are off while the settings cannot be read', async () => {
    const { read, choose, services } = open();
    await choose('!');
    services.settings.chat = () => Promise.reject(new Error('away'));
    expect(await read('!rs')).toBeUndefined();
  });
});

it('alone with Medley they need no choice', async () => {
  const { read } = open();
  const caller = sampleCaller();
  expect(await read('!rs', { caller })).toMatchObject({ what: { name: 'osu recent' } });
  expect(await read('.rs', { caller })).toEqual({ kind: 'talk', what: null });
});
