import type { AppError } from '../../errors.ts';
import type { Command } from '../command.ts';
import { hidden, type Reply } from '../reply.ts';
import { linkLabels } from '../views/link-label.ts';
import { notice } from '../views/notice.ts';
import { type Answer, type DispatchContext, said } from './dispatch-context.ts';
import type { PastedLink } from './invocation.ts';
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
  readonly failure: (error: AppError, doing: string, turn: DispatchContext) => Reply;
}

/** One answer for each link that the caller's limit allows, and one notice for those over it. */
export type PastedLinks = (links: readonly PastedLink[], turn: DispatchContext) => Promise<readonly Answer[]>;

/** Links of one message beyond this are left out, with a notice. */
const MAX_LINKS = 5;

export function createPastedLinks({ commands, admit, run, failure }: PastedLinksOptions): PastedLinks {
  const takers = new Map(commands.map(command => [command.accepts, command]));

  function answerLink(command: Command, { url, spoiler }: PastedLink, turn: DispatchContext): Answer {
    const ready = run(command, turn, () =>
      Object.fromEntries(
        Object.keys(command.options)
          .slice(0, 1)
          .map(key => [key, url]),
      ),
    );
    return { reply: spoiler ? ready.then(value => value && hidden(value)) : ready, link: url };
  }

  return async (links, turn) => {
    const known = links.flatMap(link => {
      const command = takers.get(kindOfLink(link.url));
      return command === undefined ? [] : [{ link, command }];
    });
    const labels = known.length > 1 ? linkLabels(known.map(({ link }) => link.url)) : [];
    const wanted = known.slice(0, MAX_LINKS);
    const answers: Answer[] = [];
    for (const [place, { link, command }] of wanted.entries()) {
      const refusal = await admit(command, turn.caller);
      if (refusal) {
        // It is about all that are left, those that would have been too many included.
        return [...answers, said(failure(refusal, command.name, { ...turn, about: labels.slice(place) }))];
      }
      answers.push(answerLink(command, link, { ...turn, about: labels.slice(place, place + 1) }));
    }
    const left = known.length - wanted.length;
    if (left > 0) answers.push(said(notice(turn.t.messages.notices.moreLinks(MAX_LINKS, left))));
    return answers;
  };
}
