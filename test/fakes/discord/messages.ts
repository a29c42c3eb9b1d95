import { GatewayIntentBits, PermissionFlagsBits } from 'discord.js';
import type { Clock } from './clock.ts';
import type { GatewayEvent } from './gateway.ts';
import { Flags, type MessageBody } from './message-body.ts';
import { checkMessage } from './message-rules.ts';
import { type Channel, demand, type Places } from './places.ts';
import { type ChatMessage, type Complain, invalidForm, type ReceivedFile, Refusal } from './records.ts';
import { attachmentWire, memberWire, userWire, type Wire } from './wire.ts';

/** Discord says "the past few minutes". */
const NONCE_WINDOW_MS = 5 * 60_000;

interface HeldFile extends ReceivedFile {
  readonly id: string;
  readonly description: string | undefined;
  readonly spoiler: boolean;
}

export interface StoredMessage extends ChatMessage {
  body: Record<string, unknown>;
  files: readonly HeldFile[];
  deleted: boolean;
  edits: unknown[];
  flags: number;
  editedAt: number | undefined;
  readonly createdAt: number;
  readonly fromBot: boolean;
  readonly mentionIds: readonly string[];
  /** Fields Discord adds that nobody asked for: type, webhook_id, interaction_metadata ... */
  readonly extra: Wire;
}

export interface MessageOptions {
  readonly id?: string;
  readonly guildId?: string;
  readonly channelId?: string;
  readonly content?: string;
  readonly authorId?: string;
  /** Written by another bot. */
  readonly bot?: boolean;
  readonly webhookId?: string;
  /** Users it pings, beside those whose `<@id>` stands in the content. */
  readonly mentions?: readonly string[];
  readonly embeds?: readonly Wire[];
  readonly attachments?: readonly Wire[];
  readonly components?: readonly Wire[];
  readonly flags?: number;
  /** 0 default, 19 reply, 7 join ... */
  readonly type?: number;
  /** The message it answers. */
  readonly replyTo?: string;
}

export interface Upload {
  readonly channel: Channel;
  readonly body: MessageBody;
  readonly files: readonly ReceivedFile[];
  /** Largest file in bytes, where it is not the channel's. */
  readonly uploadLimit?: number;
  readonly requestBytes: number;
}

export interface Messages {
  readonly all: ReadonlyMap<string, StoredMessage>;
  /** Somebody writes; the gateway tells of it. */
  write(options: MessageOptions): StoredMessage;
  /** Somebody's message changes: an edit of the text, an unfurled embed. */
  change(id: string, changes: MessageChanges): void;
  /** Somebody's message is deleted. */
  forget(id: string): void;
  /** The bot posts. @throws {Refusal} */
  post(upload: Upload, extra?: Wire): StoredMessage;
  /** The bot edits its own message. @throws {Refusal} */
  edit(message: StoredMessage, upload: Upload): StoredMessage;
  /** The bot sets flags on another's message. @throws {Refusal} */
  patchForeign(message: StoredMessage, body: MessageBody): StoredMessage;
  remove(message: StoredMessage): void;
  /** A message that stands in this channel for all to see. @throws {Refusal} 10008 */
  find(channelId: string, id: string): StoredMessage;
  wire(message: StoredMessage): Wire;
}

export interface MessageChanges {
  readonly content?: string;
  readonly embeds?: readonly Wire[];
  readonly flags?: number;
}

export interface MessagesOptions {
  readonly clock: Clock;
  readonly places: Places;
  readonly botUserId: string;
  readonly applicationId: string;
  readonly cdnUrl: () => string;
  readonly emit: (event: GatewayEvent) => void;
  readonly complain: Complain;
}

