import {
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
  type Interaction,
  InteractionContextType,
  InteractionResponseType,
  type Message,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type MessageSnapshot,
  PermissionFlagsBits,
  type StringSelectMenuInteraction,
} from 'discord.js';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { Reply } from '../../../bot/contract/reply.ts';
import { type Caller, callerOf, type PastedLink } from '../../../bot/contract/request.ts';
import { createTranslator } from '../../../i18n/translate.ts';
import { TIMES } from '../api/limits.ts';
import { chatIn, rightsIn, rightsOf } from '../api/permissions.ts';
import type { DiscordReplyTo, InteractionReplyTo } from '../api/reply-to.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { BACK_ID, findDeleteButton, matchDeleteButton } from '../render/buttons.ts';
import { renderMessage } from '../render/render.ts';
import { allLinksIn, findMarkdownLinks } from './messages.ts';

export type Pressed = ButtonInteraction | StringSelectMenuInteraction;
type Requesting = ChatInputCommandInteraction | MessageContextMenuCommandInteraction | Pressed;
type InteractionRequest = NewRequest<DiscordReplyTo>;
type Envelope = Pick<InteractionRequest, 'eventId' | 'chat' | 'user' | 'until' | 'replyTo' | 'acknowledge' | 'refuse'>;

/** The audience of the first response to an interaction, and the message that it replaces. */
type First = Pick<InteractionReplyTo, 'isEphemeral' | 'pressed'>;

/** Reads the request in an interaction; undefined if the interaction is answered at once, without the queue. */
export async function readInteraction(
  interaction: Interaction,
  index: CommandIndex,
  context: DiscordContext,
): Promise<InteractionRequest | undefined> {
  if (interaction.isChatInputCommand()) return readCommand(interaction, index, context);
  if (interaction.isMessageContextMenuCommand()) return readMenu(interaction, context);
  if (!isPress(interaction) || matchDeleteButton(interaction.customId) !== undefined) return undefined;
  return readPress(interaction, context);
}

async function readCommand(
  interaction: ChatInputCommandInteraction,
  index: CommandIndex,
  context: DiscordContext,
): Promise<InteractionRequest> {
  const { name, values } = commandOf(interaction);
  const known = index.find(name);
  const options = Object.fromEntries(
    Object.entries(values).map(([option, value]) => [known?.keyOf(option) ?? option, value]),
  );
  const isHidden = known?.spec.options.some(
    ({ key, option }) => option.type === 'boolean' && option.hidesAnswer === true && options[key] === true,
  );
  const isEphemeral = known?.spec.visibility === 'caller' || isHidden === true;
  const [only, ...others] = Object.values(options);
  if (known?.spec.accepts === 'link' && typeof only === 'string' && others.length === 0) {
    const links = findMarkdownLinks(only);
    const isPlain = links.length === 1 && links[0]?.url === only.trim();
    const body = isPlain || links.length === 0 ? undefined : await readLinks(links, interaction, context);
    if (body?.kind === 'links') return { ...envelope(interaction, { isEphemeral }, context), ...body };
  }
  return { ...envelope(interaction, { isEphemeral }, context), kind: 'command', what: { name, options } };
}

async function readMenu(
  interaction: MessageContextMenuCommandInteraction,
  context: DiscordContext,
): Promise<InteractionRequest> {
  const { targetMessage: target } = interaction;
  const forwarded = target.messageSnapshots?.map(partsOf) ?? [];
  const links = allLinksIn(partsOf(target), forwarded);
  const body = await readLinks(links, interaction, context);
  return { ...envelope(interaction, { isEphemeral: false }, context), ...(body ?? { kind: 'talk', what: null }) };
}

function partsOf({
  content,
  embeds,
  components,
}: Pick<Message | MessageSnapshot, 'content' | 'embeds' | 'components'>) {
  return { content: content ?? '', embeds, components };
}

function readLinks(links: readonly PastedLink[], interaction: Interaction, { dispatcher }: DiscordContext) {
  return dispatcher.read({ caller: callerIn(interaction), text: '', direct: true, links });
}

/**
 * Reads a pressed button. For the person who asked for the message, the answer replaces its content. Anybody else gets
 * an answer that only they see. If several replies share the message, the person who asked gets such a separate
 * answer, too, because replacing the content would remove the other replies.
 */
async function readPress(interaction: Pressed, context: DiscordContext): Promise<InteractionRequest> {
  const { message, user } = interaction;
  const token = interaction.isStringSelectMenu() ? (interaction.values[0] ?? '') : interaction.customId;
  const deleteId = findDeleteButton(message.components);
  const isEphemeral = message.flags.has(MessageFlags.Ephemeral);
  const owner = matchDeleteButton(deleteId ?? '')?.requesterId ?? message.interactionMetadata?.user.id;
  const isOwn = (isEphemeral || owner === user.id) && message.components.length === 1;
  const isBack = token === BACK_ID;
  const pressed = { messageId: message.id, isBack, ...(deleteId !== undefined && { deleteId }) };
  const first = isOwn ? { isEphemeral, pressed } : { isEphemeral: true };
  const before = isBack ? await context.history.before(message.id) : undefined;
  return {
    ...envelope(interaction, first, context),
    ...(before ?? { kind: 'button', what: { token, isEphemeral: !isOwn } }),
  };
}

