import * as z from 'zod';
import type { TextIntent } from '../answer/text-intent.ts';
import { VIEWS } from './settings.ts';

/**
 * What a person asks for, as it is kept until it is answered: links, a command with its options, a button. No message's text is
 * in it beyond that.
 */
export const Ask = z.discriminatedUnion('kind', [
  /** Links, in order; canonical, but for one that leads nowhere known. */
  z.object({
    kind: z.literal('links'),
    what: z.array(
      z.object({
        url: z.string(),
        spoiler: z.boolean(),
        view: z.enum(VIEWS).optional().catch(undefined),
        clip: z.string().max(32).optional().catch(undefined),
      }),
    ),
    /** Whether they were merely pasted where many talk, and not said to Medley. */
    unasked: z.boolean().optional(),
  }),
  /** A command whose options are known one by one; they are checked when it runs. */
  z.object({
    kind: z.literal('command'),
    what: z.object({ name: z.string(), options: z.record(z.string(), z.unknown()) }),
  }),
  /** A command as it was typed: its name, known or not, and what stood behind it. */
  z.object({ kind: z.literal('line'), what: z.object({ name: z.string(), args: z.string() }) }),
  /** `isAside`: what it opens is shown to the person who pressed it alone, so the button need not be theirs. */
  z.object({ kind: z.literal('button'), what: z.object({ token: z.string(), isAside: z.boolean().optional() }) }),
  /** Words to Medley that ask for nothing. */
  z.object({ kind: z.literal('talk'), what: z.null() }),
]);
export type Ask = z.output<typeof Ask>;

export function askOf(intent: TextIntent): Ask {
  switch (intent.kind) {
    case 'links':
      return {
        kind: 'links',
        what: intent.links.map(({ url, spoiler }) => ({ url, spoiler, ...intent.wishes })),
        ...(intent.unasked && { unasked: true }),
      };
    // The link command says best why it cannot take this one.
    case 'address':
      return { kind: 'links', what: [{ url: intent.address, spoiler: false }] };
    case 'command':
      return { kind: 'line', what: { name: intent.command.name, args: intent.rest } };
    case 'unknown':
      return { kind: 'line', what: { name: intent.name, args: '' } };
    case 'talk':
      return { kind: 'talk', what: null };
  }
}

/** Whether it is about links that were merely pasted where many talk. */
export function isUnasked(ask: Ask): boolean {
  return ask.kind === 'links' && ask.unasked === true;
}