export function createMessages(options: MessagesOptions): Messages {
  const { clock, places, botUserId } = options;
  const all = new Map<string, StoredMessage>();

  function wire(message: StoredMessage): Wire {
    const author = userWire(message.authorId, message.fromBot);
    const { body } = message;
    const suppressed = (message.flags & Flags.suppressEmbeds) !== 0;
    return {
      id: message.id,
      channel_id: message.channelId,
      author,
      content: body.content ?? '',
      timestamp: new Date(message.createdAt).toISOString(),
      edited_timestamp: message.editedAt === undefined ? null : new Date(message.editedAt).toISOString(),
      tts: false,
      mention_everyone: false,
      mentions: message.mentionIds.map(id => userWire(id, id === botUserId)),
      mention_roles: [],
      attachments: message.own
        ? message.files.map(file => attachment(message.channelId, file))
        : (body.attachments ?? []),
      embeds: suppressed ? [] : (body.embeds ?? []),
      components: resolveMedia(body.components ?? [], message),
      pinned: false,
      type: 0,
      flags: message.flags,
      ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
      ...message.extra,
    };
  }

  function attachment(channelId: string, file: HeldFile): Wire {
    const base = attachmentWire(options.cdnUrl(), channelId, file.id, file);
    return file.description === undefined ? base : { ...base, description: file.description };
  }

  /** `attachment://name` becomes the address the file got, as in every answer of Discord's. */
  function resolveMedia(value: unknown, message: StoredMessage): unknown {
    if (Array.isArray(value)) return value.map(each => resolveMedia(each, message));
    if (typeof value !== 'object' || value === null) return value;
    const resolved = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolveMedia(each, message)]));
    if (typeof resolved.url !== 'string' || !resolved.url.startsWith('attachment://')) return resolved;
    const name = resolved.url.slice('attachment://'.length);
    const file = message.files.find(each => each.name === name);
    if (file === undefined) return resolved;
    const { url, proxy_url, content_type } = attachment(message.channelId, file);
    return { ...resolved, url, proxy_url, content_type, attachment_id: file.id, width: 640, height: 360 };
  }

  function tell(type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE', message: StoredMessage): void {
    // What only one person sees never comes over the gateway.
    if ((message.flags & Flags.ephemeral) !== 0) return;
    const { guildId } = message;
    const data = {
      ...wire(message),
      channel_type: places.find(message.channelId)?.type ?? 0,
      ...(guildId === undefined ? {} : { guild_id: guildId }),
      ...(guildId === undefined || message.extra.webhook_id !== undefined ? {} : { member: memberOf(message) }),
    };
    const open = message.authorId === botUserId || guildId === undefined || message.mentionIds.includes(botUserId);
    options.emit({
      type,
      data,
      guildId,
      intent: guildId === undefined ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages,
      ...(open ? {} : { redacted: { ...data, content: '', embeds: [], attachments: [], components: [] } }),
    });
  }

  function memberOf(message: StoredMessage): Wire {
    const { user: _, ...member } = memberWire(userWire(message.authorId), []);
    return member;
  }

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
      options.complain,
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

  function write(wanted: MessageOptions): StoredMessage {
    const authorId = wanted.authorId ?? wanted.webhookId ?? clock.snowflake();
    const channel = roomFor(wanted, authorId);
    const content = wanted.content ?? '';
    const answered = wanted.replyTo === undefined ? undefined : all.get(wanted.replyTo);
    const pinged = [...content.matchAll(/<@!?(\d+)>/g)].flatMap(match => match[1] ?? []);
    const message: StoredMessage = {
      id: wanted.id ?? clock.snowflake(),
      channelId: channel.id,
      guildId: channel.guildId,
      authorId,
      own: authorId === botUserId,
      fromBot: wanted.bot === true || wanted.webhookId !== undefined || authorId === botUserId,
      mentionIds: [...new Set([...(wanted.mentions ?? []), ...pinged])],
      body: {
        content,
        embeds: wanted.embeds ?? [],
        attachments: wanted.attachments ?? [],
        components: wanted.components ?? [],
      },
      files: [],
      deleted: false,
      edits: [],
      flags: wanted.flags ?? 0,
      createdAt: clock.now(),
      editedAt: undefined,
      extra: {
        type: wanted.type ?? (answered === undefined ? 0 : 19),
        ...(wanted.webhookId === undefined ? {} : { webhook_id: wanted.webhookId }),
        ...(answered === undefined
          ? {}
          : {
              message_reference: {
                type: 0,
                message_id: answered.id,
                channel_id: channel.id,
                guild_id: channel.guildId,
              },
              referenced_message: wire(answered),
            }),
      },
    };
    all.set(message.id, message);
    tell('MESSAGE_CREATE', message);
    return message;
  }

  function roomFor(wanted: MessageOptions, authorId: string): Channel {
    if (wanted.channelId !== undefined) return places.channel(wanted.channelId);
    return wanted.guildId === undefined ? places.direct(authorId) : places.firstChannel(wanted.guildId);
  }

  function get(id: string): StoredMessage {
    const found = all.get(id);
    if (found === undefined) throw new Error(`no message ${id}`);
    return found;
  }

  function remove(message: StoredMessage): void {
    message.deleted = true;
    if ((message.flags & Flags.ephemeral) !== 0) return;
    const { guildId } = message;
    options.emit({
      type: 'MESSAGE_DELETE',
      data: {
        id: message.id,
        channel_id: message.channelId,
        ...(guildId === undefined ? {} : { guild_id: guildId }),
      },
      guildId,
      intent: guildId === undefined ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages,
    });
  }

  return {
    all,
    write,
    wire,
    remove,
    change(id, changes) {
      const message = get(id);
      const { flags, ...body } = changes;
      message.body = { ...message.body, ...body };
      if (flags !== undefined) message.flags = flags;
      if (changes.content !== undefined) message.editedAt = clock.now();
      tell('MESSAGE_UPDATE', message);
    },
    forget(id) {
      remove(get(id));
    },
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
      all.set(message.id, message);
      tell('MESSAGE_CREATE', message);
      return message;
    },
    edit(message, upload) {
      weigh(upload);
      const files = hold(upload);
      check(upload, message, files);
      const { body } = upload;
      const listed = body.attachments?.map(each => each.id);
      const kept = listed === undefined ? message.files : message.files.filter(file => listed.includes(file.id));
      const settable = Flags.suppressEmbeds | Flags.componentsV2;
      message.files = [...kept, ...files];
      message.flags = (message.flags & ~Flags.loading) | ((body.flags ?? 0) & settable);
      message.body = { ...message.body, ...body };
      message.edits.push(body);
      message.editedAt = clock.now();
      tell('MESSAGE_UPDATE', message);
      return message;
    },
    patchForeign(message, body) {
      if (Object.keys(body).some(key => !FOREIGN_KEYS.has(key))) {
        throw new Refusal(403, 50005, 'Cannot edit a message authored by another user');
      }
      demand(places.channel(message.channelId), PermissionFlagsBits.ManageMessages);
      const flags = body.flags ?? 0;
      if ((message.flags & ~flags & ~Flags.suppressEmbeds) !== 0) {
        options.complain(
          `message ${message.id}: flags ${message.flags} became ${flags}; other flags must be sent again`,
        );
      }
      message.flags = flags;
      message.edits.push(body);
      tell('MESSAGE_UPDATE', message);
      return message;
    },
    find(channelId, id) {
      const message = all.get(id);
      const visible = message !== undefined && !message.deleted && (message.flags & Flags.ephemeral) === 0;
      if (!visible || message.channelId !== channelId) throw new Refusal(404, 10008, 'Unknown Message');
      return message;
    },
  };
}

/** The request as a whole: "≤ 25 MiB" where a single file may not be larger than that anyway. */
const REQUEST_LIMIT = 25 * 1024 * 1024;
const REQUEST_MARGIN = 64 * 1024;

/** What an edit of another's message may say; the last three are discord.js's habit on every edit. */
const FOREIGN_KEYS = new Set(['flags', 'tts', 'nonce', 'enforce_nonce']);

/** Refused before Discord itself sees it: a 413 without JSON. */
export class Oversized extends Error {}
