import { PermissionFlagsBits } from 'discord.js';
import { z } from 'zod';
import type { Callback, Received } from './callback.ts';
import type { Commands } from './commands.ts';
import type { Gateway } from './gateway.ts';
import type { Interactions } from './interactions.ts';
import { Flags, readMessageBody } from './message-body.ts';
import type { StoredMessage } from './message-wire.ts';
import type { Messages } from './messages.ts';
import { type Channel, channelWire, demand, type Places } from './places.ts';
import type { Posts } from './posts.ts';
import { invalidForm, Refusal } from './records.ts';
import { memberWire, userWire, type Wire } from './wire.ts';

export interface Call extends Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly authorized: boolean;
}

/** Without `json` there is no body and no content type, as with every 204. */
export interface Answer {
  readonly status: number;
  readonly json?: unknown;
}

export interface RestOptions {
  readonly places: Places;
  readonly messages: Messages;
  readonly posts: Posts;
  readonly interactions: Interactions;
  readonly callback: Callback;
  readonly commands: Commands;
  readonly gateway: Gateway;
  readonly gatewayUrl: () => string;
  readonly botUserId: string;
  readonly applicationId: string;
  readonly shards: number;
  readonly maxConcurrency: number;
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Whose token is in the path already. */
  readonly open?: boolean;
  handle(call: Call, first: string, second: string, third: string): Answer;
}

const recipientSchema = z.looseObject({ recipient_id: z.string() });

/** @returns what answers a call. @throws {Refusal} */
export function createRest(options: RestOptions): (call: Call) => Answer {
  const routes = [
    ...applicationRoutes(options),
    ...interactionRoutes(options),
    ...messageRoutes(options),
    ...placeRoutes(options),
  ];
  return call => {
    for (const route of routes) {
      if (route.method !== call.method) continue;
      const match = route.path.exec(call.path);
      if (match === null) continue;
      if (route.open !== true && !call.authorized) throw new Refusal(401, 0, '401: Unauthorized');
      return route.handle(call, match[1] ?? '', match[2] ?? '', match[3] ?? '');
    }
    throw new Refusal(404, 0, '404: Not Found');
  };
}

const ok = (json: unknown): Answer => ({ status: 200, json });
const done: Answer = { status: 204 };

function applicationRoutes(options: RestOptions): readonly Route[] {
  const { commands, gateway, botUserId, applicationId } = options;
  const mine = (id: string) => {
    if (id !== applicationId) throw new Refusal(404, 10002, 'Unknown Application');
  };
  const application = () => ({
    id: applicationId,
    name: 'Medley',
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    summary: '',
    verify_key: '0'.repeat(64),
    team: null,
    flags: applicationFlags(gateway.refusedIntents()),
    integration_types_config: { '0': {}, '1': {} },
    bot: userWire(botUserId, true),
    owner: userWire('1'),
  });
  return [
    {
      method: 'GET',
      path: /^\/gateway\/bot$/,
      handle: () =>
        ok({
          url: options.gatewayUrl(),
          shards: options.shards,
          session_start_limit: {
            total: 1000,
            remaining: 1000,
            reset_after: 86_400_000,
            max_concurrency: options.maxConcurrency,
          },
        }),
    },
    { method: 'GET', path: /^\/gateway$/, open: true, handle: () => ok({ url: options.gatewayUrl() }) },
    { method: 'GET', path: /^\/(?:applications|oauth2\/applications)\/@me$/, handle: () => ok(application()) },
    { method: 'GET', path: /^\/users\/@me$/, handle: () => ok(userWire(botUserId, true)) },
    {
      method: 'GET',
      path: /^\/applications\/(\d+)\/commands$/,
      handle(_call, id) {
        mine(id);
        return ok(commands.list());
      },
    },
    {
      method: 'PUT',
      path: /^\/applications\/(\d+)\/commands$/,
      handle(call, id) {
        mine(id);
        return ok(commands.replace(call.body));
      },
    },
    {
      method: 'POST',
      path: /^\/applications\/(\d+)\/commands$/,
      handle(call, id) {
        mine(id);
        const { command, created } = commands.add(call.body);
        return { status: created ? 201 : 200, json: command };
      },
    },
    {
      method: 'DELETE',
      path: /^\/applications\/(\d+)\/commands\/(\d+)$/,
      handle(_call, id, commandId) {
        mine(id);
        if (!commands.remove(commandId)) throw new Refusal(404, 10063, 'Unknown application command');
        return done;
      },
    },
  ];
}

/** The `_LIMITED` flags of the privileged intents that are switched on: members 15, presences 13, message content 19. */
function applicationFlags(refused: number): number {
  const all = [
    [1 << 1, 1 << 15],
    [1 << 8, 1 << 13],
    [1 << 15, 1 << 19],
  ] as const;
  return all.reduce((flags, [intent, flag]) => ((refused & intent) === 0 ? flags | flag : flags), 0);
}

