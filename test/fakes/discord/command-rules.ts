import { Locale } from 'discord.js';
import { z } from 'zod';

const MOST: Readonly<Record<number, number>> = { 1: 100, 2: 15, 3: 15 };
const MAX_TOTAL = 8000;
const CHAT_INPUT = 1;
const SUBCOMMAND = 1;
const SUBCOMMAND_GROUP = 2;
const LOCALES = new Set<string>(Object.values(Locale));

const slashName = z
  .string()
  .regex(/^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u)
  .refine(name => name === name.toLowerCase(), 'not lower case');
const menuName = z.string().min(1).max(32);
const description = z.string().min(1).max(100);
const localized = (value: z.ZodString) =>
  z
    .record(
      z.string().refine(locale => LOCALES.has(locale), 'unknown locale'),
      value,
    )
    .nullish();

const choice = z.looseObject({
  name: description,
  name_localizations: localized(description),
  value: z.union([z.string().max(100), z.number()]),
});

const optionSchema = z
  .looseObject({
    type: z.int().min(1).max(11),
    name: slashName,
    name_localizations: localized(slashName),
    description,
    description_localizations: localized(description),
    required: z.boolean().nullish(),
    autocomplete: z.boolean().nullish(),
    choices: z.array(choice).max(25).nullish(),
    min_length: z.int().min(0).max(6000).nullish(),
    max_length: z.int().min(1).max(6000).nullish(),
    options: z.array(z.unknown()).max(25).nullish(),
  })
  .refine(
    ({ autocomplete, choices }) => autocomplete !== true || (choices ?? []).length === 0,
    'autocomplete and choices',
  )
  .refine(({ type, autocomplete }) => autocomplete !== true || [3, 4, 10].includes(type), 'autocomplete of this type')
  .refine(({ type, options }) => type <= SUBCOMMAND_GROUP || (options ?? []).length === 0, 'options in an option');

const commandSchema = z.looseObject({
  type: z.int().min(1).max(3).default(CHAT_INPUT),
  name: z.string(),
  name_localizations: z.record(z.string(), z.string()).nullish(),
  description: z.string().nullish(),
  description_localizations: localized(description),
  options: z.array(z.unknown()).max(25).nullish(),
  contexts: z.array(z.int().min(0).max(2)).min(1).nullish(),
  integration_types: z.array(z.int().min(0).max(1)).min(1).nullish(),
});

type Option = z.infer<typeof optionSchema>;

/** @returns what Discord would refuse in a list of commands. */
export function checkCommands(commands: readonly unknown[]): readonly string[] {
  const parsed = commands.flatMap(each => commandSchema.safeParse(each).data ?? []);
  const wrong = commands.flatMap(checkCommand);
  for (const [type, most] of Object.entries(MOST)) {
    const count = parsed.filter(each => each.type === Number(type)).length;
    if (count > most) wrong.push(`${count} commands of type ${type}`);
  }
  const names = parsed.map(({ type, name }) => `${type}/${name}`);
  if (new Set(names).size < names.length) wrong.push('two commands of one name');
  return wrong;
}

export function checkCommand(value: unknown): readonly string[] {
  const parsed = commandSchema.safeParse(value);
  if (!parsed.success) return issues('command', parsed.error);
  const command = parsed.data;
  const at = `command "${command.name}"`;
  const wrong = command.type === CHAT_INPUT ? checkSlash(command, at) : checkMenu(command, at);
  const total = weigh(value);
  return total > MAX_TOTAL ? [...wrong, `${at}: ${total} characters in all`] : wrong;
}

function checkSlash(command: z.infer<typeof commandSchema>, at: string): readonly string[] {
  const texts = z
    .looseObject({ name: slashName, name_localizations: localized(slashName), description })
    .safeParse(command);
  return [...issues(at, texts.error), ...checkOptions(command.options ?? [], at, 0)];
}

function checkMenu(command: z.infer<typeof commandSchema>, at: string): readonly string[] {
  const texts = z.looseObject({ name: menuName, name_localizations: localized(menuName) }).safeParse(command);
  const wrong = [...issues(at, texts.error)];
  if ((command.description ?? '') !== '') wrong.push(`${at}: a menu command with a description`);
  if ((command.options ?? []).length > 0) wrong.push(`${at}: a menu command with options`);
  return wrong;
}

function checkOptions(options: readonly unknown[], at: string, depth: number): readonly string[] {
  const wrong: string[] = [];
  const parsed: Option[] = [];
  for (const each of options) {
    const result = optionSchema.safeParse(each);
    wrong.push(...issues(`${at} option`, result.error));
    if (result.data !== undefined) parsed.push(result.data);
  }
  const names = parsed.map(({ name }) => name);
  if (new Set(names).size < names.length) wrong.push(`${at}: two options of one name`);
  const needed = parsed.map(({ required }) => required === true);
  if (needed.lastIndexOf(true) > needed.indexOf(false) && needed.includes(false)) {
    wrong.push(`${at}: a required option after an optional one`);
  }
  const branches = parsed.filter(({ type }) => type <= SUBCOMMAND_GROUP);
  if (branches.length > 0 && branches.length < parsed.length) wrong.push(`${at}: options beside subcommands`);
  if (depth > 0 && branches.some(({ type }) => type === SUBCOMMAND_GROUP)) wrong.push(`${at}: a group in a group`);
  if (depth > 1 && branches.some(({ type }) => type === SUBCOMMAND)) wrong.push(`${at}: subcommands too deep`);
  for (const each of branches) wrong.push(...checkOptions(each.options ?? [], `${at} ${each.name}`, depth + 1));
  return wrong;
}

const weighedSchema = z.looseObject({
  name: z.string().default(''),
  name_localizations: z.record(z.string(), z.string()).nullish(),
  description: z.string().nullish(),
  description_localizations: z.record(z.string(), z.string()).nullish(),
  value: z.unknown().optional(),
  options: z.array(z.unknown()).nullish(),
  choices: z.array(z.unknown()).nullish(),
});

/** Names, descriptions and values of a command and all below it; of a text in several languages the longest counts. */
function weigh(value: unknown): number {
  const { data } = weighedSchema.safeParse(value);
  if (data === undefined) return 0;
  const longest = (text: string, others: Readonly<Record<string, string>> | null | undefined) =>
    Math.max(text.length, ...Object.values(others ?? {}).map(each => each.length));
  const own =
    longest(data.name, data.name_localizations) +
    longest(data.description ?? '', data.description_localizations) +
    (typeof data.value === 'string' ? data.value.length : 0);
  return [...(data.options ?? []), ...(data.choices ?? [])].reduce((sum: number, each) => sum + weigh(each), own);
}

function issues(at: string, error: z.ZodError | undefined): readonly string[] {
  return (error?.issues ?? []).map(issue => `${at} ${issue.path.join('.')}: ${issue.message}`);
}
