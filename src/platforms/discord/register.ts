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

/** A value in the default language, and in each other language by the tag that Discord has for it. */
interface Spoken<T> {
  readonly usual: T;
  readonly others: readonly { readonly locale: string; readonly value: T }[];
}

/** The texts of the command menus in one language. */
export interface Menu {
  /** The BCP 47 tag of the menu's language. */
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
 * @param menus the menus in all languages that Discord gets, English included: without a separate en-US, Americans see
 * en-GB
 */
export function commandPayloads(english: Menu, menus: readonly Menu[]): readonly JsonObject[] {
  const byLocale = Object.values(Locale).flatMap(locale => {
    const tag = findLanguage(locale)?.tag;
    const value = menus.find(menu => menu.locale === tag);
    return value ? [{ locale, value }] : [];
  });
  const slash = english.specs.map((usual, index): Spoken<CommandSpec> => {
    const others = byLocale.flatMap(({ locale, value }) => {
      const spec = value.specs[index];
      return spec ? [{ locale, value: spec }] : [];
    });
    return { usual, others };
  });
  const menu = { usual: english, others: byLocale };
  return [
    ...grouped(slash),
    { type: ApplicationCommandType.Message, ...EVERYWHERE, ...named(menu, ({ getMedia }) => getMedia) },
  ];
}

const EVERYWHERE = {
  integration_types: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel],
};

/** Makes one command with subcommands of commands such as `osu profile` and `osu scores`. */
function grouped(commands: readonly Spoken<CommandSpec>[]): readonly JsonObject[] {
  const groups = new Map<string, Spoken<CommandSpec>[]>();
  for (const command of commands) {
    const [first = ''] = command.usual.name.split(' ', 1);
    groups.set(first, [...(groups.get(first) ?? []), command]);
  }
  return [...groups].map(([name, members]) => {
    const base = { type: ApplicationCommandType.ChatInput, ...EVERYWHERE };
    const [only] = members;
    if (only?.usual.name === name) return { ...base, ...commandTexts(name, only), options: optionsOf(only) };
    const options = members.map(member => ({
      type: ApplicationCommandOptionType.Subcommand,
      ...commandTexts(member.usual.name.slice(name.length + 1), member),
      options: optionsOf(member),
    }));
    return { ...base, name, ...described(together(members)), options };
  });
}

/** Describes, in every language, what a group's subcommands do. */
function together(members: readonly Spoken<CommandSpec>[]): Spoken<{ readonly description: string }> {
  const [first] = members;
  const sentences = (texts: readonly string[]) => ({ description: texts.join('; ') });
  return {
    usual: sentences(members.map(({ usual }) => usual.description)),
    others: (first?.others ?? []).map(({ locale }) => {
      const spoken = members.flatMap(({ others }) => others.filter(each => each.locale === locale));
      return { locale, value: sentences(spoken.map(({ value }) => value.description)) };
    }),
  };
}

function commandTexts(name: string, command: Spoken<CommandSpec>): JsonObject {
  return { name, ...described(command) };
}

/** The options, required ones first, as Discord demands. */
function optionsOf({ usual, others }: Spoken<CommandSpec>): readonly JsonObject[] {
  return usual.options
    .map((option, index) => ({
      usual: option,
      others: others.flatMap(({ locale, value }) => {
        const other = value.options[index];
        return other ? [{ locale, value: other }] : [];
      }),
    }))
    .sort((a, b) => Number(b.usual.option.required === true) - Number(a.usual.option.required === true))
    .slice(0, COMMAND_LIMITS.options)
    .map(optionPayload);
}

function optionPayload(spec: Spoken<OptionSpec>): JsonObject {
  const { option } = spec.usual;
  const base = { ...named(spec, ({ name }) => name), ...described(spec), required: option.required === true };
  switch (option.type) {
    case 'integer':
      return { ...base, type: ApplicationCommandOptionType.Integer, min_value: option.min, max_value: option.max };
    case 'boolean':
      return { ...base, type: ApplicationCommandOptionType.Boolean };
    case 'choice':
      return { ...base, type: ApplicationCommandOptionType.String, choices: choicesOf(spec) };
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

function choicesOf({ usual, others }: Spoken<OptionSpec>): readonly JsonObject[] {
  return usual.choices.slice(0, COMMAND_LIMITS.choices).map(({ value, label }, index) => ({
    value,
    ...named(
      { usual: label, others: others.map(each => ({ ...each, value: each.value.choices[index]?.label ?? label })) },
      shown => shortenMarkdown(shown, COMMAND_LIMITS.choiceName),
    ),
  }));
}

function named<T>({ usual, others }: Spoken<T>, name: (value: T) => string): JsonObject {
  return {
    name: name(usual),
    name_localizations: Object.fromEntries(others.map(each => [each.locale, name(each.value)])),
  };
}

function described({ usual, others }: Spoken<{ readonly description: string }>): JsonObject {
  const text = (value: { readonly description: string }) =>
    shortenMarkdown(value.description, COMMAND_LIMITS.description);
  return {
    description: text(usual),
    description_localizations: Object.fromEntries(others.map(each => [each.locale, text(each.value)])),
  };
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
