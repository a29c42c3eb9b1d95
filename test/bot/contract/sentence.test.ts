import { describe, expect, it } from 'vitest';
import { sentence } from '../../../src/bot/contract/command-spec.ts';

describe('a sentence of Medley’s own', () => {
  it('knows its commands, of one word and of two', () => {
    expect(sentence('Type /help, or /osu link and your name.')).toEqual([
      'Type ',
      { kind: 'command', name: 'help' },
      ', or ',
      { kind: 'command', name: 'osu link' },
      ' and your name.',
    ]);
    expect(sentence('/help me')).toEqual([{ kind: 'command', name: 'help' }, ' me']);
    expect(sentence('see /help')).toEqual(['see ', { kind: 'command', name: 'help' }]);
  });

  it.each([
    '',
    'nothing',
    '/nothing',
    '/helpful',
    '/osu',
    '/osu-files',
    'https://osu.example/help',
    'and/help',
    '/help-me',
  ])('leaves %j as it is', text => {
    expect(sentence(text)).toEqual([text]);
  });
});
