import { messages as english } from './en/index.ts';
import type { TextTree } from './load-texts.ts';
import type { Parameters } from './parameters.ts';
import { createText, type TextValues } from './text.ts';

type FilledText<Key> = Key extends keyof Parameters ? (values: Parameters[Key]) => string : string;

type Filled<Texts, Path extends string = ''> = {
  readonly [Key in keyof Texts & string]: Texts[Key] extends string
    ? FilledText<`${Path}${Key}`>
    : Filled<Texts[Key], `${Path}${Key}.`>;
};

/**
 * The texts of one language, by the keys of the English files: strings, or functions when the text has parameters. Values are inserted as
 * plain text.
 */
export type Messages = Filled<typeof english>;

export type HintKey = keyof Messages['hints'];
/** The values for a hint's parameters, as the arguments of a function. */
export type HintValues<Key extends HintKey> = Messages['hints'][Key] extends (
  values: infer V extends TextValues,
) => string
  ? readonly [values: V]
  : readonly [];

interface FilledTree {
  readonly [key: string]: Filling | string | FilledTree;
}
/** Declared as a method, because the compiler lets methods take narrower parameters than these: each text has its own. */
type Filling = { fill(values: TextValues): string }['fill'];

/** The group of texts whose parameters the web chat's page fills in itself. */
const FOR_PAGE = 'web';

/** The texts of `own`, with the English ones for keys that it lacks. */
export function createMessages(own: TextTree, locale: string): Messages;
// The types of the parameters come from a generated file, so the compiler cannot derive each text's type here.
export function createMessages(own: TextTree, locale: string): FilledTree {
  return { ...filled(english, own, locale), [FOR_PAGE]: { ...english[FOR_PAGE], ...groupOf(own, FOR_PAGE) } };
}

function filled(contract: TextTree, own: TextTree, locale: string): FilledTree {
  const entries = Object.entries(contract).map(([key, text]) => {
    if (typeof text !== 'string') return [key, filled(text, groupOf(own, key), locale)];
    const translated = own[key];
    const [source, language] = typeof translated === 'string' ? [translated, locale] : [text, 'en'];
    return [key, text.includes('{') ? createText(source, language) : source];
  });
  return Object.fromEntries(entries);
}

function groupOf(texts: TextTree, key: string): TextTree {
  const group = texts[key];
  return typeof group === 'object' ? group : {};
}

/** The text of a key that is only known at run time, such as `errors.timeout`; undefined when there is none. */
export function findText(messages: Messages, key: string, values: TextValues): string | undefined {
  let found: FilledTree[string] | undefined = messages;
  for (const step of key.split('.')) {
    if (typeof found !== 'object' || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return typeof found === 'function' ? found(values) : typeof found === 'string' ? found : undefined;
}
