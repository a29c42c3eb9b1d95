import {
  ApplicationIntegrationType,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  InteractionContextType,
  InteractionResponseType,
  type Message,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  PermissionFlagsBits,
  type StringSelectMenuInteraction,
} from 'discord.js';
import type { Caller } from '../../../bot/contract/caller.ts';
import type { NewRequest, PlatformHost } from '../../../bot/contract/chat-platform.ts';
import type { Reply } from '../../../bot/contract/reply.ts';
import { callerOf, type PastedLink } from '../../../bot/contract/request.ts';
import { errorNotice } from '../../../bot/views/notice.ts';
import { AppError } from '../../../errors.ts';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import { COMMAND_LIMITS, TIMES } from '../api/limits.ts';
import { rightsOf } from '../api/permissions.ts';
import type { DiscordReplyTo, InteractionReplyTo } from '../api/reply-to.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { BACK_ID, type DeleteButton, findDeleteButton, matchDeleteButton } from '../render/buttons.ts';
import { shorten } from '../render/markdown-text.ts';
import { renderMessage } from '../render/render.ts';
import { commandOf, createCommandIndex } from './command-index.ts';
import { findMarkdownLinks } from './markdown-links.ts';

export interface IncomingInteractions {
  /** What it asks for; undefined for what is answered at once. */
  read(interaction: Interaction): Promise<NewRequest<DiscordReplyTo> | undefined>;
  /**
   * Answers suggestions and the delete button, which are not worth keeping.
   * @throws SendFailure
   */
  answerAtOnce(interaction: Interaction): Promise<void>;
}

type Pressed = ButtonInteraction | StringSelectMenuInteraction;
type Kept = ChatInputCommandInteraction | MessageContextMenuCommandInteraction | Pressed;
type InteractionDraft = NewRequest<DiscordReplyTo>;
type Envelope = Pick<InteractionDraft, 'eventId' | 'chat' | 'user' | 'until' | 'replyTo' | 'acknowledge' | 'refuse'>;

/** How a request is shown that it was heard. */
type First = Pick<InteractionReplyTo, 'isEphemeral' | 'pressed'>;

