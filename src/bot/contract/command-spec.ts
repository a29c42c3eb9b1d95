import type { Translator } from '../../i18n/translate.ts';
import type { Caller } from './caller.ts';
import type { Command, Option } from './command.ts';
import { siteName } from './site-name.ts';

/** One option as a person sees it. */
export interface OptionSpec {
  /** The key `run` knows it by; text input takes it too, in every language. */
  readonly key: string;
  /** Its name in the reader's language. */
  readonly name: string;
  readonly description: string;
  readonly option: Option;
  /** Of a choice option, in order; empty otherwise. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

/** One command as a person sees it: for menus, help and the registration of native commands. */
export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  /** `/download link [item] [audio]` */
  readonly usage: string;
  readonly visibility: Command['visibility'];
  readonly accepts: Command['accepts'];
  readonly options: readonly OptionSpec[];
}

interface Texts {
  readonly description: string;
  readonly options: Readonly<Record<string, { readonly name: string; readonly description: string }>>;
  readonly choices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * A command as people see it, in all chats or in one kind of them; for a pressed button also what people do not see. Texts that a
 * language lacks fall back to the command's own keys.
 */
export function commandSpec(command: Command, t: Translator, place?: Caller['chatKind'] | 'button'): CommandSpec {
  const texts = textsOf(command.name, t);
  const declared = Object.entries(command.options).filter(([, option]) => isOffered(option, place));
  const options = declared.map(([key, option]): OptionSpec => {
    const text = texts?.options[key] ?? siteSwitchText(option, t);
    const labels = texts?.choices[key];
    return {
      key,
      name: text?.name ?? key,
      description: text?.description ?? key,
      option,
      choices:
        option.type === 'choice'
          ? option.choices.map(value => ({ value, label: labels?.[value] ?? option.names?.[value] ?? value }))
          : [],
    };
  });
  return {
    name: command.name,
    description: texts?.description ?? command.name,
    usage: [`/${command.name}`, ...options.map(({ name, option }) => (option.required ? name : `[${name}]`))].join(' '),
    visibility: command.visibility,
    accepts: command.accepts,
    options,
  };
}

function siteSwitchText(option: Option, t: Translator): Texts['options'][string] | undefined {
  if (option.type !== 'boolean' || option.site === undefined) return undefined;
  return { name: option.site.id, description: t.messages.settings.siteSwitch(siteName(option.site, t)) };
}

function isOffered({ only }: Option, place: Caller['chatKind'] | 'button' | undefined): boolean {
  if (only === undefined || place === 'button') return true;
  return only === 'typed' ? place !== undefined : only === 'group' && place !== 'private';
}

function textsOf(name: string, t: Translator): Texts | undefined {
  const all: Readonly<Record<string, Texts>> = t.messages.commands;
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

/** The choice that a word means: by its value, its label or an alias. */
export function matchChoice({ option, choices }: OptionSpec, text: string): string | undefined {
  const word = text.toLowerCase();
  const chosen = choices.find(({ value, label }) => value.toLowerCase() === word || label.toLowerCase() === word);
  const other = option.type === 'choice' ? option.alias?.(word) : undefined;
  return chosen?.value ?? choices.find(({ value }) => value === other)?.value;
}
