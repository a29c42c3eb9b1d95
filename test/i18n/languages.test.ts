import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { files as english } from '../../src/i18n/en/index.ts';
import { LANGUAGES } from '../../src/i18n/languages.ts';
import { createText } from '../../src/i18n/messages.ts';
import { createTranslator } from '../../src/i18n/translate.ts';
import { fill } from '../../src/platforms/web/page/base/fill.ts';
import { flat } from './sentences.ts';
import { COUNTS, missingOf, problemsOf, problemsOfTexts } from './text-problems.ts';
import { textsOf } from './texts.ts';

describe.each([...LANGUAGES])('the texts in $tag', ({ tag, name }) => {
  const texts = textsOf(tag);

  it('name the language as the list does', () => {
    expect(createTranslator([tag]).messages.languageName).toBe(name);
  });

  it('lack none of the English ones', () => {
    expect(missingOf(texts)).toEqual([]);
  });

  it('have the keys, parameters and plurals that they need, within what platforms take', () => {
    expect(problemsOfTexts(tag, texts)).toEqual([]);
  });

  it('are filled in by the page as by the server', () => {
    for (const [key, text] of [...flat(texts)].filter(
      ([key]) => key.startsWith('web.') || key === 'joining.labelled',
    )) {
      for (const n of COUNTS) {
        const values = { n, total: 7, sites: 'A and B', name: 'Anna', value: '1' };
        expect(fill(text, tag, values), key).toBe(createText(text, tag)(values));
      }
    }
  });
});

it('are offered to Weblate file by file', () => {
  const components = z.array(z.object({ template: z.string(), filemask: z.string() }));
  const offered = components.parse(JSON.parse(readFileSync('docs/develop/weblate.json', 'utf8')));
  const files = readdirSync('src/i18n/en').filter(name => name.endsWith('.json'));
  expect(Object.keys(english).map(name => `${name}.json`)).toEqual(expect.arrayContaining(files));
  expect(offered.map(({ template }) => template).sort()).toEqual(files.map(name => `src/i18n/en/${name}`).sort());
  expect(offered.map(({ filemask }) => filemask).sort()).toEqual(files.map(name => `src/i18n/*/${name}`).sort());
});

describe('the check of texts', () => {
  it('names what is left in English, no key, or too long for a platform', () => {
    const texts = {
      web: { tagline: 'Paste a link, get the video.', audioOnly: 'Audio only', gone: 'weg' },
      shared: { getMedia: 'Alle Medien dieser Nachricht holen' },
    };
    expect(problemsOfTexts('de', texts)).toEqual([
      'web.tagline is in English',
      'web.gone is no key of the English texts',
      'shared.getMedia has more than 32 characters',
    ]);
  });

  it('names commands that no one could tap, because a letter stands beside them', () => {
    const texts = {
      start: { more: '詳しくは /helpをどうぞ。' },
      forget: { done: '完了しました。/privacy で選んだこと以外（https://medley.example/help）' },
      linking: { refused: 'もう一度/osu link を送ってください。' },
      hints: { noOptions: '/{command}에는 옵션이 없어요.' },
    };
    expect(problemsOfTexts('ja', texts)).toEqual([
      'start.more has a letter right beside a command',
      'linking.refused has a letter right beside a command',
      'hints.noOptions has a letter right beside a command',
    ]);
  });

  it.each([
    ['{shown} suka', '{n, plural, one {{shown} like} other {{shown} likes}}', 'id', []],
    ['{wer} da', '{who} is here', 'de', ['has no {who}', 'has {wer}, which has no value']],
    [
      '{n, plural, one {{n} пост} other {{n} поста}}',
      '{n, plural, one {{n} post} other {{n} posts}}',
      'ru',
      ['lacks the case "few" of {n}', 'lacks the case "many" of {n}'],
    ],
    [
      '{n, plural, one {один пост} few {{n} поста} many {{n} постов} other {{n} поста}}',
      '{n, plural, one {a} other {{n}}}',
      'ru',
      ['lacks a number in the case "one"'],
    ],
    ['{n, plural, one {post} other {post}}', '{n} {n, plural, one {a} other {b}}', 'ja', ['has a case "one" of {n}']],
    ['{n, plural, other {{n}}}', '{n}', 'ja', ['has a plural by {n}']],
    [
      '{what, select, tag {t} other {o}}',
      '{what, select, page {p} other {o}}',
      'fr',
      ['lacks the case "page" of {what}', 'has a case "tag" of {what}'],
    ],
  ])('of %s for %s in %s says %j', (text, original, tag, problems) => {
    expect(problemsOf(text, original, tag)).toEqual(problems);
  });
});
