import { randomBytes } from 'node:crypto';
import { PermissionFlagsBits } from 'discord.js';
import { z } from 'zod';
import type { Clock } from './clock.ts';
import type { CommandOption, Commands } from './commands.ts';
import type { GatewayEvent } from './gateway.ts';
import type { StoredMessage } from './message-wire.ts';
import type { MessageOptions, Messages } from './messages.ts';
import { type Channel, channelWire, type Places } from './places.ts';
import { Refusal } from './records.ts';
import { memberWire, userWire, type Wire } from './wire.ts';

const ACKNOWLEDGE_WITHIN_MS = 3000;
const TOKEN_LIVES_MS = 15 * 60_000;
const MIB = 1024 * 1024;

export interface InteractionOptions {
  readonly kind: 'command' | 'message-command' | 'button' | 'select' | 'autocomplete';
  /** Of the command; a second word is that of a subcommand. */
  readonly name?: string;
  /** Name to value, or a raw list of Discord's options. */
  readonly options?: Readonly<Record<string, string | number | boolean>> | readonly Wire[];
  /** The option being typed, when the kind is autocomplete; else the last one. */
  readonly focused?: string;
  /** A message that exists, or one to be written for it. */
  readonly targetMessage?: string | MessageOptions;
  readonly customId?: string;
  /** Chosen in a select. */
  readonly values?: readonly string[];
  /** The message whose component is used; without it the last one that shows `customId`. */
  readonly messageId?: string;
  readonly userId?: string;
  readonly guildId?: string;
  readonly channelId?: string;
  readonly locale?: string;
  readonly guildLocale?: string;
  /** 0 guild, 1 direct conversation with the bot, 2 other private channels. */
  readonly context?: number;
  /** Default: installed in the guild when there is one, else by the user. */
  readonly authorizingIntegrationOwners?: Readonly<Record<string, string>>;
  /** In bytes; default 10 MiB. */
  readonly attachmentSizeLimit?: number;
  /** The member's. */
  readonly memberPermissions?: bigint;
  /** The bot's, as the interaction says it; default the channel's. */
  readonly appPermissions?: bigint;
  /** Fields of the event that are left out, as Discord did before it had them. */
  readonly lacks?: readonly string[];
}

export interface StoredInteraction {
  readonly id: string;
  readonly token: string;
  readonly kind: InteractionOptions['kind'];
  readonly type: number;
  readonly userId: string;
  readonly channel: Channel;
  readonly attachmentSizeLimit: number;
  /** The app is not in the server: five follow-ups at most. */
  readonly userInstalledOnly: boolean;
  readonly createdAt: number;
  /** The time of `Clock.worked` when it was created. */
  readonly startedAt: number;
  /** The message whose component was used. */
  readonly source: StoredMessage | undefined;
  /** Of the callback that answered it. */
  answered: number | undefined;
  original: StoredMessage | undefined;
  followUps: number;
  expired: boolean;
}

export interface Interactions {
  start(options: InteractionOptions): StoredInteraction;
  expire(token: string): void;
  /** @throws {Refusal} 10062 unknown or too late, 40060 answered already */
  forCallback(id: string, token: string): StoredInteraction;
  /** @throws {Refusal} 10015 unknown, 50027 expired */
  forToken(applicationId: string, token: string): StoredInteraction;
  /** What Discord adds to a message that answers an interaction. */
  metadata(interaction: StoredInteraction): Wire;
}

export interface InteractionsOptions {
  readonly clock: Clock;
  readonly places: Places;
  readonly messages: Messages;
  readonly commands: Commands;
  readonly applicationId: string;
  readonly emit: (event: GatewayEvent) => void;
}

/** Of private chats an interaction states these alone, although a bot may do more there. */
const IN_PRIVATE =
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.MentionEveryone |
  PermissionFlagsBits.UseExternalEmojis;

const SUBCOMMAND = 1;
const TYPE = { command: 2, 'message-command': 2, button: 3, select: 3, autocomplete: 4 } as const;

