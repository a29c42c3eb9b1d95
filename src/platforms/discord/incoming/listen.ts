import type { Interaction } from 'discord.js';
import type { PlatformHost } from '../../../bot/contract/chat-platform.ts';
import type { SettingsStore } from '../../../bot/contract/settings.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import { SendFailure } from '../api/send-failure.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { createEdits, isEdit } from './edits.ts';
import type { GatewayHandlers } from './gateway.ts';
import { createIncomingInteractions } from './interactions.ts';
import { isRecord } from './is-record.ts';
import { readMessage, readUpdate } from './messages.ts';

export interface ListenOptions {
  readonly context: DiscordContext;
  readonly host: Pick<PlatformHost<DiscordReplyTo>, 'accept' | 'cancel'>;
  readonly settings: Pick<SettingsStore, 'markChatLeft'>;
}

export interface Listener extends Omit<GatewayHandlers, 'onReady' | 'onSession'> {
  /** Resolves when all that was heard so far is accepted. */
  settled(): Promise<unknown>;
  /** Whether all that was heard is accepted. */
  isSettled(): boolean;
  /** Takes nothing new; resolves when all that was heard is accepted. */
  close(): Promise<void>;
}

/** Interactions of the last minutes that were answered at once, and are not answered twice. */
const SEEN = 5_000;

/** From what comes over the gateway to requests. Handlers return at once. */
export function listen({ context, host, settings }: ListenOptions): Listener {
  const { embeds, log, now } = context;
  const interactions = createIncomingInteractions(context, host);
  const seen = createLru<string, true>({ max: SEEN });
  const edits = createEdits(context);
  const under = new Set<Promise<void>>();
  /** Messages that are being accepted, by id: edits of one wait for it. */
  const taking = new Map<unknown, Promise<void>>();
  let marking = Promise.resolve();
  let isOpen = true;
  /** Something was heard that is not accepted: it is for the next process. */
  let isMissing = false;

  function own(work: Promise<void>): void {
    const owned = work.finally(() => under.delete(owned));
    under.add(owned);
  }

  async function takeMessage(data: unknown, read: () => ReturnType<typeof readMessage>): Promise<void> {
    const id = isRecord(data) ? data.id : undefined;
    const work = (taking.get(id) ?? Promise.resolve()).then(() => accept(read));
    taking.set(id, work);
    await work;
    if (taking.get(id) === work) taking.delete(id);
  }

  /** Never rejects. */
  async function accept(read: () => ReturnType<typeof readMessage>): Promise<void> {
    try {
      const draft = await read();
      if (draft === undefined) return;
      if ((await host.accept(draft)) === 'closed') isMissing = true;
      else edits.accepted(draft);
    } catch (error) {
      log.error({ err: error }, 'discord: a message could not be accepted');
    }
  }

  async function takeInteraction(interaction: Interaction): Promise<void> {
    try {
      const draft = await interactions.read(interaction);
      if (draft !== undefined) await host.accept(draft);
      else if (!seen.has(interaction.id)) {
        seen.set(interaction.id, true);
        await interactions.answerAtOnce(interaction);
      }
    } catch (error) {
      // Too late, or answered already: it is not waited for any more.
      const isOver = error instanceof SendFailure && error.problem === 'gone';
      log[isOver ? 'info' : 'error']({ err: error }, 'discord: an interaction could not be answered');
    }
  }

  return {
    onMessage(data) {
      const read = isOpen ? readMessage(data, context) : undefined;
      if (read !== undefined) own(takeMessage(data, () => read));
    },
    onMessageUpdate(data) {
      if (isOpen && isEdit(data, now())) own(takeMessage(data, () => edits.read(data)));
      const update = isOpen ? readUpdate(data) : undefined;
      if (update !== undefined) embeds.onUpdate(update);
    },
    onInteraction(interaction) {
      if (isOpen) own(takeInteraction(interaction));
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
    settled: () => Promise.all(under),
    isSettled: () => under.size === 0 && !isMissing,
    async close() {
      isOpen = false;
      await Promise.all([...under, marking]);
    },
  };
}
