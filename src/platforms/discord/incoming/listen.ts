import type { Interaction } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { chatKey } from '../../../bot/command.ts';
import type { Job } from '../../../bot/runtime/jobs.ts';
import type { SettingsStore } from '../../../bot/settings/settings.ts';
import type { DiscordContext } from '../context.ts';
import { TIMES, WORK } from '../limits.ts';
import { SendFailure } from '../outgoing/send.ts';
import type { CommandIndex } from '../register.ts';
import { createLanes } from './chat-queue.ts';
import type { GatewayHandlers } from './gateway.ts';
import { createInteractionAnswers, type InteractionWork } from './interaction-answers.ts';
import { createIncomingInteractions } from './interactions.ts';
import { callerOf, type InteractionTarget, parseTarget } from './job-payload.ts';
import { createMessageAnswers, type MessageWork } from './message-answers.ts';
import { createIncomingMessages, readUpdate } from './messages.ts';

export interface ListenOptions {
  readonly desk: DiscordContext;
  readonly index: CommandIndex;
  readonly settings: Pick<SettingsStore, 'markChatLeft'>;
  ownId(): string | undefined;
}

export interface Listener extends Omit<GatewayHandlers, 'onReady'> {
  /** Finishes what an earlier process has accepted and not delivered. */
  resume(jobs: readonly Job[]): void;
  /** Takes nothing new from now on. */
  close(): void;
  /** Resolves when nothing runs any more. */
  drain(): Promise<void>;
}

/** Interactions of the last minutes, so that one which comes again is not answered twice. */
const SEEN = 5_000;

/** From what comes over the gateway to work that is done aside. Handlers return at once. */
export function listen({ desk, index, settings, ownId }: ListenOptions): Listener {
  const { jobs, log, now, suppression } = desk;
  const lanes = createLanes({ running: WORK.perChat, waiting: WORK.waitingPerChat });
  const messages = createIncomingMessages(desk, ownId);
  const messageAnswers = createMessageAnswers(desk);
  const interactions = createIncomingInteractions(desk, index);
  const interactionAnswers = createInteractionAnswers(desk);
  const seen = new LRUCache<string, true>({ max: SEEN });
  const accepting = new Set<Promise<void>>();
  let marking = Promise.resolve();
  let isOpen = true;

  function take(work: MessageWork): void {
    if (lanes.run(chatKey(work.caller), () => messageAnswers.answer(work))) return;
    log.warn({ chat: chatKey(work.caller) }, 'discord: too much of one chat waits; a message is passed over');
    jobs.done(work.jobId);
  }

  /** Until `drain`. */
  function own(task: Promise<void>): void {
    const owned = task.finally(() => accepting.delete(owned));
    accepting.add(owned);
  }

  async function takeMessage(accepted: Promise<MessageWork | undefined>): Promise<void> {
    try {
      const work = await accepted;
      if (work) take(work);
    } catch (error) {
      log.error({ err: error }, 'discord: a message could not be accepted');
    }
  }

  async function takeInteraction(interaction: Interaction): Promise<void> {
    try {
      const work = await interactions.accept(interaction);
      if (work) await runInteraction(work);
    } catch (error) {
      // Too late, or answered already: it is not waited for any more.
      const isOver = error instanceof SendFailure && error.problem === 'gone';
      log[isOver ? 'info' : 'error']({ err: error }, 'discord: an interaction could not be acknowledged');
    }
  }

  async function runInteraction(work: InteractionWork): Promise<void> {
    if (lanes.run(chatKey(work.caller), () => interactionAnswers.answer(work))) return;
    // What is stopping is kept, and finished after the start.
    if (!isOpen) return;
    if (work.jobId !== undefined) jobs.done(work.jobId);
    await interactions.refuse(work);
  }

  function resumeJob(job: Job): void {
    const target = parseTarget(job.target);
    const isUnclear = job.state === 'sending' && target?.kind === 'message' && now() - job.since > TIMES.nonce;
    if (!target || job.links.length === 0 || isUnclear || (target.kind === 'interaction' && target.until <= now())) {
      log.info({ job: job.id, state: job.state }, 'discord: a kept job can no longer be finished');
      jobs.done(job.id);
      return;
    }
    const caller = callerOf(job, target);
    const links = job.links.map((url, place) => ({ url, spoiler: target.spoilers[place] ?? false }));
    if (target.kind === 'message') {
      take({ jobId: job.id, caller, target, text: '', links });
      return;
    }
    const { token, fileBytes, isPersonal, isEphemeral, command } = target;
    const first = { kind: 'deferred' as const, isEphemeral };
    const invocation = command
      ? commandAgain(command, links[0]?.url ?? '')
      : { kind: 'text' as const, text: '', direct: true, links };
    const isRepeat = job.state === 'sending';
    const answered = { jobId: job.id, caller, token, fileBytes, isPersonal };
    const work: InteractionWork = { ...answered, first, invocation, isRepeat };
    if (!lanes.run(chatKey(caller), () => interactionAnswers.answer(work))) jobs.done(job.id);
  }

  return {
    onMessage(data) {
      if (!isOpen) return;
      const accepted = messages.accept(data);
      if (accepted) own(takeMessage(accepted));
    },
    onMessageUpdate(data) {
      const update = isOpen ? readUpdate(data) : undefined;
      if (!update) return;
      suppression.onUpdate(update).catch((error: unknown) => {
        log.info({ err: error }, 'discord: a late embed could not be hidden');
      });
    },
    onInteraction(interaction) {
      if (!isOpen || seen.has(interaction.id)) return;
      seen.set(interaction.id, true);
      own(takeInteraction(interaction));
    },
    onGuild(guildId, isMember) {
      const at = isMember ? null : now();
      // One after the other: at the start there are as many as servers.
      marking = marking
        .then(() => settings.markChatLeft(`discord:${guildId}`, at))
        .catch((error: unknown) => {
          log.debug({ err: error }, 'discord: that Medley left or came back could not be noted');
        });
    },
    resume(kept) {
      for (const job of kept) resumeJob(job);
    },
    close() {
      isOpen = false;
    },
    async drain() {
      await Promise.allSettled([...accepting, marking]);
      await lanes.drain();
      messageAnswers.close();
    },
  };
}

function commandAgain({ name, linkOption, values }: NonNullable<InteractionTarget['command']>, link: string) {
  return { kind: 'command' as const, name, options: { ...values, [linkOption]: link } };
}