function envelope(interaction: Requesting, first: First, context: DiscordContext): Envelope {
  const { memberPermissions, guildId } = interaction;
  const isAllowed = guildId === null || memberPermissions?.has(PermissionFlagsBits.UseExternalApps) === true;
  const where = whoAndWhere(interaction);
  const { readsMessages } = context.gateway;
  // In a private chat the permissions that Discord states lack those to write and to read the history, although Medley
  // may do both, so the stated ones are not used there.
  const rights =
    where.chat.kind === 'private'
      ? rightsIn(undefined, readsMessages)
      : rightsOf(interaction.appPermissions, interaction.channel, readsMessages);
  const isByPerson = isPersonal(interaction);
  const isInChannel = rights.send && !isByPerson && !first.isEphemeral && first.pressed === undefined;
  return {
    eventId: interaction.id,
    ...where,
    // The deadline for the answer is measured by this machine's clock, since Discord's clock may differ.
    until: context.now() + (isInChannel ? TIMES.instead : TIMES.token),
    replyTo: {
      kind: 'interaction',
      applicationId: interaction.applicationId,
      token: interaction.token,
      fileBytes: interaction.attachmentSizeLimit,
      rights,
      ...(isByPerson && { personal: { isAllowed } }),
      ...first,
    },
    acknowledge: () => acknowledge(interaction, first, context),
    refuse: reply => showAlone(interaction, reply, context),
  };
}

export function acknowledge(
  interaction: Requesting,
  { isEphemeral, pressed }: First,
  { api }: DiscordContext,
): Promise<void> {
  if (pressed !== undefined) return api.respond(interaction, { type: InteractionResponseType.DeferredMessageUpdate });
  const type = InteractionResponseType.DeferredChannelMessageWithSource;
  return api.respond(interaction, isEphemeral ? { type, data: { flags: MessageFlags.Ephemeral } } : { type });
}

/** Sends a reply that only the caller sees, as the first answer to an interaction that was not acknowledged before. */
export async function showAlone(
  interaction: Requesting,
  reply: Reply,
  { api, dispatcher, commandIds }: DiscordContext,
): Promise<void> {
  const t = await dispatcher.translator(callerIn(interaction));
  const commands = await commandIds.current();
  const components = renderMessage([{ reply, media: [], omitted: 0 }], { t, commands, deleteId: undefined });
  const flags = MessageFlags.Ephemeral | MessageFlags.IsComponentsV2;
  await api.respond(interaction, {
    type: InteractionResponseType.ChannelMessageWithSource,
    data: { components, allowed_mentions: { parse: [] }, flags },
  });
}

export function isPress(interaction: Interaction): interaction is Pressed {
  return interaction.isButton() || interaction.isStringSelectMenu();
}

export function callerIn(interaction: Interaction): Caller {
  return callerOf({ platform: 'discord', ...whoAndWhere(interaction) });
}

function whoAndWhere(interaction: Interaction): Pick<InteractionRequest, 'chat' | 'user'> {
  const { user, guildId, channelId, channel, locale, guildLocale } = interaction;
  const isPrivate =
    guildId === null && (interaction.context ?? InteractionContextType.BotDM) === InteractionContextType.BotDM;
  const isAdmin = interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) === true;
  return {
    chat: chatIn(channelId ?? user.id, isPrivate ? 'private' : 'group', guildId ?? undefined, channel),
    user: {
      id: user.id,
      rateKey: user.id,
      locales: [locale, ...(guildLocale === null ? [] : [guildLocale])],
      isChatAdmin: isPrivate || (isAdmin && !isPersonal(interaction)),
    },
  };
}

/** True in a server, or a chat between people, where only the person has installed Medley. */
function isPersonal({ guildId, context, authorizingIntegrationOwners }: Interaction): boolean {
  const isElsewhere = guildId !== null || context === InteractionContextType.PrivateChannel;
  return isElsewhere && authorizingIntegrationOwners?.[ApplicationIntegrationType.GuildInstall] === undefined;
}

export type CommandIndex = ReturnType<typeof createCommandIndex>;

/** Maps Discord's names of commands and options to Medley's. */
export function createCommandIndex(specs: Dispatcher['commandSpecs']) {
  const english = createTranslator(['en']);
  const byName = new Map(specs(english).map(spec => [spec.name, spec]));
  return {
    find(name: string) {
      const spec = byName.get(name);
      return spec && { spec, keyOf: (shown: string) => spec.options.find(option => option.name === shown)?.key };
    },
  };
}

export function commandOf(interaction: ChatInputCommandInteraction | AutocompleteInteraction) {
  const { commandName, options } = interaction;
  const [first] = options.data;
  if (first?.type !== ApplicationCommandOptionType.Subcommand)
    return { name: commandName, values: valuesOf(options.data) };
  return { name: `${commandName} ${first.name}`, values: valuesOf(first.options ?? []) };
}

function valuesOf(options: readonly CommandInteractionOption[]): Readonly<Record<string, string | number | boolean>> {
  return Object.fromEntries(options.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}
