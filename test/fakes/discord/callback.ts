import { z } from 'zod';
import type { Interactions, StoredInteraction } from './interactions.ts';
import { Flags, type MessageBody, readMessageBody } from './message-body.ts';
import type { StoredMessage } from './message-wire.ts';
import type { Messages } from './messages.ts';
import type { Posts, Upload } from './posts.ts';
import { type Complain, invalidForm, Refusal } from './records.ts';
import type { Received } from './route.ts';
import type { Wire } from './wire.ts';

const callbackSchema = z.looseObject({ type: z.int(), data: z.unknown().optional() });
const choicesSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        name: z.string().min(1).max(100),
        value: z.union([z.string().max(100), z.number()]),
        name_localizations: z.record(z.string(), z.string().min(1).max(100)).nullish(),
      }),
    )
    .max(25),
});
const modalSchema = z.looseObject({
  custom_id: z.string().min(1).max(100),
  title: z.string().min(1).max(45),
  components: z
    .array(z.looseObject({ type: z.int() }))
    .min(1)
    .max(5),
});

const MAX_FOLLOW_UPS_OUTSIDE = 5;
const KINDS: Readonly<Record<number, readonly StoredInteraction['kind'][]>> = {
  4: ['command', 'message-command', 'button', 'select'],
  5: ['command', 'message-command', 'button', 'select'],
  6: ['button', 'select'],
  7: ['button', 'select'],
  8: ['autocomplete'],
  9: ['command', 'message-command', 'button', 'select'],
};

/** What may be done with an interaction's token. */
export interface Callback {
  /** @throws {Refusal} */
  answer(id: string, token: string, received: Received): Wire;
  followUp(interaction: StoredInteraction, received: Received): StoredMessage;
  original(interaction: StoredInteraction): StoredMessage;
  message(interaction: StoredInteraction, id: string): StoredMessage;
  edit(interaction: StoredInteraction, message: StoredMessage, received: Received): StoredMessage;
}

export interface CallbackOptions {
  readonly interactions: Interactions;
  readonly messages: Messages;
  readonly posts: Posts;
  readonly complain: Complain;
}

export function createCallback({ interactions, messages, posts, complain }: CallbackOptions): Callback {
  const own = new WeakMap<StoredInteraction, StoredMessage[]>();

  function uploadOf(interaction: StoredInteraction, body: MessageBody, received: Received): Upload {
    return {
      channel: interaction.channel,
      body,
      files: received.files,
      requestBytes: received.requestBytes,
      uploadLimit: interaction.attachmentSizeLimit,
    };
  }

  function post(interaction: StoredInteraction, body: MessageBody, received: Received): StoredMessage {
    // Nonces are the channel's; a webhook has none to compare.
    const { nonce: _, enforce_nonce: __, ...rest } = body;
    const message = posts.post(uploadOf(interaction, rest, received), interactions.metadata(interaction));
    own.set(interaction, [...(own.get(interaction) ?? []), message]);
    return message;
  }

  function defer(interaction: StoredInteraction, data: unknown): StoredMessage {
    const body = readMessageBody(data ?? {});
    const flags = body.flags ?? 0;
    if ((flags & ~Flags.ephemeral) !== 0) {
      complain(`a deferral with flags ${flags}: only EPHEMERAL is allowed`);
      throw invalidForm('data.flags');
    }
    const loading = readMessageBody({ flags: flags | Flags.loading });
    return post(interaction, loading, { body: undefined, files: [], requestBytes: 0 });
  }

  function perform(interaction: StoredInteraction, type: number, data: unknown, received: Received): void {
    switch (type) {
      case 4:
        interaction.original = post(interaction, readMessageBody(data), received);
        return;
      case 5:
        interaction.original = defer(interaction, data);
        return;
      case 6:
        interaction.original = interaction.source;
        return;
      case 7:
        if (interaction.source === undefined) throw invalidForm('no message to update');
        interaction.original = edit(interaction, interaction.source, { ...received, body: data });
        return;
      case 8:
        demand(choicesSchema, data);
        return;
      default:
        demand(modalSchema, data);
    }
  }

  function demand(schema: z.ZodType, data: unknown): void {
    const parsed = schema.safeParse(data);
    if (parsed.success) return;
    complain(`callback: ${parsed.error.message}`);
    throw invalidForm('data');
  }

  function edit(interaction: StoredInteraction, message: StoredMessage, received: Received): StoredMessage {
    return posts.edit(message, uploadOf(interaction, readMessageBody(received.body), received));
  }

  return {
    answer(id, token, received) {
      const interaction = interactions.forCallback(id, token);
      const { data: callback } = callbackSchema.safeParse(received.body);
      if (callback === undefined || !KINDS[callback.type]?.includes(interaction.kind)) {
        complain(`callback: type ${callback?.type} does not answer a ${interaction.kind}`);
        throw invalidForm('type');
      }
      perform(interaction, callback.type, callback.data, received);
      interaction.answered = callback.type;
      const { original } = interaction;
      return {
        interaction: {
          id: interaction.id,
          type: interaction.type,
          response_message_id: original?.id,
          response_message_loading: callback.type === 5,
          response_message_ephemeral: original !== undefined && (original.flags & Flags.ephemeral) !== 0,
        },
        resource:
          original === undefined ? { type: callback.type } : { type: callback.type, message: messages.wire(original) },
      };
    },
    followUp(interaction, received) {
      const { original } = interaction;
      // The first follow-up after a deferral is the original's edit, while that stands (discord-api-docs#2739).
      if (original !== undefined && !original.deleted && (original.flags & Flags.loading) !== 0)
        return edit(interaction, original, received);
      if (interaction.userInstalledOnly && interaction.followUps >= MAX_FOLLOW_UPS_OUTSIDE) {
        throw new Refusal(400, 40094, 'This interaction has reached the maximum number of follow up messages.');
      }
      const message = post(interaction, readMessageBody(received.body), received);
      interaction.followUps++;
      return message;
    },
    original(interaction) {
      if (interaction.original === undefined || interaction.original.deleted) {
        throw new Refusal(404, 10008, 'Unknown Message');
      }
      return interaction.original;
    },
    message(interaction, id) {
      const found = [...(own.get(interaction) ?? []), interaction.original].find(each => each?.id === id);
      if (found === undefined || found.deleted) throw new Refusal(404, 10008, 'Unknown Message');
      return found;
    },
    edit,
  };
}
