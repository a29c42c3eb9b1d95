import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLinkFinder, termsBeside } from '../../../src/bot/answer/find-links.ts';
import { readGiven } from '../../../src/bot/answer/resolve-command.ts';
import { parseArguments, printed } from '../../../src/bot/contract/arguments.ts';
import { type Command, defineCommand, type Option, TERMS } from '../../../src/bot/contract/command.ts';
import { commandSpec, validateOptions } from '../../../src/bot/contract/command-spec.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { LINES, readShortWord } from '../../../src/bot/contract/short-forms.ts';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { commandList } from '../command-list.ts';

const en = createTranslator(['en']);
const id = createTranslator(['id']);
const OSU = commandList.filter(({ name }) => /^(?:beatmap|osu) /.test(name));
const specOf = (command: Command, t = en) => commandSpec(command, t, 'private');

function named(name: string): Command {
  const command = OSU.find(each => each.name === name);
  if (command === undefined) throw new Error(`no ${name}`);
  return command;
}

const read = (name: string, text: string) => parseArguments(specOf(named(name)), text);

function refused(name: string, text: string): unknown {
  try {
    return read(name, text);
  } catch (error) {
    return error instanceof AppError ? error.params : error;
  }
}

const PLAYER = fc.stringMatching(/^[\w[\]-](?:[\w[\] -]{0,13}[\w[\]-])?$/);
const TITLE = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom('+HD', '98%', '2m', '-i', 'acc=9', '[Hard]', "don't"),
    ),
  )
  .map(words => words.join(' ').trim())
  .filter(title => title !== '' && title.length < 200 && !(/["“”„]/.test(title) && /['‘’]/.test(title)));
const MODS = fc.constantFrom('HDDT', '+HDDT', 'HD DT', 'NM', '+HDDT! -HR', 'hd,dt');

function arbitraryOf(key: string, option: Option): fc.Arbitrary<string | number | boolean> {
  switch (option.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: option.min, max: option.max });
    case 'choice':
      return fc.constantFrom(...option.choices);
    case 'string':
      if (key === 'mods') return MODS;
      if (option.form === 'link') return fc.constantFrom('https://osu.ppy.sh/scores/5000000001');
      if (option.form === 'map' || option.form === 'rest') return TITLE;
      return option.form === 'name' ? PLAYER : fc.constantFrom('1.3', '98.5', '5-6', '1:30-2:00', '9000014');
  }
}

/** Values of some of the command's options. */
function valuesOf(command: Command): fc.Arbitrary<Readonly<Record<string, string | number | boolean>>> {
  const options = specOf(command).options.map(({ key, option }) => [key, arbitraryOf(key, option)] as const);
  const requiredKeys = specOf(command).options.flatMap(({ key, option }) => (option.required ? [key] : []));
  return fc.record(Object.fromEntries(options), { requiredKeys });
}

describe('the grammar of osu! commands', () => {
  it.each([
    ['osu whatif', 'lamp post 300pp', { player: 'lamp post', pp: '300' }],
    ['beatmap recommend', '300-400pp', { pp: '300-400' }],
    ['beatmap recommend', 'https://osu.ppy.sh/b/9000014', { like: 'https://osu.ppy.sh/b/9000014' }],
    ['osu ranking', 'ID taiko', { country: 'ID', mode: 'taiko' }],
    ['beatmap download', '900001 video off', { map: '900001', video: false }],
  ])('%s takes %s', (name, text, values) => {
    expect(read(name, text)).toEqual(values);
  });

  it('takes no place in a list for a name', () => {
    expect(refused('osu compare', '#2')).toMatchObject({ name: '#2' });
  });

  it.each(OSU.map(command => [command.name, command] as const))('%s reads back what is printed', (_, command) => {
    const spec = specOf(command);
    fc.assert(
      fc.property(valuesOf(command), values => {
        const line = Object.entries(values).map(([key, value]) => `${key}:${printed(`${value}`)}`);
        expect(validateOptions(spec, parseArguments(spec, line.join(' ')))).toEqual(values);
      }),
      { numRuns: 100 },
    );
  });

  it('reads a quoted name in its place, whatever it looks like', () => {
    fc.assert(
      fc.property(PLAYER, fc.constantFrom('osu recent', 'osu scores'), (player, name) => {
        expect(read(name, `"${player}" -i 2`)).toEqual({ player, index: '2' });
        if (player.includes(' ') && !player.includes(']'))
          expect(read(name, `-i 2 [${player}]`)).toEqual({ player, index: '2' });
      }),
    );
  });

  it('says in one sentence what is not understood, or reads the words, whatever is typed', () => {
    const word = fc.oneof(
      fc.constantFrom(
        '+HDDT',
        '+XX',
        '-HR',
        '98%',
        '2m',
        '500x',
        '1.3x',
        '3x100',
        '#2',
        ':taiko',
        '-i',
        '-m',
        'acc=98',
        'x=',
        '"',
        '[',
        ']',
        '@',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.constantFrom(...OSU), (words, command) => {
        const spec = specOf(command);
        try {
          const values = parseArguments(spec, words.join(' '));
          expect(Object.keys(values).every(key => Object.hasOwn(command.options, key))).toBe(true);
          // Nothing is dropped: letters that were typed are in some value, or name an option.
          if (/\p{L}\p{L}\p{L}/u.test(words.join(' '))) expect(Object.keys(values).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request', params: { hint: expect.any(String) } });
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['osu recent', '-mode taiko lamp post', { mode: 'taiko', player: 'lamp post' }],
    ['osu recent', '-m taiko [lamp post]', { mode: 'taiko', player: 'lamp post' }],
    ['osu recent', '[Crz] lamp', { player: '[Crz] lamp' }],
    ['osu recent', '-GN #3', { player: '-GN', index: '3' }],
    ['osu scores', '-m HDDT -m taiko', { mods: 'HDDT', mode: 'taiko' }],
    ['osu scores', 'lamp -acc reverse', { player: 'lamp', sort: 'accuracy', reverse: true }],
    ['osu scores', '-HD! +DT -GN', { mods: '-HD! +DT', player: '-GN' }],
    ['osu scores', 'search:camellia -hard ar=9 +HD', { search: 'camellia -hard ar=9', mods: '+HD' }],
    ['osu compare', '9000014 lamp post', { map: '9000014', player: 'lamp post' }],
    ['osu compare', 'lamp post https://osu.ppy.sh/b/12', { map: 'https://osu.ppy.sh/b/12', player: 'lamp post' }],
    ['beatmap info', 'paper comet [Extra Stage] +hd,dt', { map: 'paper comet [Extra Stage]', mods: 'hd,dt' }],
    ['beatmap info', '"+ERABY+E" ar=9', { map: '"+ERABY+E" ar=9' }],
    ['beatmap simulate', '2miss 3xmisses', 'misses'],
    [
      'beatmap simulate',
      '1,3x 98,5% 3x100 2x50 500X',
      { rate: '1,3', accuracy: '98,5', n100: '3', n50: '2', combo: '500' },
    ],
    ['beatmap simulate', 'speed=1.3x misses=2m', { rate: '1.3', misses: '2' }],
    ['beatmap simulate', 'https://osu.ppy.sh/b/12 HDDT', { map: 'https://osu.ppy.sh/b/12', mods: 'HDDT' }],
    ['beatmap leaderboard', 'paper comet mania', { map: 'paper comet mania' }],
    ['beatmap leaderboard', 'paper comet :mania here', { map: 'paper comet', mode: 'mania', of: 'here' }],
    ['beatmap leaderboard', 'country roads', { map: 'country roads' }],
    ['beatmap leaderboard', 'paper comet country=ID -p 2', { map: 'paper comet', country: 'ID', page: '2' }],
    ['beatmap search', 'camellia -hard :taiko', { query: 'camellia -hard', mode: 'taiko' }],
    ['osu scores', 'lamp stars>6 ar>9', { player: 'lamp', search: 'stars>6 ar>9' }],
    [
      'beatmap info',
      'https://osu.ppy.sh/b/12+HDDT 98%',
      { map: 'https://osu.ppy.sh/b/12', mods: 'HDDT', accuracy: '98' },
    ],
    ['osu whatif', '300 lamp post taiko', { pp: '300', player: 'lamp post', mode: 'taiko' }],
    ['osu topif', 'lamp post hr', { mods: 'hr', player: 'lamp post' }],
    ['beatmap recommend', 'hdhr', { mods: 'hdhr' }],
    ['beatmap recommend', 'hr lamp', { player: 'hr lamp' }],
    ['beatmap recommend', '"hr"', { player: 'hr' }],
    ['beatmap recommend', 'lamp AR>=9 bpm<180 STAR=5-6', { player: 'lamp', ar: '9-', bpm: '-180', stars: '5-6' }],
    [
      'osu scores',
      'lamp acc>98% combo=200..500 -acc',
      {
        player: 'lamp',
        accuracy: '98-',
        combo: '200..500',
        sort: 'accuracy',
      },
    ],
    ['osu scores', 'lamp -rk', { player: 'lamp', sort: 'grade' }],
    ['osu scores', '-sc sort=length', 'sort'],
    ['osu scores', 'm=taiko -m 3', 'mode'],
    ['beatmap simulate', 'm=3 -m HDDT -m taiko', { misses: '3', mods: 'HDDT', mode: 'taiko' }],
    ['osu scores', 'acc=98 lamp -c', { accuracy: '98', player: 'lamp', sort: 'combo' }],
    ['beatmap simulate', '1.2* 3m', { rate: '1.2', misses: '3' }],
    ['beatmap simulate', '+HDDT (1.3×)', { mods: 'HDDT', rate: '1.3' }],
    ['beatmap info', 'paper comet hd dt', { map: 'paper comet', mods: 'dt hd' }],
    ['beatmap info', 'mods: hd dt', { mods: 'hd dt' }],
    ['osu topif', 'hd lamp post dt', { mods: 'hd dt', player: 'lamp post' }],
    ['osu scores', 'lamp artist=camellia stars=6-7', { player: 'lamp', search: 'artist=camellia stars=6-7' }],
    ['osu target', 'rank: #1000 lamp', { rank: '1000', player: 'lamp' }],
    ['beatmap recommend', '5..6 length<2m30s', { stars: '5..6', length: '-2m30s' }],
    ['beatmap simulate', 'DT1.3x', { mods: 'DT', rate: '1.3' }],
    ['beatmap simulate', '+hdnc(1,2x) 98%', { mods: 'hdnc', rate: '1,2', accuracy: '98' }],
    ['beatmap simulate', 'comet1.3x', { map: 'comet1.3x' }],
    ['osu ranking', 'global', { of: 'global' }],
  ])('%s: %s', (name, text, expected) => {
    if (typeof expected === 'string')
      expect(refused(name, text)).toMatchObject({ hint: 'repeatedOption', option: expected });
    else expect(read(name, text)).toEqual(expected);
  });

  it.each([
    ['osu recent', 'lamp +HD', '+HD'],
    ['osu recent', 'lamp 98%', '98%'],
    ['osu recent', 'lamp acc=98', 'acc=98'],
    ['osu profile', 'lamp --best', '--best'],
    ['beatmap leaderboard', 'paper comet 98%', '98%'],
    ['beatmap leaderboard', 'paper comet combo=5', 'combo=5'],
    ['beatmap info', '#2', '#2'],
    ['osu recent', 'lamp stars>6', 'stars>6'],
    ['osu profile', 'lamp post -d', '-d'],
    ['osu profile', '-rk lamp', '-rk'],
    ['osu recent', 'country=ID', 'country=ID'],
    ['osu scores', 'lamp colour=red', 'colour=red'],
  ])('%s names what it does not understand: %s', (name, text, word) => {
    expect(refused(name, text)).toMatchObject({ hint: 'unknownOption', name: word });
  });

  it.each(['-i', 'i=', '--index'])('does not drop %s without its value', text => {
    expect(refused('osu recent', text)).toMatchObject({ hint: 'noValue', option: 'index' });
  });

  it('takes what a button said by a name that the option had before', () => {
    expect(validateOptions(specOf(named('osu recent')), { player: '12', nth: 2 })).toEqual({ player: '12', index: 2 });
  });

  it('takes names in the reader’s language beside the others', () => {
    const spec = specOf(named('osu recent'), id);
    expect(parseArguments(spec, 'lamp nomor=2')).toEqual(parseArguments(spec, 'lamp index=2'));
  });

  it('gives two players a word each', () => {
    const player = { type: 'string', form: 'name', maxLength: 40 } as const;
    const duel = defineCommand({
      name: 'osu duel',
      options: { player, other: player, mode: TERMS.mode },
      visibility: 'chat',
      cost: 1,
      run: async () => reply({}),
    });
    const spec = commandSpec(duel, en);
    expect(parseArguments(spec, '"lamp post" night_bus :taiko')).toEqual({
      player: 'lamp post',
      other: 'night_bus',
      mode: 'taiko',
    });
    expect(parseArguments(spec, 'night_bus')).toEqual({ player: 'night_bus' });
  });

  it('reads the fields of a form with the same words, but takes a name for a name', () => {
    const spec = specOf(named('osu recent'));
    expect(readGiven(spec, { player: 'lamp post #2 :taiko' })).toEqual({
      player: 'lamp post',
      index: '2',
      mode: 'taiko',
    });
    for (const player of ['taiko', '-GN', '[ Mirai ]']) expect(readGiven(spec, { player })).toEqual({ player });
  });

  it('take a number in the field of a player for the player’s', () => {
    expect(readGiven(specOf(named('osu compare')), { player: '9000014' })).toEqual({ player: '9000014' });
  });
});

describe('the words of players', () => {
  it('are lower-case, each said once', () => {
    const words = LINES.flatMap(([each]) => each.split(' '));
    expect(new Set(words).size).toBe(words.length);
    for (const word of words) expect(word).toMatch(/^[a-z]{1,14}$/);
  });

  it.each(LINES.flatMap(([words]) => words.split(' ')))('%s is a command with options that it has', word => {
    const { command, rest } = readShortWord(word, /^(?:rank|acc|with)$/.test(word) ? '98' : '') ?? {
      command: '',
      rest: '',
    };
    expect(() => read(command, rest)).not.toThrow();
  });

  it.each(['rs1000', '2rs', 'constructor', 'play', 'help', ''])('%j is none', word => {
    expect(readShortWord(word, '')).toBeUndefined();
  });

  it.each([
    ['rank', 'lamp post 1000', '1000 lamp post'],
    ['wi', 'lamp post 300', '300 lamp post'],
    ['rank', '7lamps #1000', '1000 7lamps'],
    ['pp', 'lamp_post 8000', '8000 lamp_post'],
    ['pp', 'lamp post 8000', '8000 lamp post'],
    ['acc', '+HD 98', '98 +HD'],
    ['acc', 'paper comet 98,5%', '98,5% paper comet'],
  ])('%s takes the number behind the name, too', (word, said, expected) => {
    expect(readShortWord(word, said)).toEqual(readShortWord(word, expected));
  });

  it.each([
    ['with', '', 'beatmap info', ''],
    ['mapper', '', 'osu scores', ''],
    ['pp', 'paper comet 2', 'beatmap simulate', 'paper comet 2'],
    ['pp', 'paper comet dt 1200', 'beatmap simulate', 'paper comet dt 1200'],
    ['pp', 'seven keys to nowhere 2019', 'beatmap simulate', 'seven keys to nowhere 2019'],
    ['track', 'add lamp post', 'osu track', 'lamp post'],
    ['track', 'Remove lamp_post', 'osu track', 'stop:on lamp_post'],
    ['track', 'add', 'osu track', 'add'],
    ['track', 'additive', 'osu track', 'additive'],
    ['track', 'list', 'osu track', ''],
    ['rs', '2', 'osu recent', '#2'],
    ['rt', '100', 'osu recent', 'mode:taiko #100'],
    ['top', '5', 'osu scores', '#5'],
    ['top', '5 lamps', 'osu scores', '5 lamps'],
    ['rs', '7562902', 'osu recent', '7562902'],
    ['mapper', '5', 'osu scores', 'mapper: 5'],
    ['dl', 'paper comet no video', 'beatmap download', 'video:off paper comet'],
    ['osuset', 'user "lamp post"', 'osu link', '"lamp post"'],
    ['osuset', 'mode taiko', 'osu link', 'taiko'],
    ['top', '-mx HD lamp post', 'osu scores', '+HD! lamp post'],
    ['c', 'lamp -mx +hd,dt', 'osu compare', 'lamp +hd,dt!'],
    ['acc', '98.5 paper comet 2', 'beatmap simulate', 'accuracy: 98.5 paper comet 2'],
    ['c', '* +HD', 'beatmap leaderboard', '+HD'],
    ['score', 'https://osu.ppy.sh/scores/12', 'osu score', 'https://osu.ppy.sh/scores/12'],
    ['c', 'a*b', 'osu compare', 'a*b'],
    ['taikotop', 'lamp_post -nc', 'osu nochoke', 'mode:taiko lamp_post'],
    ['top', '-NC', 'osu scores', '-NC'],
    ['rb', '-nc', 'osu nochoke', 'sort:date'],
  ])('%s %s', (word, said, command, rest) => {
    expect(readShortWord(word, said)).toEqual({ command, rest });
  });

  it('a number behind one that has no list is not dropped', () => {
    const { command, rest } = readShortWord('lb2', '') ?? { command: '', rest: '' };
    expect(refused(command, rest)).toMatchObject({ hint: 'unknownOption', name: '#2' });
  });
});

describe('beside a link', () => {
  const findLinks = createLinkFinder({ findLinks: () => [] });
  const beside = (text: string) => Object.fromEntries(termsBeside(text, findLinks));
  const A = 'https://osu.ppy.sh/beatmaps/12';
  const B = 'https://osu.ppy.sh/beatmaps/34';

  it.each([
    [`${A} +HDDT`, { [A]: { mods: 'HDDT' } }],
    [`${A}+HDDT 98%`, { [A]: { mods: 'HDDT', accuracy: '98' } }],
    [`try ${A} +HR!`, { [A]: { mods: 'HR' } }],
    [`+HD is fun on <${A}>, and +DT`, { [A]: { mods: 'DT HD' } }],
    [
      `${A} +HR ${B} +DT 98% 2m 1.3x`,
      { [A]: { mods: 'HR' }, [B]: { mods: 'DT', accuracy: '98', misses: '2', rate: '1.3' } },
    ],
    [`${A} acc=98 500x`, { [A]: { accuracy: '98', combo: '500' } }],
    [`I got 98% on ${A} with 2m to go, 100% sure`, {}],
    [`${A} +1 +10 +lol`, {}],
    ['+HDDT 98%', {}],
    ['', {}],
  ])('%s', (text, expected) => {
    expect(beside(text)).toEqual(expected);
  });
});
