import { createTranslator } from '../../i18n/translate.ts';
import type { Inline, Text } from '../contract/reply.ts';

/** The commands by name, taken from English because every language has the same names. */
const { commands } = createTranslator(['en']).messages;
const COMMAND = /(?<![\w/:.])\/([a-z]+)(?: ([a-z]+))?/g;

/** A sentence of Medley's own with its commands marked as commands: `/osu link` is one, `/osu-files` and addresses are not. */
export function sentence(text: string): Text {
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(COMMAND)) {
    const [, first = '', second = ''] = match;
    const name = [`${first} ${second}`, first].find(each => Object.hasOwn(commands, each));
    if (name === undefined) continue;
    const end = match.index + 1 + name.length;
    if (/[\w-]/.test(text.charAt(end))) continue;
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push({ kind: 'command', name });
    from = end;
  }
  return from < text.length || parts.length === 0 ? [...parts, text.slice(from)] : parts;
}
