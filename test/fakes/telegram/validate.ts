import { checkAccount } from './account-rules.ts';
import { checkKeyboards } from './keyboard-rules.ts';
import { checkMedia } from './media-rules.ts';
import { checkRich } from './rich-rules.ts';
import { loadSpec } from './spec.ts';
import { checkTexts } from './text-rules.ts';
import type { Check } from './violation.ts';

/** The limits, and the specification when its folder is given. */
export async function loadCheck(specsDir: string | undefined): Promise<Check> {
  const rules: Check[] = [checkTexts, checkKeyboards, checkMedia, checkRich, checkAccount];
  if (specsDir !== undefined && specsDir !== '') rules.push(await loadSpec(specsDir));
  return (call, stage) => rules.flatMap(rule => rule(call, stage));
}
