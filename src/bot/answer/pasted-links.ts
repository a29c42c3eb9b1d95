import type { AppError } from '../../errors.ts';
import type { Ask } from '../contract/ask.ts';
import type { Command } from '../contract/command.ts';
import { hidden } from '../contract/reply.ts';
import { linkLabels } from '../views/link-label.ts';
import type { Answer, DispatchContext, Position, Remaining, Round } from './dispatch-context.ts';
import { kindOfLink } from './osu-links.ts';
import type { UserRateLimit } from './user-rate-limit.ts';

export interface PastedLinksOptions {
  readonly commands: readonly Command[];
  readonly admit: UserRateLimit;
  /** The command's reply, or the notice that stands for it. */
  readonly run: (
    command: Command,
    turn: DispatchContext,
    raw: () => Readonly<Record<string, unknown>>,
  ) => Answer['reply'];
}

type WishedLink = Extract<Ask, { kind: 'links' }>['what'][number];

/** One answer for each link that the caller's limit allows, so many at once; the rest is left for later. */
export type PastedLinks = (links: readonly WishedLink[], turn: DispatchContext, position: Position) => Promise<Round>;

/** Links that are worked on side by side for one message. */
const LINKS_AT_ONCE = 5;

export function createPastedLinks({ commands, admit, run }: PastedLinksOptions): PastedLinks {
  const takers = new Map(commands.map(command => [command.accepts, command]));

  function answerLink(
    command: Command,
    { url, spoiler, view, clip }: WishedLink,
    turn: DispatchContext,
  ): Answer['reply'] {
    const [first = ''] = Object.keys(command.options);
    const wished = Object.entries({ view, clip }).filter(([key]) => Object.hasOwn(command.options, key));
    const ready = run(command, turn, () => ({ [first]: url, ...Object.fromEntries(wished) }));
    return spoiler ? ready.then(value => value && hidden(value)) : ready;
  }

  return async (links, turn, { from, paid }) => {
    const labels = links.length > 1 ? linkLabels(links.map(({ url }) => url)) : [];
    const answers: Answer[] = [];
    let refusal: AppError | undefined;
    let next = from;
    for (const link of links.slice(from)) {
      const command = takers.get(kindOfLink(link.url));
      if (command !== undefined) {
        if (answers.length === LINKS_AT_ONCE) break;
        if (next >= paid) refusal = await admit(command, turn.caller);
        if (refusal) break;
        const about = labels.slice(next, next + 1);
        answers.push({ reply: answerLink(command, link, { ...turn, about }), next: next + 1 });
      }
      next += 1;
    }
    return { answers, next, paid: Math.max(paid, next), remaining: remainingOf(links.length, next, labels, refusal) };
  };
}

function remainingOf(
  total: number,
  next: number,
  labels: readonly string[],
  refusal: AppError | undefined,
): Remaining | undefined {
  return next < total ? { links: total - next, about: labels.slice(next), refusal } : undefined;
}