export function createInteractions(options: InteractionsOptions): Interactions {
  const { clock, places, messages, commands, applicationId } = options;
  const byToken = new Map<string, StoredInteraction>();

  function start(wanted: InteractionOptions): StoredInteraction {
    const id = clock.snowflake();
    const userId = wanted.userId ?? clock.snowflake();
    const target = targetOf(wanted, userId);
    const source = sourceOf(wanted);
    const channel = channelFor(wanted, userId, target ?? source);
    const { guildId } = channel;
    const owners = wanted.authorizingIntegrationOwners ?? (guildId === undefined ? { '1': userId } : { '0': guildId });
    const interaction: StoredInteraction = {
      id,
      token: `${id}.${randomBytes(40).toString('base64url')}`,
      kind: wanted.kind,
      type: TYPE[wanted.kind],
      userId,
      channel,
      attachmentSizeLimit: wanted.attachmentSizeLimit ?? 10 * MIB,
      userInstalledOnly: (guildId !== undefined || wanted.context === 2) && owners['0'] === undefined,
      createdAt: clock.now(),
      startedAt: clock.worked(),
      source,
      answered: undefined,
      original: undefined,
      followUps: 0,
      expired: false,
    };
    byToken.set(interaction.token, interaction);
    const user = userWire(userId);
    const permissions = (wanted.memberPermissions ?? 0n).toString();
    const data: Wire = {
      id,
      application_id: applicationId,
      type: interaction.type,
      token: interaction.token,
      version: 1,
      data: dataOf(wanted, target),
      channel_id: channel.id,
      channel: { ...channelWire(channel), permissions },
      ...(guildId === undefined
        ? { user }
        : {
            guild_id: guildId,
            guild: { id: guildId, features: [], locale: wanted.guildLocale ?? 'en-US' },
            guild_locale: wanted.guildLocale ?? 'en-US',
            member: { ...memberWire(user, []), permissions },
          }),
      ...(source === undefined ? {} : { message: messages.wire(source) }),
      app_permissions: (wanted.appPermissions ?? statedPermissions(channel)).toString(),
      locale: wanted.locale ?? 'en-US',
      entitlements: [],
      authorizing_integration_owners: owners,
      context: wanted.context ?? (guildId === undefined ? 1 : 0),
      attachment_size_limit: interaction.attachmentSizeLimit,
    };
    const stated = Object.entries(data).filter(([field]) => wanted.lacks?.includes(field) !== true);
    options.emit({ type: 'INTERACTION_CREATE', guildId, data: Object.fromEntries(stated) });
    return interaction;
  }

  function channelFor(wanted: InteractionOptions, userId: string, about: StoredMessage | undefined): Channel {
    if (wanted.channelId !== undefined) return places.channel(wanted.channelId);
    if (wanted.guildId !== undefined && about === undefined) return places.firstChannel(wanted.guildId);
    return about === undefined ? places.direct(userId) : places.channel(about.channelId);
  }

  function targetOf({ targetMessage, guildId, channelId }: InteractionOptions, userId: string) {
    if (targetMessage === undefined) return undefined;
    if (typeof targetMessage === 'string') return existing(targetMessage);
    const place = {
      ...(guildId === undefined ? {} : { guildId }),
      ...(channelId === undefined ? {} : { channelId }),
    };
    return messages.write({ authorId: userId, ...place, ...targetMessage });
  }

  function sourceOf({ customId, messageId }: InteractionOptions): StoredMessage | undefined {
    if (messageId !== undefined) return existing(messageId);
    if (customId === undefined) return undefined;
    return [...messages.all.values()].reverse().find(each => !each.deleted && shows(each.body.components, customId));
  }

  function existing(id: string): StoredMessage {
    const found = messages.all.get(id);
    if (found === undefined) throw new Error(`no message ${id}`);
    return found;
  }

  function dataOf(wanted: InteractionOptions, target: StoredMessage | undefined): Wire {
    if (wanted.kind === 'button') return { component_type: 2, custom_id: wanted.customId, id: 1 };
    if (wanted.kind === 'select') {
      return { component_type: 3, custom_id: wanted.customId, id: 1, values: wanted.values ?? [] };
    }
    const type = wanted.kind === 'message-command' ? 3 : 1;
    // Only slash commands have subcommands: names in the menu of a message are free text.
    const [name = '', sub] = type === 1 ? (wanted.name ?? '').split(' ') : [wanted.name];
    const command = commands.find(name, type);
    const base = { id: command?.id ?? clock.snowflake(), name, type };
    if (target !== undefined) {
      return { ...base, target_id: target.id, resolved: { messages: { [target.id]: messages.wire(target) } } };
    }
    if (sub === undefined) return { ...base, options: commandOptions(wanted, command?.options ?? []) };
    const declared = command?.options?.find(option => option.type === SUBCOMMAND && option.name === sub);
    if (declared === undefined) throw new Error(`/${name} ${sub} is not registered`);
    const options = commandOptions(wanted, declared.options ?? []);
    return { ...base, options: [{ type: SUBCOMMAND, name: sub, options }] };
  }

  return {
    start,
    expire(token) {
      const found = byToken.get(token);
      if (found === undefined) throw new Error('no such interaction');
      found.expired = true;
    },
    forCallback(id, token) {
      const found = byToken.get(token);
      const late = found === undefined || found.expired || clock.worked() - found.startedAt > ACKNOWLEDGE_WITHIN_MS;
      if (found !== undefined && found.answered !== undefined) {
        throw new Refusal(400, 40060, 'Interaction has already been acknowledged.');
      }
      if (late || found.id !== id) throw new Refusal(404, 10062, 'Unknown interaction');
      return found;
    },
    forToken(application, token) {
      const found = byToken.get(token);
      if (found === undefined || application !== applicationId || found.answered === undefined) {
        throw new Refusal(404, 10015, 'Unknown Webhook');
      }
      if (found.expired || clock.now() - found.createdAt > TOKEN_LIVES_MS) {
        throw new Refusal(401, 50027, 'Invalid Webhook Token');
      }
      return found;
    },
    metadata: interaction => ({
      application_id: applicationId,
      webhook_id: applicationId,
      interaction_metadata: {
        id: interaction.id,
        type: interaction.type,
        user: userWire(interaction.userId),
        authorizing_integration_owners: {},
      },
    }),
  };
}

