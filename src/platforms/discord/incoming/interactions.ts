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
  PermissionFlagsBits,
  type StringSelectMenuInteraction,
} from 'discord.js';
import type { Caller } from '../../../bot/command.ts';
import type { PastedLink } from '../../../bot/dispatch/invocation.ts';
import type { PermissionCheck } from '../../../bot/settings/permission-check.ts';
import { errorNotice } from '../../../bot/views/notice.ts';
import { AppError } from '../../../errors.ts';
import type { DiscordContext } from '../context.ts';
import { COMMAND_LIMITS, TIMES } from '../limits.ts';
import { matchDeleteButton } from '../outgoing/delete-button.ts';
import { diagnosisOf, rightsOf } from '../permissions.ts';
import type { CommandIndex } from '../register.ts';
import { findMarkdownLinks } from '../render/markdown-links.ts';
import { shorten } from '../render/markdown-text.ts';
import { renderMessage } from '../render/render.ts';
import type { FirstMessage, InteractionWork } from './interaction-answers.ts';
import type { InteractionTarget } from './job-payload.ts';

export interface IncomingInteractions {
  /**
   * Acknowledges, and returns the work that is left; undefined when it was done at once.
   * @throws SendFailure
   */
  accept(interaction: Interaction): Promise<InteractionWork | undefined>;
  /** Says that there is too much to do just now. */
  refuse(work: InteractionWork): Promise<void>;
}

type Pressed = ButtonInteraction | StringSelectMenuInteraction;
type Asked = ChatInputCommandInteraction | MessageContextMenuCommandInteraction;

