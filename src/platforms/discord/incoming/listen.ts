import type { Interaction } from 'discord.js';
import type { PlatformHost } from '../../../bot/contract/chat-platform.ts';
import type { SettingsStore } from '../../../bot/contract/settings.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import { DiscordFailure } from '../api/send-failure.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { createCommandIndex } from './command-index.ts';
import { isEdit, isRecord } from './dispatches.ts';
import type { GatewayHandlers } from './gateway.ts';
import { answerAtOnce } from './instant-answers.ts';
import { readInteraction } from './interactions.ts';
import { createEditReader, readMessage, readUpdate } from './messages.ts';

export interface ListeningOptions {
  readonly context: DiscordContext;
  readonly host: Pick<PlatformHost<DiscordReplyTo>, 'accept' | 'cancel'>;
  readonly settings: Pick<SettingsStore, 'markChatLeft'>;
}

export interface GatewayListener extends Omit<GatewayHandlers, 'onReady' | 'onSession'> {
  /** Resolves when all events that were heard so far are accepted. */
  settled(): Promise<unknown>;
  /** Says whether all events that were heard are accepted. */
  isSettled(): boolean;
  /** Takes nothing new; resolves when all events that were heard are accepted. */
  close(): Promise<void>;
}

/** Interactions of the last minutes that were answered at once, and are not answered twice. */
const SEEN = 5_000;

/** Makes requests of the events of the gateway. Handlers return at once. */
export function listenToGateway({ context, host, settings }: ListeningOptions): GatewayListener {
  const { embeds, log, now } = context;
  const index = createCommandIndex(context.dispatcher.commandSpecs);
  const seen = createLru<string, true>({ max: SEEN });
  const edits = createEditReader(context);
  const underway = new Set<Promise<void>>();
  /** Messages that are being accepted, by id: edits of one wait for it. */
  const accepting = new Map<unknown, Promise<void>>();
  const marks = createGuildMarks(settings, log);
  let isOpen = true;
  /** An event was heard and not accepted: it is left to the next process. */
  let isMissing = false;

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => underway.delete(tracked));
    underway.add(tracked);
  }

  async function acceptMessage(data: unknown, read: () => ReturnType<typeof readMessage>): Promise<void> {
    const id = isRecord(data) ? data.id : undefined;
    const work = (accepting.get(id) ?? Promise.resolve()).then(() => acceptNow(read));
    accepting.set(id, work);
    await work;
    if (accepting.get(id) === work) accepting.delete(id);
  }

  /** Never rejects. */
  async function acceptNow(read: () => ReturnType<typeof readMessage>): Promise<void> {
    try {
      const request = await read();
      if (request === undefined) return;
      if ((await host.accept(request)) === 'closed') isMissing = true;
      else edits.accepted(request);
    } catch (error) {
      log.error({ err: error }, 'discord: a message could not be accepted');
    }
  }

  async function acceptInteraction(interaction: Interaction): Promise<void> {
    try {
      const request = await readInteraction(interaction, index, context);
      if (request !== undefined) await host.accept(request);
      else if (!seen.has(interaction.id)) {
        seen.set(interaction.id, true);
        await answerAtOnce(interaction, index, host, context);
      }
    } catch (error) {
      // An answer that is too late, or a second one, is not waited for any more.
      const isOver = error instanceof DiscordFailure && error.problem === 'gone';
      log[isOver ? 'info' : 'error']({ err: error }, 'discord: an interaction could not be answered');
    }
  }

  return {
    onMessage(data) {
      const read = isOpen ? readMessage(data, context) : undefined;
      if (read !== undefined) track(acceptMessage(data, () => read));
    },
    onMessageUpdate(data) {
      if (isOpen && isEdit(data, now())) track(acceptMessage(data, () => edits.read(data)));
      const update = isOpen ? readUpdate(data) : undefined;
      if (update !== undefined) embeds.onUpdate(update);
    },
    onInteraction(interaction) {
      if (isOpen) track(acceptInteraction(interaction));
    },
    onGuild: (guildId, isMember) => marks.mark(guildId, isMember ? null : now()),
    settled: () => Promise.all(underway),
    isSettled: () => underway.size === 0 && !isMissing,
    async close() {
      isOpen = false;
      await Promise.all([...underway, marks.written()]);
    },
  };
}

/** Notes when Medley leaves servers and comes back, one after the other: at the start there are as many as servers. */
function createGuildMarks(settings: ListeningOptions['settings'], log: DiscordContext['log']) {
  let marking = Promise.resolve();
  return {
    mark(guildId: string, at: number | null): void {
      marking = marking
        .then(() => settings.markChatLeft(`discord:${guildId}`, at))
        .catch((error: unknown) => {
          log.debug({ err: error }, 'discord: that Medley left or came back could not be noted');
        });
    },
    written: () => marking,
  };
}
