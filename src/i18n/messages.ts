import type { Params } from './en/errors.ts';
import type { messages } from './en/messages.ts';

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Widened<R>
    : { readonly [K in keyof T]: Widened<T[K]> };

/** What every language provides: the keys and parameters of the English messages, with strings of its own. */
export type Messages = Widened<typeof messages>;
export type HintKey = keyof Messages['hints'];
export type HintParams = Params;
