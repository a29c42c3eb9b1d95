import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/bot/contract/command.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { listedCommands } from '../command-list.ts';

const t = createTranslator(['en']);

/** What a person would see as a bare key of the code. */
function missing({ name, options }: Command): string[] {
  const lacks = (key: string) =>
    t.find(`commands.${name}.${key}`) === undefined && t.find(`shared.${key}`) === undefined;
  const keys = Object.entries(options).flatMap(([key, option]) => {
    if (option.only === 'button' || (option.type === 'boolean' && option.site !== undefined)) return [];
    const own = [`options.${key}.name`, `options.${key}.description`];
    if (option.type !== 'choice') return own;
    // Signs and grades are the same in every language.
    const choices = option.choices.filter(
      value => /^[a-z][a-z_-]+$/.test(value) && option.names?.[value] === undefined,
    );
    return [...own, ...choices.map(value => `choices.${key}.${value}`)];
  });
  return ['description', ...keys].filter(lacks).map(key => `${name}: ${key}`);
}

describe('the texts of commands', () => {
  it('name every command, option and choice that people see', () => {
    expect(listedCommands.flatMap(missing)).toEqual([]);
  });

  it('are missed when a command has none', () => {
    const missed = listedCommands.flatMap(command => missing({ ...command, name: 'nameless' }));
    expect(missed).toContain('nameless: description');
    expect(missed).toContain('nameless: choices.sort.plays');
  });
});
