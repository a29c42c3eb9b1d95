import { PermissionFlagsBits } from 'discord.js';
import type { Clock } from './clock.ts';
import { Flags, type MessageBody } from './message-body.ts';
import { checkMessage } from './message-rules.ts';
import type { HeldFile, StoredMessage } from './message-wire.ts';
import type { Messages } from './messages.ts';
import { type Channel, demand, type Places } from './places.ts';
import { type Complain, invalidForm, type ReceivedFile, Refusal } from './records.ts';
import type { Wire } from './wire.ts';

/** Discord says "the past few minutes". */
const NONCE_WINDOW_MS = 5 * 60_000;

export interface Upload {
  readonly channel: Channel;
  readonly body: MessageBody;
  readonly files: readonly ReceivedFile[];
  /** Largest file in bytes, where it is not the channel's. */
  readonly uploadLimit?: number;
  readonly requestBytes: number;
}

/** What the bot itself writes. */
export interface Posts {
  /** @throws {Refusal} {@link Oversized} */
  post(upload: Upload, extra?: Wire): StoredMessage;
  /** Of its own message. @throws {Refusal} {@link Oversized} */
  edit(message: StoredMessage, upload: Upload): StoredMessage;
  /** Flags on another's message. @throws {Refusal} */
  patchForeign(message: StoredMessage, body: MessageBody): StoredMessage;
}

export interface PostsOptions {
  readonly clock: Clock;
  readonly places: Places;
  readonly messages: Messages;
  readonly botUserId: string;
  readonly complain: Complain;
}

export function createPosts(options: PostsOptions): Posts {
  const { clock, places, messages, botUserId, complain } = options;
  const { all } = messages;

  function hold(upload: Upload): readonly HeldFile[] {
    return upload.files.map(file => {
      const place = /^files\[(\d+)\]$/.exec(file.field)?.[1];
      const said = upload.body.attachments?.find(each => each.id === place);
      return {
        ...file,
        name: said?.filename ?? file.name,
        id: clock.snowflake(),
        description: said?.description ?? undefined,
        spoiler: said?.is_spoiler ?? false,
      };
    });
  }

  function weigh(upload: Upload): void {
    const limit = upload.uploadLimit ?? upload.channel.uploadLimit;
    if (upload.files.some(file => file.bytes > limit)) throw new Refusal(413, 40005, 'Request entity too large');
    if (upload.requestBytes > Math.max(REQUEST_LIMIT, limit + REQUEST_MARGIN)) throw new Oversized();
  }

  function check(upload: Upload, standing: StoredMessage | undefined, held: readonly HeldFile[]): void {
    const refusal = checkMessage(
      {
        body: upload.body,
        uploads: upload.files,
        held: [...(standing?.files ?? []).map(file => ({ id: file.id, name: file.name })), ...held],
        standing: standing === undefined ? undefined : { body: standing.body, flags: standing.flags },
      },
      complain,
    );
    if (refusal !== undefined) throw refusal;
  }

  function repeated(channel: Channel, body: MessageBody): StoredMessage | undefined {
    if (body.enforce_nonce !== true || body.nonce === undefined || body.nonce === null) return undefined;
    return [...all.values()].find(
      each =>
        each.own &&
        each.channelId === channel.id &&
        each.nonce === body.nonce &&
        clock.now() - each.createdAt < NONCE_WINDOW_MS,
    );
  }

  function checkReference(channel: Channel, body: MessageBody): Wire {
    const reference = body.message_reference;
    if (reference === undefined || reference === null) return {};
    if ((channel.permissions & PermissionFlagsBits.ReadMessageHistory) === 0n) {
      throw new Refusal(403, 160002, 'Cannot reply without permission to read message history');
    }
    const target = all.get(reference.message_id);
    if (target === undefined || target.deleted || target.channelId !== channel.id) {
      if (reference.fail_if_not_exists === false) return {};
      throw invalidForm('message_reference MESSAGE_REFERENCE_UNKNOWN_MESSAGE Unknown message');
    }
    return {
      type: 19,
      message_reference: { type: 0, message_id: target.id, channel_id: channel.id, guild_id: channel.guildId },
    };
  }

  return {
    post(upload, extra = {}) {
      const { channel, body } = upload;
      const first = repeated(channel, body);
      if (first !== undefined) return first;
      weigh(upload);
      const reference = checkReference(channel, body);
      const files = hold(upload);
      check(upload, undefined, files);
      const message: StoredMessage = {
        id: clock.snowflake(),
        channelId: channel.id,
        guildId: channel.guildId,
        authorId: botUserId,
        own: true,
        fromBot: true,
        mentionIds: [],
        body: { ...body },
        files,
        deleted: false,
        ...(body.nonce === undefined || body.nonce === null ? {} : { nonce: body.nonce }),
        edits: [],
        flags: body.flags ?? 0,
        createdAt: clock.now(),
        editedAt: undefined,
        extra: { ...reference, ...extra },
      };
      messages.add(message);
      return message;
    },
    edit(message, upload) {
      weigh(upload);
      const files = hold(upload);
      check(upload, message, files);
      const { body } = upload;
      const listed = body.attachments?.map(each => each.id);
      const kept = listed === undefined ? message.files : message.files.filter(file => listed.includes(file.id));
      message.files = [...kept, ...files];
      message.flags = flagsAfter(message.flags, body.flags ?? undefined);
      message.body = { ...message.body, ...body };
      message.edits.push(body);
      message.editedAt = clock.now();
      messages.changed(message);
      return message;
    },
    patchForeign(message, body) {
      if (Object.keys(body).some(key => !FOREIGN_KEYS.has(key))) {
        throw new Refusal(403, 50005, 'Cannot edit a message authored by another user');
      }
      demand(places.channel(message.channelId), PermissionFlagsBits.ManageMessages);
      const flags = body.flags ?? 0;
      if ((message.flags & ~flags & ~Flags.suppressEmbeds) !== 0) {
        complain(`message ${message.id}: flags ${message.flags} became ${flags}; other flags must be sent again`);
      }
      message.flags = flags;
      message.edits.push(body);
      messages.changed(message);
      return message;
    },
  };
}

/** An edit sets or lifts the suppression of embeds and may bring Components V2; nothing else changes. */
function flagsAfter(standing: number, wanted: number | undefined): number {
  const loaded = standing & ~Flags.loading;
  if (wanted === undefined) return loaded;
  return (loaded & ~Flags.suppressEmbeds) | (wanted & (Flags.suppressEmbeds | Flags.componentsV2));
}

/** The request as a whole: "≤ 25 MiB" where a single file may not be larger than that anyway. */
const REQUEST_LIMIT = 25 * 1024 * 1024;
const REQUEST_MARGIN = 64 * 1024;

/** What an edit of another's message may say; the last three are discord.js's habit on every edit. */
const FOREIGN_KEYS = new Set(['flags', 'tts', 'nonce', 'enforce_nonce']);

/** Refused before Discord itself sees it: a 413 without JSON. */
export class Oversized extends Error {}
