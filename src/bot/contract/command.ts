import type { Translator } from '../../i18n/translate.ts';
import type { Card, Reply } from './reply.ts';
import type { Caller, ProgressStage } from './request.ts';
import type { Services } from './services.ts';
import type { Site } from './settings.ts';

/** The fields of options of every type. The texts are in i18n: `commands[name].description`, `.options[option]`. */
interface OptionBase {
  readonly required?: boolean;
  /**
   * Limits the option. `group`: not in private chats; `typed`: only in commands written as text; `button`: only in
   * button tokens, so that people never see it.
   */
  readonly only?: 'group' | 'typed' | 'button';
  /** True when a typed command must name the option before its value: `clip:0:05-0:20`. */
  readonly named?: true;
  /** Further names of the option in text. */
  readonly also?: readonly string[];
  /**
   * Recognises a typed value by its form alone, at any position: `98%`.
   * @param place how many of the words before this one have no such form
   */
  readonly bare?: (word: string, place: number) => string | undefined;
}
export interface StringOption extends OptionBase {
  readonly type: 'string';
  /**
   * How typed words become the value. `rest`: all words that follow; `name`: all except last ones that are choices,
   * switches or mods for other options; `map`: like `name`, but conditions such as `stars>6` are allowed; `link`: one
   * pasted address; `role`: the id of a role, from a list where the platform has one.
   */
  readonly form?: 'word' | 'rest' | 'name' | 'map' | 'link' | 'role';
  /** True when several values given for the option are joined by spaces. */
  readonly joins?: true;
  readonly maxLength: number;
  /** Suggests values while a person types; at most 25 are used. */
  readonly suggest?: (partial: string, context: CommandContext) => Promise<readonly OptionSuggestion[]>;
}
export interface IntegerOption extends OptionBase {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
}
export interface BooleanOption extends OptionBase {
  readonly type: 'boolean';
  /** True when this option, if it is true, lets only the caller see the answer, where the platform can do so. */
  readonly hidesAnswer?: true;
  /** The site that the option switches on or off; its texts are made from the site's name. */
  readonly site?: Site;
}
export interface ChoiceOption extends OptionBase {
  readonly type: 'choice';
  readonly choices: readonly string[];
  /** Names of choices that are the same in every language, such as the languages' own names. */
  readonly names?: Readonly<Record<string, string>>;
  /** Returns the choice that a further word, given in lower case, means; undefined if it means none. */
  readonly alias?: (word: string) => string | undefined;
}
export type Option = StringOption | IntegerOption | BooleanOption | ChoiceOption;
export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends StringOption
  ? string
  : O extends IntegerOption
    ? number
    : O extends BooleanOption
      ? boolean
      : O extends { readonly choices: readonly (infer C)[] }
        ? C
        : never;

/** The options' values as `run` gets them: checked, and with all required ones. */
export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly required: true } ? ValueOf<O[K]> : ValueOf<O[K]> | undefined;
};

export interface CommandContext {
  readonly caller: Caller;
  readonly t: Translator;
  readonly services: Services;
  /** Aborts at shutdown or when the reply is no longer wanted. */
  readonly signal: AbortSignal;
  /** Shows what the caller is waiting for, where the platform has a good way to do so. */
  progress(stage: ProgressStage): void;
}

export interface OptionSuggestion {
  readonly label: string;
  /** Text that distinguishes the suggestion from others with a similar label; shown where there is space. */
  readonly detail?: string;
  readonly value: string;
}

/** The kinds of links that commands answer: to posts, osu! beatmaps, osu! players, and their plays. */
export type Accepted = 'link' | 'beatmap-link' | 'player-link' | 'score-link';

/** The subject of a command that is not about posts. */
export type Subject = 'beatmap' | 'player';

/** One page of results while a person types. */
export interface Browsed {
  readonly cards: readonly Card[];
  /** A token for the next page, at most 64 characters; undefined on the last page. */
  readonly next: string | undefined;
}

export interface Command<O extends Options = Options> {
  /** The name, matching `^[a-z][a-z-]*$`; for a grouped command two such words: `osu profile`. */
  readonly name: string;
  readonly options: O;
  readonly visibility: 'chat' | 'caller';
  /** How many units of the caller's rate limit the command takes. */
  readonly cost: number;
  /** Set for a command that menus and help leave out: `typed` if people may type it, false if only platforms run it. */
  readonly listed?: false | 'typed';
  /** The thing that the command's notices speak of. Default: posts. */
  readonly subject?: Subject;
  /**
   * The kind of pasted link that this command answers; its first option gets the link. People who ask for the same link
   * in one chat at the same time share one run, so the reply must not depend on who asked.
   */
  readonly accepts?: Accepted;
  run(values: Values<O>, context: CommandContext): Promise<Reply>;
  /**
   * Finds what the command searches for while a person types; for an empty text, the most popular.
   * @param reach `local`: without asking any upstream
   */
  browse?(
    text: string,
    next: string | undefined,
    context: CommandContext,
    reach: 'local' | 'upstream',
  ): Promise<Browsed>;
}

/** Declares a command. The types of its options become those of `run`'s values, its name becomes part of its type. */
export function defineCommand<const N extends string, const O extends Options>(
  command: Command<O> & { readonly name: N },
): Command<O> & { readonly name: N } {
  return command;
}