function interactionRoutes({ messages, interactions, callback }: RestOptions): readonly Route[] {
  const named = (call: Call, application: string, token: string, id: string) => {
    const interaction = interactions.forToken(application, token);
    const message = id === '@original' ? callback.original(interaction) : callback.message(interaction, id);
    return { interaction, message, call };
  };
  const path = /^\/webhooks\/(\d+)\/([^/]+)\/messages\/(@original|\d+)$/;
  return [
    {
      method: 'POST',
      path: /^\/interactions\/(\d+)\/([^/]+)\/callback$/,
      open: true,
      handle(call, id, token) {
        const answer = callback.answer(id, token, call);
        return call.query.with_response === 'true' ? ok(answer) : done;
      },
    },
    {
      method: 'POST',
      path: /^\/webhooks\/(\d+)\/([^/]+)$/,
      open: true,
      handle: (call, application, token) =>
        ok(messages.wire(callback.followUp(interactions.forToken(application, token), call))),
    },
    {
      method: 'GET',
      path,
      open: true,
      handle: (call, application, token, id) => ok(messages.wire(named(call, application, token, id).message)),
    },
    {
      method: 'PATCH',
      path,
      open: true,
      handle(call, application, token, id) {
        const { interaction, message } = named(call, application, token, id);
        return ok(messages.wire(callback.edit(interaction, message, call)));
      },
    },
    {
      method: 'DELETE',
      path,
      open: true,
      handle(call, application, token, id) {
        messages.remove(named(call, application, token, id).message);
        return done;
      },
    },
  ];
}

function messageRoutes({ messages, posts, places }: RestOptions): readonly Route[] {
  const one = /^\/channels\/(\d+)\/messages\/(\d+)$/;
  const all = /^\/channels\/(\d+)\/messages$/;
  const read = (channel: Channel) => demand(channel, PermissionFlagsBits.ReadMessageHistory);
  const edit = (call: Call, message: StoredMessage) => {
    const body = readMessageBody(call.body);
    if (!message.own) return posts.patchForeign(message, body);
    const channel = places.channel(message.channelId);
    demand(channel, 0n);
    return posts.edit(message, { channel, body, files: call.files, requestBytes: call.requestBytes });
  };
  return [
    {
      method: 'POST',
      path: all,
      handle(call, id) {
        const channel = places.channel(id);
        const body = readMessageBody(call.body);
        demand(channel, channel.type >= 10 && channel.type <= 12 ? SEND_IN_THREAD : PermissionFlagsBits.SendMessages);
        if (call.files.length > 0) demand(channel, PermissionFlagsBits.AttachFiles);
        const { files, requestBytes } = call;
        return ok(messages.wire(posts.post({ channel, body, files, requestBytes })));
      },
    },
    {
      method: 'GET',
      path: all,
      handle(call, id) {
        read(places.channel(id));
        const limit = Math.min(Number(call.query.limit ?? 50), 100);
        const here = [...messages.all.values()].filter(
          each => each.channelId === id && !each.deleted && (each.flags & Flags.ephemeral) === 0,
        );
        const { before, after } = call.query;
        const wanted = here.filter(
          each =>
            (before === undefined || BigInt(each.id) < BigInt(before)) &&
            (after === undefined || BigInt(each.id) > BigInt(after)),
        );
        return ok(wanted.slice(-limit).reverse().map(messages.wire));
      },
    },
    {
      method: 'GET',
      path: one,
      handle(_call, channelId, id) {
        read(places.channel(channelId));
        return ok(messages.wire(messages.find(channelId, id)));
      },
    },
    {
      method: 'PATCH',
      path: one,
      handle: (call, channelId, id) => ok(messages.wire(edit(call, messages.find(channelId, id)))),
    },
    {
      method: 'DELETE',
      path: one,
      handle(_call, channelId, id) {
        const message = messages.find(channelId, id);
        if (!message.own) demand(places.channel(channelId), PermissionFlagsBits.ManageMessages);
        messages.remove(message);
        return done;
      },
    },
    {
      method: 'POST',
      path: /^\/channels\/(\d+)\/typing$/,
      handle(_call, id) {
        demand(places.channel(id), PermissionFlagsBits.SendMessages);
        return done;
      },
    },
  ];
}

function placeRoutes({ places, botUserId }: RestOptions): readonly Route[] {
  return [
    {
      method: 'GET',
      path: /^\/channels\/(\d+)$/,
      handle(_call, id) {
        const channel = places.channel(id);
        demand(channel, 0n);
        return ok(channelWire(channel));
      },
    },
    {
      method: 'POST',
      path: /^\/users\/@me\/channels$/,
      handle(call) {
        const { data } = recipientSchema.safeParse(call.body);
        if (data === undefined) throw invalidForm('recipient_id');
        return ok(channelWire(places.direct(data.recipient_id)));
      },
    },
    { method: 'GET', path: /^\/users\/(\d+)$/, handle: (_call, id) => ok(userWire(id, id === botUserId)) },
    {
      method: 'GET',
      path: /^\/guilds\/(\d+)$/,
      handle(_call, id) {
        const guild = places.guild(id);
        if (guild === undefined) throw new Refusal(404, 10004, 'Unknown Guild');
        return ok(guild.wire);
      },
    },
    {
      method: 'GET',
      path: /^\/guilds\/(\d+)\/members\/(\d+)$/,
      handle(_call, guildId, userId) {
        const guild = places.guild(guildId);
        if (guild === undefined) throw new Refusal(404, 10004, 'Unknown Guild');
        return ok(memberOf(guild.wire, userId) ?? memberWire(userWire(userId), []));
      },
    },
  ];
}

function memberOf(guild: Wire, userId: string): unknown {
  const { members } = z
    .looseObject({ members: z.array(z.looseObject({ user: z.looseObject({ id: z.string() }) })) })
    .parse(guild);
  return members.find(({ user }) => user.id === userId);
}

const SEND_IN_THREAD = PermissionFlagsBits.SendMessagesInThreads;
