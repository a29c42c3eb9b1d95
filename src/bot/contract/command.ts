import type { Translator } from '../../i18n/translate.ts';
import type { Card, Reply } from './reply.ts';
import type { Caller, ProgressStage } from './request.ts';
import type { Services } from './services.ts';
import type { Site } from './site-name.ts';

/** Names a command or option shows per language come from i18n: `commands[name].description`, `.options[option]`. */
interface OptionBase {
  readonly required?: boolean;
  /**
   * Means something only there: `group` is not offered in private chats, `typed` is for those who write a command in words, and `button` is
   * for tokens alone: no platform offers it.
   */
  readonly only?: 'group' | 'typed' | 'button';
  /** In text form it counts only where its name stands before it. */
  readonly named?: true;
  /** Other names that it goes by in text form. */
  readonly also?: readonly string[];
  /**
   * Reads a word of the text form that says the value by its look alone, wherever it stands: `98%`.
   * @param place how many words without a meaning of their own stand before it
   */
  readonly bare?: (word: string, place: number) => string | undefined;
}
export interface StringOption extends OptionBase {
  readonly type: 'string';
  /**
   * `rest`: in text form it swallows what follows; `name`: the same, but for last words that are choices or switches of the options
   * behind it; `map`: like a name, but conditions of a search may be in it; `link`: one pasted address; `role`: the id of a role, chosen from a list
   * where the platform has one.
   */
  readonly form?: 'word' | 'rest' | 'name' | 'map' | 'link' | 'role';
  /** Given more than once it is all of them, apart by blanks. */
  readonly joins?: true;
  readonly maxLength: number;
  /** Autocomplete for a partial value; at most 25 are used. */
  readonly suggest?: (partial: string, context: CommandContext) => Promise<readonly OptionSuggestion[]>;
}
export interface IntegerOption extends OptionBase {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
}
export interface BooleanOption extends OptionBase {
  readonly type: 'boolean';
  /** It makes the answer one for the caller alone, where the platform can. */
  readonly hidesAnswer?: true;
  /** The source that it switches on and off: its texts follow from the site's name. */
  readonly site?: Site;
}
export interface ChoiceOption extends OptionBase {
  readonly type: 'choice';
  readonly choices: readonly string[];
  /** Names of choices that are the same in every language: a language has its own name. */
  readonly names?: Readonly<Record<string, string>>;
  /** The choice that another word, lower case, stands for. */
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

/** Values a command's `run` gets: checked, required ones present. */
export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly required: true } ? ValueOf<O[K]> : ValueOf<O[K]> | undefined;
};

export interface CommandContext {
  readonly caller: Caller;
  readonly t: Translator;
  readonly services: Services;
  /** Aborts at shutdown or when the caller left. */
  readonly signal: AbortSignal;
  /** Shows what is being waited for; platforms without a good way to show it ignore it. */
  progress(stage: ProgressStage): void;
}

export interface OptionSuggestion {
  readonly label: string;
  /** Tells it apart from others with a like label, where there is space to say it. */
  readonly detail?: string;
  readonly value: string;
}

/** Kinds of pasted links: of posts, of osu! beatmaps, of osu! players, of their plays. */
export type Accepted = 'link' | 'beatmap-link' | 'player-link' | 'score-link';

/** The subject of a command, where it is not posts. */
export type Subject = 'beatmap' | 'player';

/** Things found, a page of them. */
export interface Browsed {
  readonly cards: readonly Card[];
  /** Leads to the next page, in at most 64 letters; undefined after the last. */
  readonly next: string | undefined;
}

export interface Command<O extends Options = Options> {
  /** `^[a-z][a-z-]*$`; for grouped commands two words, `osu profile`. */
  readonly name: string;
  readonly options: O;
  readonly visibility: 'chat' | 'caller';
  /** Units of the caller's limit. */
  readonly cost: number;
  /** Menus and help leave it out: platforms ask for it where people do not type. */
  readonly listed?: false;
  /** The notices of the command speak of this. Default: posts. */
  readonly subject?: Subject;
  /**
   * This command answers pasted links of that kind; the link goes into its first option. People who ask for the same link in one
   * chat at the same time share one run, so the reply to a link must not depend on who asked.
   */
  readonly accepts?: Accepted;
  run(values: Values<O>, context: CommandContext): Promise<Reply>;
  /**
   * Finds things while a person still types; an empty text lists what most people like.
   * @param reach `local`: without asking any upstream
   */
  browse?(
    text: string,
    next: string | undefined,
    context: CommandContext,
    reach: 'local' | 'upstream',
  ): Promise<Browsed>;
}

/** Declares a command; the option types flow into `run`, and its name into the list of commands. */
export function defineCommand<const N extends string, const O extends Options>(
  command: Command<O> & { readonly name: N },
): Command<O> & { readonly name: N } {
  return command;
}