const componentSchema = z.looseObject({
  custom_id: z.string().optional(),
  components: z.array(z.unknown()).optional(),
  accessory: z.unknown().optional(),
});

function shows(components: unknown, customId: string): boolean {
  if (!Array.isArray(components)) return false;
  return components.some(each => {
    const { data } = componentSchema.safeParse(each);
    if (data === undefined) return false;
    return data.custom_id === customId || shows(data.components, customId) || shows([data.accessory], customId);
  });
}

function commandOptions(wanted: InteractionOptions, declared: readonly CommandOption[]): readonly Wire[] {
  const given = wanted.options ?? {};
  if (isRaw(given)) return given;
  const entries = Object.entries(given);
  const focused = wanted.kind === 'autocomplete' ? (wanted.focused ?? entries.at(-1)?.[0]) : undefined;
  return entries.map(([name, value]) => ({
    name,
    type: declared.find(option => option.name === name)?.type ?? typeOf(value),
    value,
    ...(name === focused ? { focused: true } : {}),
  }));
}

function isRaw(options: Readonly<Record<string, unknown>> | readonly Wire[]): options is readonly Wire[] {
  return Array.isArray(options);
}

function typeOf(value: string | number | boolean): number {
  if (typeof value === 'boolean') return 5;
  if (typeof value === 'string') return 3;
  return Number.isInteger(value) ? 4 : 10;
}

/** The bot's permissions as an interaction states them. */
function statedPermissions({ guildId, permissions }: Channel): bigint {
  return guildId === undefined ? IN_PRIVATE : permissions;
}