export function createIncomingInteractions(desk: DiscordContext, index: CommandIndex): IncomingInteractions {
  const { dispatcher, jobs, sender, now } = desk;

  async function acceptCommand(interaction: ChatInputCommandInteraction): Promise<InteractionWork | undefined> {
    const { name, values: shown } = commandOf(interaction);
    const known = index.find(name);
    const isEphemeral = known?.spec.visibility === 'caller';
    await defer(interaction, isEphemeral);
    const values = Object.fromEntries(
      Object.entries(shown).flatMap(([option, value]) => [[known?.keyOf(option) ?? option, value]]),
    );
    const caller = callerOf(interaction);
    const work = {
      jobId: undefined,
      caller,
      token: interaction.token,
      fileBytes: interaction.attachmentSizeLimit,
      isPersonal: isPersonal(interaction),
      first: { kind: 'deferred' as const, isEphemeral },
      invocation: { kind: 'command' as const, name, options: values },
    };
    const linkOption = known?.spec.options.find(
      ({ option }) => option.type === 'string' && option.form === 'link',
    )?.key;
    const link = linkOption === undefined ? undefined : values[linkOption];
    if (known?.spec.accepts !== 'link' || linkOption === undefined || typeof link !== 'string') return work;
    const { [linkOption]: _, ...others } = values;
    const command = { name, linkOption, values: others };
    return keep(interaction, work, [{ url: link, spoiler: false }], command);
  }

  async function acceptMenu(interaction: MessageContextMenuCommandInteraction): Promise<InteractionWork | undefined> {
    await defer(interaction, false);
    const links = linksIn(interaction.targetMessage);
    const work = {
      jobId: undefined,
      caller: callerOf(interaction),
      token: interaction.token,
      fileBytes: interaction.attachmentSizeLimit,
      isPersonal: isPersonal(interaction),
      first: { kind: 'deferred' as const, isEphemeral: false },
      invocation: { kind: 'text' as const, text: '', direct: true, links },
    };
    return keep(interaction, work, links, null);
  }

  /** Undefined when it is a repeat. Only links are worth keeping. */
  async function keep(
    interaction: Asked,
    work: InteractionWork,
    found: readonly PastedLink[],
    command: InteractionTarget['command'],
  ): Promise<InteractionWork | undefined> {
    const { caller } = work;
    const links = await dispatcher.linksOf({ kind: 'text', caller, text: '', direct: true, links: found });
    if (links.length === 0) return work;
    const jobId = `discord:${interaction.id}`;
    const target: InteractionTarget = {
      kind: 'interaction',
      channelId: caller.chatId,
      ...(caller.groupId !== undefined && { guildId: caller.groupId }),
      isPrivate: caller.chatKind === 'private',
      locales: [...caller.locales],
      spoilers: links.map(({ spoiler }) => spoiler),
      fileBytes: work.fileBytes,
      isPersonal: work.isPersonal,
      token: interaction.token,
      // By this machine's clock, which need not be Discord's.
      until: now() + TIMES.token,
      isEphemeral: work.first.isEphemeral,
      command,
    };
    const job = { id: jobId, platform: 'discord' as const, userId: caller.userId, chatId: caller.chatId };
    const isNew = jobs.accept({ ...job, links: links.map(({ url }) => url), target: JSON.stringify(target) });
    return isNew ? { ...work, jobId } : undefined;
  }

  async function acceptPress(interaction: Pressed): Promise<InteractionWork | undefined> {
    const own = matchDeleteButton(interaction.customId);
    if (own) {
      await pressDelete(interaction, own.requesterId);
      return undefined;
    }
    await sender.respond(interaction, { type: InteractionResponseType.DeferredMessageUpdate });
    const token = interaction.isStringSelectMenu() ? (interaction.values[0] ?? '') : interaction.customId;
    const first: FirstMessage = {
      kind: 'pressed',
      isEphemeral: interaction.message.flags.has(MessageFlags.Ephemeral),
      deleteId: deleteIdIn(interaction.message),
    };
    const { attachmentSizeLimit: fileBytes } = interaction;
    const invocation = { kind: 'action' as const, token };
    const { token: answerToken } = interaction;
    const caller = callerOf(interaction);
    const personal = isPersonal(interaction);
    return { jobId: undefined, caller, token: answerToken, fileBytes, isPersonal: personal, first, invocation };
  }

  async function pressDelete(interaction: Pressed, requesterId: string): Promise<void> {
    const { user, memberPermissions } = interaction;
    const isModerator = interaction.inGuild() && memberPermissions?.has(PermissionFlagsBits.ManageMessages) === true;
    if (user.id !== requesterId && !isModerator) {
      const error = new AppError('forbidden', 'button of another person', { params: { what: 'button' } });
      await sender.respond(interaction, {
        type: InteractionResponseType.ChannelMessageWithSource,
        data: {
          ...(await noticeFor(callerOf(interaction), error)),
          flags: MessageFlags.Ephemeral | MessageFlags.IsComponentsV2,
        },
      });
      return;
    }
    await sender.respond(interaction, { type: InteractionResponseType.DeferredMessageUpdate });
    await sender.deleteOriginal(interaction.token);
  }

  async function noticeFor(caller: Caller, error: AppError) {
    const t = await dispatcher.translator(caller);
    const section = { reply: errorNotice(error, t, { visibility: 'caller' }), media: [], omitted: 0 };
    return { components: renderMessage([section], { t, deleteId: undefined }), allowed_mentions: { parse: [] } };
  }

  async function suggest(interaction: AutocompleteInteraction): Promise<void> {
    const { name } = commandOf(interaction);
    const focused = interaction.options.getFocused(true);
    const option = index.find(name)?.keyOf(focused.name) ?? focused.name;
    const suggestions = await dispatcher.suggestOption({
      caller: callerOf(interaction),
      signal: AbortSignal.any([desk.signal, AbortSignal.timeout(TIMES.suggest)]),
      command: name,
      option,
      partial: String(focused.value),
    });
    const choices = suggestions
      .filter(({ value }) => value !== '' && value.length <= COMMAND_LIMITS.choiceValue)
      .slice(0, COMMAND_LIMITS.choices)
      .map(({ label, value }) => ({ name: shorten(label === '' ? value : label, COMMAND_LIMITS.choiceName), value }));
    const type = InteractionResponseType.ApplicationCommandAutocompleteResult;
    await sender.respond(interaction, { type, data: { choices } });
  }

  async function defer(interaction: Asked, isEphemeral: boolean): Promise<void> {
    const type = InteractionResponseType.DeferredChannelMessageWithSource;
    await sender.respond(interaction, isEphemeral ? { type, data: { flags: MessageFlags.Ephemeral } } : { type });
  }

  function callerOf(interaction: Interaction): Caller {
    const { user, guildId, channelId, locale, guildLocale } = interaction;
    const isPrivate =
      guildId === null && (interaction.context ?? InteractionContextType.BotDM) === InteractionContextType.BotDM;
    const isAdmin = interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild) === true;
    return {
      platform: 'discord',
      userId: user.id,
      chatId: channelId ?? user.id,
      chatKind: isPrivate ? 'private' : 'group',
      ...(guildId !== null && { groupId: guildId }),
      isChatAdmin: isPrivate || (isAdmin && !isPersonal(interaction)),
      hidesEmbeds: true,
      diagnose: () => diagnose(interaction),
      rateKey: user.id,
      locales: [locale, ...(guildLocale === null ? [] : [guildLocale])],
    };
  }

  function diagnose(interaction: Interaction): readonly PermissionCheck[] {
    if (isPersonal(interaction)) {
      const ok = interaction.memberPermissions?.has(PermissionFlagsBits.UseExternalApps) === true;
      return [{ key: 'useExternalApps', ok }];
    }
    const isThread = interaction.channel?.isThread() === true;
    return diagnosisOf(rightsOf(interaction.appPermissions, isThread), desk.readsMessages());
  }

  return {
    async accept(interaction) {
      if (interaction.isAutocomplete()) await suggest(interaction);
      else if (interaction.isChatInputCommand()) return acceptCommand(interaction);
      else if (interaction.isMessageContextMenuCommand()) return acceptMenu(interaction);
      else if (interaction.isButton() || interaction.isStringSelectMenu()) return acceptPress(interaction);
      return undefined;
    },
    async refuse({ caller, token, first }) {
      if (first.kind === 'pressed') return;
      const error = new AppError('rate_limited', 'too much of one chat waits', { params: { reason: 'busy' } });
      await sender.editOriginal(token, { ...(await noticeFor(caller, error)), uploads: [] }, desk.signal);
    },
  };
}

