import { describe, expect, it } from 'vitest';
import { createDownload } from '../../../src/bot/commands/download.ts';
import { createSettings } from '../../../src/bot/commands/settings.ts';
import { defineCommand } from '../../../src/bot/contract/command.ts';
import { commandSpec, validateOptions } from '../../../src/bot/contract/command-spec.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';

const settings = createSettings({ sources: sourceDescriptors });

const download = createDownload({ sources: sourceDescriptors });

const en = createTranslator(['en']);
const spec = commandSpec(download, en);
const LINK = 'https://www.instagram.com/p/AbC/';

describe('validateOptions', () => {
  it.each([
    [{ link: LINK }, { link: LINK }],
    [
      { link: ` <${LINK}> `, item: '02', audio: 'yes' },
      { link: LINK, item: 2, audio: true },
    ],
    [
      { link: LINK, item: 3, audio: false },
      { link: LINK, item: 3, audio: false },
    ],
    [{ link: LINK, item: null, audio: undefined }, { link: LINK }],
    [{ link: LINK, item: '  ', audio: '' }, { link: LINK }],
    [
      { link: LINK, audio: 'TIDAK' },
      { link: LINK, audio: false },
    ],
    [{ link: 'instagram://media?id=1' }, { link: 'instagram://media?id=1' }],
  ])('takes %j', (raw, expected) => {
    expect(validateOptions(spec, raw)).toEqual(expected);
  });

  it.each([
    [{}, 'missingOption'],
    [{ link: '' }, 'missingOption'],
    [{ link: 'hello' }, 'notLink'],
    [{ link: 'two words.com' }, 'notLink'],
    [{ link: { toString: (): string => LINK } }, 'notLink'],
    [{ link: `https://x.y/${'z'.repeat(8200)}` }, 'tooLong'],
    [{ link: LINK, item: 0 }, 'notInteger'],
    [{ link: LINK, item: 101 }, 'notInteger'],
    [{ link: LINK, item: '2.5' }, 'notInteger'],
    [{ link: LINK, item: Number.NaN }, 'notInteger'],
    [{ link: LINK, item: '1e1' }, 'notInteger'],
    [{ link: LINK, audio: 'perhaps' }, 'notBoolean'],
    [{ link: LINK, extra: 1 }, 'unknownOption'],
    [{ link: LINK, ['__proto__']: 1 }, 'unknownOption'],
  ])('hints at %j', (raw, hint) => {
    expect(() => validateOptions(spec, raw)).toThrow(
      expect.objectContaining({ code: 'invalid_request', params: expect.objectContaining({ hint }) }),
    );
  });

  it('takes choices by value or by their label in the reader’s language', () => {
    const indonesian = commandSpec(settings, createTranslator(['id']));
    expect(validateOptions(indonesian, { language: 'Otomatis' })).toEqual({ language: 'auto' });
    expect(validateOptions(indonesian, { language: 'EN' })).toEqual({ language: 'en' });
    expect(() => validateOptions(indonesian, { language: 'klingon' })).toThrow(
      expect.objectContaining({
        params: {
          hint: 'notChoice',
          option: 'bahasa',
          allowed: ['Otomatis', ...LANGUAGES.map(({ name }) => (name.includes(' ') ? `"${name}"` : name))].join(', '),
        },
      }),
    );
  });

  it('offers languages by the names that they have themselves, whatever the reader’s', () => {
    for (const tag of LANGUAGES.map(each => each.tag)) {
      const t = createTranslator([tag]);
      for (const key of ['language', 'chat-language']) {
        const offered = commandSpec(settings, t).options.find(option => option.key === key);
        expect(offered?.choices.slice(1).map(({ label }) => label)).toEqual(LANGUAGES.map(({ name }) => name));
      }
    }
    const english = commandSpec(settings, en);
    for (const typed of ['Bahasa Indonesia', 'indonesia', 'id'])
      expect(validateOptions(english, { language: typed })).toEqual({ language: 'id' });
  });

  it('has a hint for a command without options', () => {
    const bare = defineCommand({ name: 'ping', options: {}, visibility: 'chat', cost: 0, run: async () => reply({}) });
    expect(() => validateOptions(commandSpec(bare, en), { a: 1 })).toThrow(
      expect.objectContaining({ params: expect.objectContaining({ hint: 'noOptions' }) }),
    );
  });
});
