import {
  type AutocompleteInteraction,
  type Interaction,
  InteractionResponseType,
  PermissionFlagsBits,
} from 'discord.js';
import { createEditedLinks } from '../../../bot/answer/read.ts';
import type { NewRequest, PlatformHost } from '../../../bot/contract/chat-platform.ts';
import type { SettingsStore } from '../../../bot/contract/settings.ts';
import { errorNotice } from '../../../bot/views/notice.ts';
import { AppError } from '../../../errors.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import { COMMAND_LIMITS, TIMES } from '../api/limits.ts';
import { type DiscordReplyTo, type MessageReplyTo, stableId } from '../api/reply-to.ts';
import { DiscordFailure } from '../api/send-failure.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { type DeletedAnswer, matchDeleteButton } from '../render/buttons.ts';
import { shortenMarkdown } from '../render/markdown-text.ts';
import { isEdit, isRecord } from './dispatches.ts';
import {
  acknowledge,
  type CommandIndex,
  callerIn,
  commandOf,
  createCommandIndex,
  isPress,
  type Pressed,
  readInteraction,
  showAlone,
} from './interactions.ts';
import { readMessage, readUpdate } from './messages.ts';

export interface ListeningOptions {
  readonly context: DiscordContext;
  readonly host: Pick<PlatformHost<DiscordReplyTo>, 'accept' | 'cancel'>;
  readonly settings: Pick<SettingsStore, 'markChatLeft'>;
}

/** How many interactions that were answered without the queue are remembered, so that none is answered twice. */
const SEEN = 5_000;

/** Turns events of the gateway into requests. The handlers return at once. */
export function listenToGateway({ context, host, settings }: ListeningOptions) {
  const { embeds, log, now } = context;
  const index = createCommandIndex(context.dispatcher.commandSpecs);
  const seen = createLru<string, true>({ max: SEEN });
  const ages = createAgeMarks();
  const edits = createLinkEdits(context);
  const underway = new Set<Promise<void>>();
  const marks = createGuildMarks(settings, log);
  let isOpen = true;
  /** True when a received event could not be accepted; then the next process must receive it again. */
  let isMissing = false;

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => underway.delete(tracked));
    underway.add(tracked);
  }

  function acceptMessage(data: unknown, read: () => ReturnType<typeof readMessage>): void {
    track(edits.inOrder(isRecord(data) ? `${data.id}` : '', () => acceptNow(read)));
  }

  /** Reads a request and accepts it. Never rejects. */
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
      if (request !== undefined) await host.accept(ages.withMark(request, interaction.id));
      else if (!seen.has(interaction.id)) {
        seen.set(interaction.id, true);
        await answerAtOnce(interaction, index, host, context);
      }
    } catch (error) {
      // Discord refuses an answer that comes too late or a second time, which is not logged as an error.
      const isOver = error instanceof DiscordFailure && error.problem === 'gone';
      log[isOver ? 'info' : 'error']({ err: error }, 'discord: an interaction could not be answered');
    }
  }

  return {
    onMessage(data: unknown): void {
      const read = isOpen ? readMessage(data, context) : undefined;
      if (read !== undefined) acceptMessage(data, () => read);
    },
    onMessageUpdate(data: unknown): void {
      if (isOpen && isEdit(data, now())) acceptMessage(data, async () => edits.added(await readMessage(data, context)));
      const update = isOpen ? readUpdate(data) : undefined;
      if (update !== undefined) embeds.onUpdate(update);
    },
    onInteractionData: ages.note,
    onInteraction(interaction: Interaction): void {
      if (isOpen) track(acceptInteraction(interaction));
    },
    onGuild: (guildId: string, isMember: boolean) => marks.mark(guildId, isMember ? null : now()),
    /** Resolves when the queue has accepted all events that were received so far. */
    settled: () => Promise.all(underway),
    /** True when the queue has accepted all events that were received so far. */
    isSettled: () => underway.size === 0 && !isMissing,
    /** Accepts no more events; resolves when the queue has all that were received. */
    async close(): Promise<void> {
      isOpen = false;
      await Promise.all([...underway, marks.written()]);
    },
  };
}

/**
 * Remembers which interactions are in age-restricted channels, because discord.js drops the channel of an interaction
 * in a server that Medley is not in.
 */
