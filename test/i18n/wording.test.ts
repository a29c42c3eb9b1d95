import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/i18n/languages.ts';
import { createTranslator } from '../../src/i18n/translate.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { textsOf } from './texts.ts';

/** What operators alone read. */
const FOR_OPERATORS = /^(owner|canary)\.|^commands\.owner |^hints\.notBlockId/;

/** Words of the program and of those who build it. */
const INTERNAL = [
  /\b(strateg(y|ies|i)|upstreams?|hulu|extractors?|payloads?|dispatchers?|handlers?|workers?|pipelines?)\b/i,
  /\b(endpoints?|tunnels?|caches?|cached|tokens?|leases?|parse[ds]?|parser|schemas?|webhooks?|queries|backends?)\b/i,
  /\b(HTTP|JSON|URLs?|null|undefined|NaN|exceptions?|stack trace|boolean|invalid|timeout|rate.?limit(ed)?)\b/i,
  /\b(credentials|catalogues?|katalog|variants?|varian|deferr?(ed)?|requests? id|callback)\b/i,
  /\[object|\$\{|_\w+_/,
];

function forPeople(tag: string): readonly Sentence[] {
  return [...sentencesOf(textsOf(tag))].filter(([key]) => !FOR_OPERATORS.test(key));
}

describe.each(LANGUAGES.map(({ tag }) => tag))('what people read in %s', tag => {
  it('has no word of the program in it', () => {
    const found = forPeople(tag).filter(([, text]) => INTERNAL.some(word => word.test(text)));
    expect(found).toEqual([]);
  });

  it('never shouts, and has no space too many', () => {
    for (const [path, text] of forPeople(tag)) {
      expect(text, path).not.toMatch(/!!|\b[A-Z]{5,}\b|[^\S\n]{2}|^\s|\s$/);
    }
  });
});

describe('Indonesian', () => {
  it('says kamu and saya, and nothing more or less polite', () => {
    const found = forPeople('id').filter(([, text]) => /\b(Anda|kau|aku|kalian|gue|lu|loe)\b/i.test(text));
    expect(found).toEqual([]);
  });

  it('says of two plays or more alone what each of them gives', () => {
    const { each } = createTranslator(['id']).messages.plays.target;
    expect([1, 2].map(times => each({ times, pp: 300 }))).toEqual(['300 pp', 'masing-masing 300 pp']);
  });

  it('says what is on the net as people there say it', () => {
    const stiff = /\b(luring|daring|melambat|cerminan(nya)?|pemeta|dipetakan|pemetaan|peta|postingan)\b/i;
    const names = forPeople('id').filter(([path]) => !/^(commands|shared)\..*\.name$/.test(path));
    expect(names.filter(([, text]) => stiff.test(text))).toEqual([]);
  });
});
