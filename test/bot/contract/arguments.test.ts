import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDownload } from '../../../src/bot/commands/download.ts';
import { parseArguments } from '../../../src/bot/contract/arguments.ts';
import { defineCommand } from '../../../src/bot/contract/command.ts';
import { commandSpec, validateOptions } from '../../../src/bot/contract/command-spec.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { parseCommandLine } from '../../../src/bot/contract/short-forms.ts';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { cpuMsOf } from '../../cpu-time.ts';

const download = createDownload({ sources: sourceDescriptors });

const en = createTranslator(['en']);
const id = createTranslator(['id']);
const LINK = 'https://www.instagram.com/reel/AbC-_1/?igsh=x%3D&img_index=2';

const search = defineCommand({
  name: 'search',
  options: {
    query: { type: 'string', form: 'rest', required: true, maxLength: 200 },
    mode: { type: 'choice', required: false, choices: ['osu', 'taiko'] },
    page: { type: 'integer', required: false, min: 1, max: 50 },
    video: { type: 'boolean', required: false },
  },
  visibility: 'chat',
  cost: 1,
  run: async () => reply({}),
});

const profile = defineCommand({
  name: 'osu profile',
  options: {
    player: { type: 'string', required: true, maxLength: 32 },
    mode: { type: 'choice', required: false, choices: ['osu', 'taiko'] },
  },
  visibility: 'chat',
  cost: 1,
  run: async () => reply({}),
});

function hintOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return error.params.hint;
    throw error;
  }
  return undefined;
}

describe('parseCommandLine', () => {
  it.each([
    ['/help', { name: 'help', mention: undefined, rest: '' }],
    ['  /Help  me ', { name: 'help', mention: undefined, rest: 'me' }],
    ['/download@medley_bot https://x.y/z', { name: 'download', mention: 'medley_bot', rest: 'https://x.y/z' }],
    ['/osu\nprofile', { name: 'osu', mention: undefined, rest: 'profile' }],
  ])('reads %j', (text, expected) => {
    expect(parseCommandLine(text)).toEqual(expected);
  });

  it.each(['', '/', '/ help', 'help', 'see /help', '/etc/passwd', '//help', '/a@', `/${'x'.repeat(65)}`])(
    'takes %j for no command',
    text => {
      expect(parseCommandLine(text)).toBeUndefined();
    },
  );
});

