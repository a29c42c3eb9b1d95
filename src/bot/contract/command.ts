import type { Translator } from '../../i18n/translate.ts';
import type { Card, Reply } from './reply.ts';
import type { Caller, ProgressStage } from './request.ts';
import type { Services } from './services.ts';
import type { Site } from './settings.ts';

/** The names of a command and its options in each language come from i18n: `commands[name].description`, `.options[option]`. */
interface OptionBase {
  readonly required?: boolean;
  /**
   * The place where the option exists: `group` is not offered in private chats, `typed` is only for commands written as text, and `button` is only
   * for button tokens, so no platform offers it.
   */
  readonly only?: 'group' | 'typed' | 'button';
  /** In text, the option is only recognised when its name stands before the value. */
  readonly named?: true;
  /** Other names of the option in text. */
  readonly also?: readonly string[];
  /**
   * Recognises a value in text by its look alone, wherever it stands: `98%`.
   * @param place how many words without a meaning of their own stand before it
   */
  readonly bare?: (word: string, place: number) => string | undefined;
}
export interface StringOption extends OptionBase {
  readonly type: 'string';
  /**
   * `rest`: in text it takes all that follows; `name`: the same, except for last words that are choices or switches of the options behind
   * it; `map`: like a name, but it may contain conditions of a search; `link`: one pasted address; `role`: the id of a role, chosen from
   * a list where the platform has one.
   */
  readonly form?: 'word' | 'rest' | 'name' | 'map' | 'link' | 'role';
  /** When the option is given more than once, the values are joined by blanks. */
  readonly joins?: true;
  readonly maxLength: number;
  /** Suggests values for a partial one; at most 25 are used. */
  readonly suggest?: (partial: string, context: CommandContext) => Promise<readonly OptionSuggestion[]>;
}
export interface IntegerOption extends OptionBase {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
}
export interface BooleanOption extends OptionBase {
  readonly type: 'boolean';
  /** When this is true, the answer is shown to the caller alone, where the platform can do that. */
  readonly hidesAnswer?: true;
  /** The source that the option switches on and off; its texts are made from the site's name. */
  readonly site?: Site;
}
export interface ChoiceOption extends OptionBase {
  readonly type: 'choice';
  readonly choices: readonly string[];
  /** Names of choices that are the same in every language, such as the names of languages. */
  readonly names?: Readonly<Record<string, string>>;
  /** The choice for which another word, in lower case, stands. */
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

/** The values that a command's `run` gets: checked, required ones present. */
export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly required: true } ? ValueOf<O[K]> : ValueOf<O[K]> | undefined;
};

export interface CommandContext {
  readonly caller: Caller;
  readonly t: Translator;
  readonly services: Services;
  /** Aborts at shutdown or when the caller left. */
  readonly signal: AbortSignal;
  /** Shows what the caller waits for; platforms without a good way to show it ignore it. */
  progress(stage: ProgressStage): void;
}

export interface OptionSuggestion {
  readonly label: string;
  /** Distinguishes the suggestion from others with a similar label, where there is space for it. */
  readonly detail?: string;
  readonly value: string;
}

/** Kinds of pasted links: of posts, of osu! beatmaps, of osu! players, of their plays. */
export type Accepted = 'link' | 'beatmap-link' | 'player-link' | 'score-link';

/** Says what a command is about, when it is not about posts. */
export type Subject = 'beatmap' | 'player';

/** One page of the things that were found. */
export interface Browsed {
  readonly cards: readonly Card[];
  /** A token of at most 64 characters for the next page; undefined on the last page. */
  readonly next: string | undefined;
}

export interface Command<O extends Options = Options> {
  /** Matches `^[a-z][a-z-]*$`; for grouped commands two such words, `osu profile`. */
  readonly name: string;
  readonly options: O;
  readonly visibility: 'chat' | 'caller';
  /** How many units of the caller's rate limit the command costs. */
  readonly cost: number;
  /**
   * Menus and help leave the command out: `typed` is answered where people write it, false is called by platforms where people do not
   * type.
   */
  readonly listed?: false | 'typed';
  /** The subject of the command's notices. Default: posts. */
  readonly subject?: Subject;
  /**
   * This command answers pasted links of that kind; the link goes into its first option. People who ask for the same link in one
   * chat at the same time share one run, so the reply to a link must not depend on who asked.
   */
  readonly accepts?: Accepted;
  run(values: Values<O>, context: CommandContext): Promise<Reply>;
  /**
   * Finds things while a person still types; for an empty text, those that most people like.
   * @param reach `local`: without asking any upstream
   */
  browse?(
    text: string,
    next: string | undefined,
    context: CommandContext,
    reach: 'local' | 'upstream',
  ): Promise<Browsed>;
}

/** Declares a command; the types of its options become those of `run`'s values, and its name becomes part of the list of commands. */
export function defineCommand<const N extends string, const O extends Options>(
  command: Command<O> & { readonly name: N },
): Command<O> & { readonly name: N } {
  return command;
}