function createAgeMarks() {
  const ageRestricted = createLru<string, true>({ max: SEEN });
  return {
    note(data: unknown): void {
      if (!isRecord(data) || !isRecord(data.channel) || typeof data.id !== 'string') return;
      if (data.channel.nsfw === true) ageRestricted.set(data.id, true);
    },
    withMark(request: NewRequest<DiscordReplyTo>, interactionId: string): NewRequest<DiscordReplyTo> {
      if (!ageRestricted.has(interactionId)) return request;
      return { ...request, chat: { ...request.chat, isAgeRestricted: true } };
    },
  };
}

/** Records that Medley left or joined servers, one at a time, since at the start Discord reports all at once. */
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

/** Finds the links that an edit adds to a message. */
function createLinkEdits({ now }: DiscordContext) {
  return createEditedLinks<MessageReplyTo>({
    now,
    keyOf: ({ messageId }) => messageId,
    editOf(to, links) {
      const eventId = stableId([to.messageId, ...links.map(({ url }) => url)].join(' '));
      // The earlier links were perhaps not answered, so the embeds of the message stay visible.
      return { eventId, replyTo: { ...to, isOnlyLinks: false, editId: eventId } };
    },
  });
}

/**
 * Answers autocompletion and the delete button. Such interactions are not stored, since after a restart their answers
 * would come too late.
 * @throws DiscordFailure
 */
async function answerAtOnce(
  interaction: Interaction,
  index: CommandIndex,
  host: Pick<PlatformHost, 'cancel'>,
  context: DiscordContext,
): Promise<void> {
  if (interaction.isAutocomplete()) return suggest(interaction, index, context);
  if (!isPress(interaction)) return;
  const button = matchDeleteButton(interaction.customId);
  if (button !== undefined) await deleteAnswer(interaction, button, host, context);
}

async function suggest(
  interaction: AutocompleteInteraction,
  index: CommandIndex,
  { dispatcher, api, signal }: DiscordContext,
): Promise<void> {
  const { name } = commandOf(interaction);
  const focused = interaction.options.getFocused(true);
  const option = index.find(name)?.keyOf(focused.name) ?? focused.name;
  const until = joinSignals([signal], TIMES.suggest);
  const asked = { command: name, option, partial: String(focused.value) };
  const suggestions = await dispatcher
    .suggestOption({ caller: callerIn(interaction), signal: until.signal, ...asked })
    .finally(until.release);
  const choices = suggestions
    .filter(({ value }) => value !== '' && value.length <= COMMAND_LIMITS.choiceValue)
    .slice(0, COMMAND_LIMITS.choices)
    .map(({ label, value }) => ({
      name: shortenMarkdown(label === '' ? value : label, COMMAND_LIMITS.choiceName),
      value,
    }));
  const type = InteractionResponseType.ApplicationCommandAutocompleteResult;
  await api.respond(interaction, { type, data: { choices } });
}

/** Deletes all messages of an answer, cancels those not sent yet, and shows the asking message's hidden embed again. */
async function deleteAnswer(
  interaction: Pressed,
  { requesterId, answerId, hidesEmbed = false }: DeletedAnswer,
  host: Pick<PlatformHost, 'cancel'>,
  context: DiscordContext,
): Promise<void> {
  const { api, parts, embeds, dispatcher, signal } = context;
  const { user, memberPermissions, applicationId, token, channelId, message } = interaction;
  const isModerator = interaction.inGuild() && memberPermissions?.has(PermissionFlagsBits.ManageMessages) === true;
  if (user.id !== requesterId && !isModerator) {
    const error = new AppError('forbidden', 'button of another person', { params: { what: 'button' } });
    const t = await dispatcher.translator(callerIn(interaction));
    return showAlone(interaction, errorNotice(error, t, { visibility: 'caller' }), context);
  }
  await acknowledge(interaction, { isEphemeral: false, pressed: {} }, context);
  if (answerId !== undefined) await host.cancel(answerId);
  await api.deleteOriginal({ applicationId, token }, signal);
  if (answerId === undefined) return;
  const logged = (failure: string) => (error: unknown) => context.log.info({ err: error }, `discord: ${failure}`);
  for (const id of await parts.of(answerId)) {
    if (id !== message.id)
      await api.deleteMessage(channelId, id).catch(logged('a part of an answer could not be deleted'));
  }
  if (hidesEmbed)
    await embeds.restore({ channelId, messageId: answerId }).catch(logged('an embed could not be shown again'));
}
