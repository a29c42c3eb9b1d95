import { describe, expect, it } from 'vitest';
import { createTranslator, LANGUAGES } from '../../src/i18n/translate.ts';

/** What operators alone read. */
const FOR_OPERATORS = /^\w+\.(owner|canary)\.|\.commands\.owner |\.hints\.notBlockId/;

/** Words of the program and of those who build it. */
const INTERNAL = [
  /\b(strateg(y|ies|i)|upstreams?|hulu|extractors?|payloads?|dispatchers?|handlers?|workers?|pipelines?)\b/i,
  /\b(endpoints?|tunnels?|caches?|cached|tokens?|leases?|parse[ds]?|parser|schemas?|webhooks?|queries|backends?)\b/i,
  /\b(HTTP|JSON|URLs?|null|undefined|NaN|exceptions?|stack trace|boolean|invalid|timeout|rate.?limit(ed)?)\b/i,
  /\b(credentials|catalogues?|katalog|variants?|varian|deferr?(ed)?|requests? id|callback)\b/i,
  /\[object|\$\{|_\w+_/,
];

const SAMPLES = [
  'item',
  'story',
  'wall',
  'silent',
  'offline',
  'button',
  'chat_settings',
  'caller',
  'words',
  'cursor',
  'mods',
]
  .concat(['counts', 'q', 'like', 'beatmap', 'score', 'tracking', 'other'])
  .map(what => new Proxy<Readonly<Record<string, string | number>>>({ what, count: 3 }, { get: wordFor }));

/** A word for whatever else a sentence is about. */
function wordFor(known: Readonly<Record<string, string | number>>, name: string): string | number {
  return known[name] ?? 'w';
}

/** Every sentence of a language, whatever it is given. */
function* sentences(node: unknown, path: string): Generator<readonly [path: string, text: string]> {
  if (typeof node === 'string') yield [path, node];
  else if (typeof node === 'function') {
    const takesParams = /\.(errors|hints)\./.test(path);
    for (const sample of takesParams ? SAMPLES : [1, 3, 'word']) yield [path, String(node(sample, 'w', 'x', 'y'))];
  } else if (node instanceof Map) {
    for (const [key, value] of node) yield* sentences(value, `${path}.${key}`);
  } else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) yield* sentences(value, `${path}.${key}`);
  }
}

function forPeople(tag: string): readonly (readonly [string, string])[] {
  const all = [...sentences(createTranslator([tag]).messages, tag)];
  return [...new Map(all.map(each => [each.join(), each])).values()].filter(([path]) => !FOR_OPERATORS.test(path));
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

  it('says what is on the net as people there say it', () => {
    const stiff = /\b(luring|daring|melambat|cerminan(nya)?|pemeta|dipetakan|pemetaan|peta|postingan)\b/i;
    const names = forPeople('id').filter(([path]) => !/\.commands\..*\.options\..*\.name$/.test(path));
    expect(names.filter(([, text]) => stiff.test(text))).toEqual([]);
  });
});