describe('parseArguments', () => {
  it.each([
    [LINK, { link: LINK }],
    [`${LINK} 2`, { link: LINK, item: '2' }],
    [`2 ${LINK}`, { link: LINK, item: '2' }],
    [`${LINK} audio`, { link: LINK, audio: true }],
    [`AUDIO ${LINK} item:3`, { link: LINK, item: '3', audio: true }],
    [`item=3 link:${LINK} audio:no`, { link: LINK, item: '3', audio: 'no' }],
    [`--audio --item 3 ${LINK}`, { link: LINK, item: '3', audio: true }],
    [`—audio ${LINK}`, { link: LINK, audio: true }],
    [`item: 3 ${LINK}`, { link: LINK, item: '3' }],
    [`link:"${LINK}" 4`, { link: LINK, item: '4' }],
    [`“${LINK}” 4`, { link: LINK, item: '4' }],
    [`audio off ${LINK}`, { link: LINK, audio: false }],
    [`${LINK} --audio Tidak 3`, { link: LINK, item: '3', audio: false }],
    [`${LINK} audio 1`, { link: LINK, item: '1', audio: true }],
    ['instagram://media?id=123', { link: 'instagram://media?id=123' }],
    [`<${LINK}>`, { link: `<${LINK}>` }],
    ['', {}],
  ])('download: %s', (text, expected) => {
    expect(parseArguments(commandSpec(download, en), text)).toEqual(expected);
  });

  it('takes names in the reader’s language beside the declared ones', () => {
    const spec = commandSpec(download, id);
    expect(parseArguments(spec, `tautan:${LINK} butir:2 suara`)).toEqual({ link: LINK, item: '2', audio: true });
    expect(parseArguments(spec, `link ${LINK} item 2 audio`)).toEqual({ link: LINK, item: '2', audio: true });
    expect(parseArguments(spec, `link:${LINK} item:2 audio`)).toEqual({ link: LINK, item: '2', audio: true });
  });

  it.each([
    ['camellia stars>6 title:"hello world"', { query: 'camellia stars>6 title:"hello world"' }],
    ['camellia mode:taiko ghost', { query: 'camellia ghost', mode: 'taiko' }],
    ['video game mode=osu', { query: 'video game', mode: 'osu' }],
    ['camellia video:yes', { query: 'camellia', video: 'yes' }],
    ['page:2 query:a b mode:osu', { query: 'a b', mode: 'osu', page: '2' }],
    ['query:"a mode:osu" page:2', { query: 'a mode:osu', page: '2' }],
    ['camellia -mode=osu', { query: 'camellia -mode=osu' }],
    ['"Camellia"', { query: 'Camellia' }],
    ["don't stop 'til", { query: "don't stop 'til" }],
  ])('a rest option gets what nothing else claims: %s', (text, expected) => {
    expect(parseArguments(commandSpec(search, en), text)).toEqual(expected);
  });

  it.each([
    ['"Two Words" taiko', { player: 'Two Words', mode: 'taiko' }],
    ['‘Two Words’', { player: 'Two Words' }],
    ["player:'Two Words' mode:osu", { player: 'Two Words', mode: 'osu' }],
    ['"no end', undefined],
    ['taiko', { player: 'taiko' }],
  ])('quotes hold words together: %s', (text, expected) => {
    if (expected) expect(parseArguments(commandSpec(profile, en), text)).toEqual(expected);
    else expect(parseArguments(commandSpec(profile, en), text)).toEqual({ player: '"no', mode: 'end' });
  });

  it.each([
    [`${LINK} quality:720`, 'unknownOption'],
    [`${LINK} --best`, 'unknownOption'],
    [`${LINK} 1 2`, 'unknownOption'],
    [`${LINK} item:1 item:2`, 'repeatedOption'],
  ])('hints at %s', (text, expected) => {
    expect(hintOf(() => parseArguments(commandSpec(download, en), text))).toBe(expected);
  });

  it('lists what is allowed beside an unknown name, which it shortens', () => {
    const spec = commandSpec(download, en);
    const work = () => parseArguments(spec, `${LINK} 1 ${'z'.repeat(5000)}`);
    expect(work).toThrow(
      expect.objectContaining({
        params: expect.objectContaining({
          allowed: 'link, item, audio, clip, view, spoiler, private',
          name: `${'z'.repeat(40)}…`,
        }),
      }),
    );
  });

  it('gives options or a hint for any text, never anything else', () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('"', '“', "'", ' ', ':', '=', '--', '—', 'item', 'audio', 'link:', '<', '>', LINK, '\n'),
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 30 }).map(parts => parts.join('')),
        fc.constantFrom(download, search, profile),
        (text, command) => {
          const spec = commandSpec(command, en);
          const work = () => validateOptions(spec, parseArguments(spec, text));
          const found = hintOf(work);
          if (found === undefined) expect(Object.keys(work()).every(key => key in command.options)).toBe(true);
          else expect(Object.keys(en.messages.hints)).toContain(found);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(['"a ', "'", '“x', '--', 'a:', 'a="', '< ', '—x '])('reads a megabyte of %j in time', piece => {
    const text = piece.repeat(1_000_000 / piece.length);
    const tookMs = cpuMsOf(() => {
      hintOf(() => parseArguments(commandSpec(search, en), text));
      hintOf(() => parseArguments(commandSpec(download, en), text));
    });
    expect(tookMs).toBeLessThan(10_000);
  });
});