export function createIncomingInteractions(
  context: DiscordContext,
  host: Pick<PlatformHost, 'cancel'>,
): IncomingInteractions {
  const { dispatcher, api, parts, history, embeds, log, now, signal } = context;
  const index = createCommandIndex(dispatcher.commandSpecs);

  function readCommand(interaction: ChatInputCommandInteraction): InteractionDraft {
    const { name, values } = commandOf(interaction);
    const known = index.find(name);
    const options = Object.fromEntries(
      Object.entries(values).map(([option, value]) => [known?.keyOf(option) ?? option, value]),
    );
    const isHidden = known?.spec.options.some(
      ({ key, option }) => option.type === 'boolean' && option.hidesAnswer === true && options[key] === true,
    );
    const isEphemeral = known?.spec.visibility === 'caller' || isHidden === true;
    return { ...envelope(interaction, { isEphemeral }), kind: 'command', what: { name, options } };
  }

  async function readMenu(interaction: MessageContextMenuCommandInteraction): Promise<InteractionDraft> {
    const links = linksIn(interaction.targetMessage);
    const ask = await dispatcher.read({ caller: callerIn(interaction), text: '', direct: true, links });
    return { ...envelope(interaction, { isEphemeral: false }), ...(ask ?? { kind: 'talk', what: null }) };
  }

  /** What a button opens takes the place of what its owner looked at; to anyone else it is shown alone, and so is one of several replies. */
  async function readPress(interaction: Pressed): Promise<InteractionDraft> {
    const { message, user } = interaction;
    const token = interaction.isStringSelectMenu() ? (interaction.values[0] ?? '') : interaction.customId;
    const deleteId = findDeleteButton(message.components);
    const isEphemeral = message.flags.has(MessageFlags.Ephemeral);
    const owner = matchDeleteButton(deleteId ?? '')?.requesterId ?? message.interactionMetadata?.user.id;
    const isOwn = (isEphemeral || owner === user.id) && message.components.length === 1;
    const isBack = token === BACK_ID;
    const pressed = { messageId: message.id, isBack, ...(deleteId !== undefined && { deleteId }) };
    const first = isOwn ? { isEphemeral, pressed } : { isEphemeral: true };
    const before = isBack ? await history.before(message.id) : undefined;
    return { ...envelope(interaction, first), ...(before ?? { kind: 'button', what: { token, isEphemeral: !isOwn } }) };
  }

  function envelope(interaction: Kept, first: First): Envelope {
    const isAllowed = interaction.memberPermissions?.has(PermissionFlagsBits.UseExternalApps) === true;
    const isThread = interaction.channel?.isThread() === true;
    const rights = rightsOf(interaction.appPermissions, isThread, context.readsMessages());
    const isInChannel = rights.send && !isPersonal(interaction) && !first.isEphemeral && first.pressed === undefined;
    return {
      eventId: interaction.id,
      ...whoAndWhere(interaction),
      // By this machine's clock, which need not be Discord's.
      until: now() + (isInChannel ? TIMES.instead : TIMES.token),
      replyTo: {
        kind: 'interaction',
        applicationId: interaction.applicationId,
        token: interaction.token,
        fileBytes: interaction.attachmentSizeLimit,
        rights,
        ...(isPersonal(interaction) && { personal: { isAllowed } }),
        ...first,
      },
      acknowledge: () => acknowledge(interaction, first),
      refuse: reply => showAlone(interaction, reply),
    };
  }

  function acknowledge(interaction: Kept, { isEphemeral, pressed }: First): Promise<void> {
    if (pressed !== undefined) return api.respond(interaction, { type: InteractionResponseType.DeferredMessageUpdate });
    const type = InteractionResponseType.DeferredChannelMessageWithSource;
    return api.respond(interaction, isEphemeral ? { type, data: { flags: MessageFlags.Ephemeral } } : { type });
  }

  /** In place of an acknowledgement. */
  async function showAlone(interaction: Kept, reply: Reply): Promise<void> {
    const t = await dispatcher.translator(callerIn(interaction));
    const commands = await context.commandIds.current();
    const components = renderMessage([{ reply, media: [], omitted: 0 }], { t, commands, deleteId: undefined });
    const flags = MessageFlags.Ephemeral | MessageFlags.IsComponentsV2;
    await api.respond(interaction, {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { components, allowed_mentions: { parse: [] }, flags },
    });
  }

  /** All messages of the answer go, what would still come does not, and the embed that it took the place of is shown again. */
  async function pressDelete(interaction: Pressed, button: DeleteButton): Promise<void> {
    const { requesterId, answerId, hidesEmbed = false } = button;
    const { user, memberPermissions, applicationId, token, channelId, message } = interaction;
    const isModerator = interaction.inGuild() && memberPermissions?.has(PermissionFlagsBits.ManageMessages) === true;
    if (user.id !== requesterId && !isModerator) {
      const error = new AppError('forbidden', 'button of another person', { params: { what: 'button' } });
      const t = await dispatcher.translator(callerIn(interaction));
      return showAlone(interaction, errorNotice(error, t, { visibility: 'caller' }));
    }
    await acknowledge(interaction, { isEphemeral: false, pressed: {} });
    if (answerId !== undefined) await host.cancel(answerId);
    await api.deleteOriginal({ applicationId, token }, signal);
    if (answerId === undefined) return;
    const others = (await parts.of(answerId)).filter(id => id !== message.id);
    for (const id of others) await aside(api.deleteMessage(channelId, id), 'a part of an answer could not be deleted');
    if (hidesEmbed)
      await aside(embeds.restore({ channelId, messageId: answerId }), 'an embed could not be shown again');
  }

  async function aside(work: Promise<void>, failure: string): Promise<void> {
    await work.catch((error: unknown) => log.info({ err: error }, `discord: ${failure}`));
  }

  async function suggest(interaction: AutocompleteInteraction): Promise<void> {
    const { name } = commandOf(interaction);
    const focused = interaction.options.getFocused(true);
    const option = index.find(name)?.keyOf(focused.name) ?? focused.name;
    const over = joinSignals([signal], TIMES.suggest);
    const suggestions = await dispatcher
      .suggestOption({
        caller: callerIn(interaction),
        signal: over.signal,
        command: name,
        option,
        partial: String(focused.value),
      })
      .finally(over.release);
    const choices = suggestions
      .filter(({ value }) => value !== '' && value.length <= COMMAND_LIMITS.choiceValue)
      .slice(0, COMMAND_LIMITS.choices)
      .map(({ label, value }) => ({ name: shorten(label === '' ? value : label, COMMAND_LIMITS.choiceName), value }));
    const type = InteractionResponseType.ApplicationCommandAutocompleteResult;
    await api.respond(interaction, { type, data: { choices } });
  }

  return {
    async read(interaction) {
      if (interaction.isChatInputCommand()) return readCommand(interaction);
      if (interaction.isMessageContextMenuCommand()) return readMenu(interaction);
      if (!isPress(interaction) || matchDeleteButton(interaction.customId) !== undefined) return undefined;
      return readPress(interaction);
    },
    async answerAtOnce(interaction) {
      if (interaction.isAutocomplete()) return suggest(interaction);
      const own = isPress(interaction) ? matchDeleteButton(interaction.customId) : undefined;
      if (own !== undefined && isPress(interaction)) await pressDelete(interaction, own);
    },
  };
}

function isPress(interaction: Interaction): interaction is Pressed {
  return interaction.isButton() || interaction.isStringSelectMenu();
}

function callerIn(interaction: Interaction): Caller {
  return callerOf({ platform: 'discord', ...whoAndWhere(interaction) });
}

function whoAndWhere(interaction: Interaction): Pick<InteractionDraft, 'chat' | 'user'> {
  const { user, guildId, channelId, channel, locale, guildLocale } = interaction;
  const isPrivate =
    guildId === null && (interaction.context ?? InteractionContextType.BotDM) === InteractionContextType.BotDM;
  const isAdmin = interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) === true;
  return {
    chat: {
      id: channelId ?? user.id,
      kind: isPrivate ? 'private' : 'group',
      ...(guildId !== null && { groupId: guildId }),
      ...(channel?.isThread() === true && channel.parentId !== null && { parentId: channel.parentId }),
    },
    user: {
      id: user.id,
      rateKey: user.id,
      locales: [locale, ...(guildLocale === null ? [] : [guildLocale])],
      isChatAdmin: isPrivate || (isAdmin && !isPersonal(interaction)),
    },
  };
}

/** In a server where only the person has installed Medley. */
function isPersonal({ guildId, authorizingIntegrationOwners }: Interaction): boolean {
  return guildId !== null && authorizingIntegrationOwners?.[ApplicationIntegrationType.GuildInstall] === undefined;
}

/** A person who asks for a message's media means its links wherever they stand: in what was forwarded, quoted or embedded too. */
function linksIn(message: Message): readonly PastedLink[] {
  const content = message.content ?? '';
  const shown = findMarkdownLinks(content);
  if (shown.length > 0) return shown;
  const forwarded = message.messageSnapshots?.map(snapshot => snapshot.content ?? '') ?? [];
  const embedded = message.embeds.flatMap(({ url }) => url ?? []);
  return findMarkdownLinks([content, ...forwarded, ...embedded].join('\n').replace(/[<>`]/g, ' '));
}
