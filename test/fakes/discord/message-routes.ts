import { PermissionFlagsBits } from 'discord.js';
import { Flags, readMessageBody } from './message-body.ts';
import type { StoredMessage } from './message-wire.ts';
import type { Messages } from './messages.ts';
import { type Channel, demand, isThread, type Places } from './places.ts';
import type { Posts } from './posts.ts';
import { type Call, done, ok, type Route } from './route.ts';

export interface MessageRoutesOptions {
  readonly messages: Messages;
  readonly posts: Posts;
  readonly places: Places;
}

export function messageRoutes({ messages, posts, places }: MessageRoutesOptions): readonly Route[] {
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
        demand(
          channel,
          isThread(channel.type) ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages,
        );
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
