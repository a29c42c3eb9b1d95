import type { Translator } from '../../i18n/translate.ts';
import type { Command, Option } from './command.ts';
import type { Caller } from './request.ts';
import { type Site, siteName } from './site-name.ts';

/** One option as a person sees it. */
export interface OptionSpec {
  /** The key `run` knows it by; text input takes it too, in every language. */
  readonly key: string;
  /** The name in the reader's language. */
  readonly name: string;
  readonly description: string;
  readonly option: Option;
  /** The choices in order; empty for an option of another type. */
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

type Place = Caller['chatKind'] | 'button' | undefined;

/** Texts do not change while the program runs, so a command is described once in a language. */
const described = new WeakMap<Command, WeakMap<Translator, Map<Place, CommandSpec>>>();

/**
 * A command as people see it, in all chats or in one kind of them; for a pressed button also what people do not see. What has no
 * texts, as commands that no menu lists, goes by its own keys.
 */
export function commandSpec(command: Command, t: Translator, place?: Place): CommandSpec {
  const inLanguages = described.get(command) ?? new WeakMap<Translator, Map<Place, CommandSpec>>();
  described.set(command, inLanguages);
  const inPlaces = inLanguages.get(t) ?? new Map<Place, CommandSpec>();
  inLanguages.set(t, inPlaces);
  const spec = inPlaces.get(place) ?? describe(command, t, place);
  inPlaces.set(place, spec);
  return spec;
}

function describe(command: Command, t: Translator, place: Place): CommandSpec {
  const textOf = (key: string) => t.find(`commands.${command.name}.${key}`) ?? t.find(`shared.${key}`);
  const declared = Object.entries(command.options).filter(([, option]) => isOffered(option, place));
  const options = declared.map(([key, option]): OptionSpec => {
    const site = option.type === 'boolean' ? option.site : undefined;
    return {
      key,
      name: site?.id ?? textOf(`options.${key}.name`) ?? key,
      description: site === undefined ? (textOf(`options.${key}.description`) ?? key) : siteSwitch(site, t),
      option,
      choices:
        option.type === 'choice'
          ? option.choices.map(value => ({
              value,
              label: textOf(`choices.${key}.${value}`) ?? option.names?.[value] ?? value,
            }))
          : [],
    };
  });
  return {
    name: command.name,
    description: t.find(`commands.${command.name}.description`) ?? command.name,
    usage: [`/${command.name}`, ...options.map(({ name, option }) => (option.required ? name : `[${name}]`))].join(' '),
    visibility: command.visibility,
    accepts: command.accepts,
    options,
  };
}

function siteSwitch(site: Site, t: Translator): string {
  return t.messages.settings.siteSwitch({ site: siteName(site, t) });
}

function isOffered({ only }: Option, place: Place): boolean {
  if (only === undefined || place === 'button') return true;
  return only === 'typed' ? place !== undefined : only === 'group' && place !== 'private';
}

/** The choice that a word means: by its value, its label or an alias. */
export function matchChoice({ option, choices }: OptionSpec, text: string): string | undefined {
  const word = text.toLowerCase();
  const chosen = choices.find(({ value, label }) => value.toLowerCase() === word || label.toLowerCase() === word);
  const other = option.type === 'choice' ? option.alias?.(word) : undefined;
  return chosen?.value ?? choices.find(({ value }) => value === other)?.value;
}
