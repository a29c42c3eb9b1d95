import { GatewayIntentBits } from 'discord.js';
import type { Clock } from './clock.ts';
import type { GatewayEvent } from './gateway.ts';
import { Flags } from './message-body.ts';
import { messageWire, type StoredMessage } from './message-wire.ts';
import type { Channel, Places } from './places.ts';
import { Refusal } from './records.ts';
import { memberWire, userWire, type Wire } from './wire.ts';

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
  /** The text of a message that it forwards, or its parts. */
  readonly forwards?: string | Wire;
}

export interface Messages {
  readonly all: ReadonlyMap<string, StoredMessage>;
  /** Somebody writes; the gateway tells of it. */
  write(options: MessageOptions): StoredMessage;
  /** Somebody's message changes: an edit of the text, an unfurled embed. */
  change(id: string, changes: MessageChanges): void;
  /** Somebody's message is deleted. */
  forget(id: string): void;
  /** A message of the bot's own; the gateway tells of it. */
  add(message: StoredMessage): void;
  /** The gateway tells that a message has changed. */
  changed(message: StoredMessage): void;
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
  readonly cdnUrl: () => string;
  readonly emit: (event: GatewayEvent) => void;
}

export function createMessages(options: MessagesOptions): Messages {
  const { clock, places, botUserId } = options;
  const all = new Map<string, StoredMessage>();
  const wire = (message: StoredMessage) => messageWire(message, { botUserId, cdnUrl: options.cdnUrl() });

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

  function write(wanted: MessageOptions): StoredMessage {
    const authorId = wanted.authorId ?? wanted.webhookId ?? clock.snowflake();
    const channel = channelFor(wanted, authorId);
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
        ...(wanted.forwards === undefined ? {} : forwardOf(wanted.forwards)),
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

  function forwardOf(forwards: string | Wire): Wire {
    const parts = typeof forwards === 'string' ? { content: forwards } : forwards;
    return {
      message_reference: { type: 1, message_id: clock.snowflake(), channel_id: clock.snowflake() },
      message_snapshots: [{ message: { type: 0, content: '', embeds: [], attachments: [], ...parts } }],
    };
  }

  function channelFor(wanted: MessageOptions, authorId: string): Channel {
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
    add(message) {
      all.set(message.id, message);
      tell('MESSAGE_CREATE', message);
    },
    changed: message => tell('MESSAGE_UPDATE', message),
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
    find(channelId, id) {
      const message = all.get(id);
      const visible = message !== undefined && !message.deleted && (message.flags & Flags.ephemeral) === 0;
      if (!visible || message.channelId !== channelId) throw new Refusal(404, 10008, 'Unknown Message');
      return message;
    },
  };
}