/** In a server where only the person has installed Medley. */
function isPersonal({ guildId, authorizingIntegrationOwners }: Interaction): boolean {
  return guildId !== null && authorizingIntegrationOwners?.[ApplicationIntegrationType.GuildInstall] === undefined;
}

type Values = Readonly<Record<string, string | number | boolean>>;

function commandOf(interaction: ChatInputCommandInteraction | AutocompleteInteraction): {
  name: string;
  values: Values;
} {
  const { commandName, options } = interaction;
  const [first] = options.data;
  if (first?.type !== ApplicationCommandOptionType.Subcommand)
    return { name: commandName, values: valuesOf(options.data) };
  return { name: `${commandName} ${first.name}`, values: valuesOf(first.options ?? []) };
}

function valuesOf(options: readonly CommandInteractionOption[]): Values {
  return Object.fromEntries(options.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}

/** Whoever asks for a message's media means its links wherever they stand: in what was forwarded, quoted or embedded too. */
function linksIn(message: Message): readonly PastedLink[] {
  const content = message.content ?? '';
  const shown = findMarkdownLinks(content);
  if (shown.length > 0) return shown;
  const forwarded = message.messageSnapshots?.map(snapshot => snapshot.content ?? '') ?? [];
  const embedded = message.embeds.flatMap(({ url }) => url ?? []);
  return findMarkdownLinks([content, ...forwarded, ...embedded].join('\n').replace(/[<>`]/g, ' '));
}

/** A button that stays when the message around it is written anew. */
function deleteIdIn(message: Message): string | undefined {
  return /"(delete:\d{1,20})"/.exec(JSON.stringify(message.components))?.[1];
}
