import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Locale,
} from 'discord.js';
import * as z from 'zod';
import type { CommandSpec, OptionSpec } from '../../bot/contract/command-spec.ts';
import { findLanguage, type Translator } from '../../i18n/translate.ts';
import type { DiscordApi } from './api/discord-api.ts';
import { COMMAND_LIMITS } from './api/limits.ts';
import { shortenMarkdown } from './render/markdown-text.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = Readonly<Record<string, Json>>;

/** The texts of the command menus in one language. */
export interface Menu {
  /** The language of the menu, as a BCP 47 tag. */
  readonly locale: string;
  readonly specs: readonly CommandSpec[];
  /** The name of the command in the menu of a message. */
  readonly getMedia: string;
}

export function menuIn(t: Translator, specs: (t: Translator) => readonly CommandSpec[]): Menu {
  return { locale: t.locale, specs: specs(t), getMedia: t.messages.shared.getMedia };
}

/**
 * Makes the payloads that register the slash commands and the command in a message's menu. Pure.
 * @param menus the menus in all languages, English too: without texts for en-US, Discord shows Americans those of en-GB
 */
export function commandPayloads(english: Menu, menus: readonly Menu[]): readonly JsonObject[] {
  const others = Object.values(Locale).flatMap(locale => {
    const tag = findLanguage(locale)?.tag;
    const menu = menus.find(each => each.locale === tag);
    return menu ? [{ locale, menu }] : [];
  });
  const localize: Localize = (key, textIn) => {
    const localizations = others.flatMap(({ locale, menu }) => {
      const text = textIn(menu);
      return text === undefined ? [] : [[locale, text]];
    });
    return { [key]: textIn(english) ?? '', [`${key}_localizations`]: Object.fromEntries(localizations) };
  };
  return [
    ...slashCommands(english.specs, localize),
    { type: ApplicationCommandType.Message, ...EVERYWHERE, ...localize('name', ({ getMedia }) => getMedia) },
  ];
}

/** Makes a command's field in English, and its `_localizations` field with the texts by Discord's language tags. */
type Localize = (key: 'name' | 'description', textIn: (menu: Menu) => string | undefined) => JsonObject;

const EVERYWHERE = {
  integration_types: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel],
};

/** A command, and its position in the list of commands, which has the same order in every language. */
interface Placed {
  readonly spec: CommandSpec;
  readonly index: number;
}

/** Makes commands such as `osu profile` and `osu scores` subcommands of one slash command. */
function slashCommands(specs: readonly CommandSpec[], localize: Localize): readonly JsonObject[] {
  const groups = new Map<string, Placed[]>();
  for (const [index, spec] of specs.entries()) {
    const [first = ''] = spec.name.split(' ', 1);
    groups.set(first, [...(groups.get(first) ?? []), { spec, index }]);
  }
  return [...groups].map(([name, members]) => {
    const base = { type: ApplicationCommandType.ChatInput, ...EVERYWHERE, name };
    const [only] = members;
    if (only?.spec.name === name) return { ...base, ...bodyOf(only, localize) };
    const options = members.map(member => ({
      type: ApplicationCommandOptionType.Subcommand,
      name: member.spec.name.slice(name.length + 1),
      ...bodyOf(member, localize),
    }));
    const together = ({ specs: spoken }: Menu) =>
      shortened(members.flatMap(({ index }) => spoken[index]?.description ?? []).join('; '));
    return { ...base, ...localize('description', together), options };
  });
}

/** The description of a command and its options, required ones first, as Discord demands. */
function bodyOf({ spec, index }: Placed, localize: Localize): JsonObject {
  const options = spec.options
    .map((usual, at) => ({ usual, optionIn: ({ specs }: Menu) => specs[index]?.options[at] }))
    .sort((a, b) => Number(b.usual.option.required === true) - Number(a.usual.option.required === true))
    .slice(0, COMMAND_LIMITS.options)
    .map(({ usual, optionIn }) => optionPayload(usual, optionIn, localize));
  return { ...localize('description', ({ specs }) => shortened(specs[index]?.description)), options };
}

type OptionIn = (menu: Menu) => OptionSpec | undefined;

function optionPayload({ option, choices }: OptionSpec, optionIn: OptionIn, localize: Localize): JsonObject {
  const base = {
    ...localize('name', menu => optionIn(menu)?.name),
    ...localize('description', menu => shortened(optionIn(menu)?.description)),
    required: option.required === true,
  };
  switch (option.type) {
    case 'integer':
      return { ...base, type: ApplicationCommandOptionType.Integer, min_value: option.min, max_value: option.max };
    case 'boolean':
      return { ...base, type: ApplicationCommandOptionType.Boolean };
    case 'choice':
      return {
        ...base,
        type: ApplicationCommandOptionType.String,
        choices: choices.slice(0, COMMAND_LIMITS.choices).map(({ value, label }, index) => {
          const labelIn = (menu: Menu) => optionIn(menu)?.choices[index]?.label ?? label;
          return { value, ...localize('name', menu => shortenMarkdown(labelIn(menu), COMMAND_LIMITS.choiceName)) };
        }),
      };
    case 'string':
      if (option.form === 'role') return { ...base, type: ApplicationCommandOptionType.Role };
      return {
        ...base,
        type: ApplicationCommandOptionType.String,
        max_length: Math.min(option.maxLength, COMMAND_LIMITS.stringLength),
        ...(option.suggest && { autocomplete: true }),
      };
  }
}

function shortened(description: string | undefined): string | undefined {
  return description === undefined ? undefined : shortenMarkdown(description, COMMAND_LIMITS.description);
}

const Registered = z.array(z.record(z.string(), z.unknown()));

/** Registers the commands, unless Discord has exactly these already. Resolves with Discord's list of them. */
export async function updateCommands(
  api: Pick<DiscordApi, 'commands' | 'putCommands'>,
  applicationId: string,
  commands: readonly JsonObject[],
): Promise<{ readonly registered: unknown; readonly hasChanged: boolean }> {
  const known = Registered.parse(await api.commands(applicationId));
  const isSame = known.length === commands.length && fingerprint(known) === fingerprint(commands);
  if (isSame) return { registered: known, hasChanged: false };
  return { registered: await api.putCommands(applicationId, commands), hasChanged: true };
}

/** The keys by which commands are compared, in a fixed order. Discord adds others: ids, versions and defaults. */
const KEYS = [
  'type',
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'required',
  'min_value',
  'max_value',
  'max_length',
  'autocomplete',
  'value',
  'integration_types',
  'contexts',
  'choices',
  'options',
] as const;

function fingerprint(commands: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = commands.map(command => JSON.stringify(normal(command)));
  return lines.sort().join('\n');
}

/** A value as it is compared: for Discord, absent, null, false and empty are the same. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(normal);
    return items.every(item => typeof item === 'number') ? items.sort() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = new Map(Object.entries(value));
  const isCommand = fields.has('name');
  const keys = isCommand ? KEYS : [...fields.keys()].sort();
  return keys.flatMap(key => {
    const field = normal(fields.get(key));
    const isNothing = field === undefined || field === null || field === false || field === '';
    return isNothing || (Array.isArray(field) && field.length === 0) ? [] : [[key, field]];
  });
}
