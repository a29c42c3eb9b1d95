import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { parseRuleset } from '../../beatmaps/model/ruleset.ts';

/** The rulesets as players call them. */
const MODES = ['osu', 'taiko', 'catch', 'mania'] as const;
export type Mode = (typeof MODES)[number];

export const MODE_OPTION = {
  type: 'choice',
  required: false,
  choices: MODES,
  alias: (word: string): string | undefined => {
    const ruleset = parseRuleset(word);
    return ruleset === undefined ? undefined : modeOf(ruleset);
  },
} as const;

export function modeOf(ruleset: Ruleset): Mode {
  return ruleset === 'fruits' ? 'catch' : ruleset;
}

export function rulesetOf(mode: Mode): Ruleset;
export function rulesetOf(mode: Mode | undefined): Ruleset | undefined;
export function rulesetOf(mode: Mode | undefined): Ruleset | undefined {
  return mode === 'catch' ? 'fruits' : mode;
}
