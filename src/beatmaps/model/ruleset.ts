import { RULESETS, type Ruleset } from './beatmapset.ts';

/** What players call the rulesets, lower-case. */
const ALIASES: ReadonlyMap<string, Ruleset> = new Map<string, Ruleset>([
  ...['osu', 'osu!', 'std', 'standard', 'osu!standard', 'o', 's', '0'].map(word => [word, 'osu'] as const),
  ...['taiko', 'osu!taiko', 't', 'tko', '1'].map(word => [word, 'taiko'] as const),
  ...['fruits', 'osu!catch', 'catch', 'ctb', 'c', 'fruit', 'f', '2'].map(word => [word, 'fruits'] as const),
  ...['mania', 'osu!mania', 'm', 'mna', 'keys', '4k', '7k', '3'].map(word => [word, 'mania'] as const),
]);

/** The ruleset that a word means, by name, alias or the osu! API's number. */
export function parseRuleset(text: string): Ruleset | undefined {
  return ALIASES.get(text.trim().toLowerCase());
}

/** The osu! API's number, 0 to 3. */
export function rulesetNumber(ruleset: Ruleset): number {
  return RULESETS.indexOf(ruleset);
}
