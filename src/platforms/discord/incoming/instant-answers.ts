import {
  type AutocompleteInteraction,
  type Interaction,
  InteractionResponseType,
  PermissionFlagsBits,
} from 'discord.js';
import type { PlatformHost } from '../../../bot/contract/chat-platform.ts';
import { errorNotice } from '../../../bot/views/notice.ts';
import { AppError } from '../../../errors.ts';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import { COMMAND_LIMITS, TIMES } from '../api/limits.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { type DeletedAnswer, matchDeleteButton } from '../render/buttons.ts';
import { shortenMarkdown } from '../render/markdown-text.ts';
import { type CommandIndex, commandOf } from './command-index.ts';
import { acknowledge, callerIn, isPress, type Pressed, showAlone } from './interactions.ts';

/**
 * Answers suggestions and the delete button, which are not stored: they are not waited for after a restart.
 * @throws DiscordFailure
 */
export async function answerAtOnce(
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

/** Deletes all messages of the answer, cancels those still to come, and shows the embed again that the answer replaced. */
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
