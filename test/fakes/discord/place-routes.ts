import { z } from 'zod';
import { channelWire, demand, type Places } from './places.ts';
import { invalidForm, Refusal } from './records.ts';
import { ok, type Route } from './route.ts';
import { memberWire, userWire, type Wire } from './wire.ts';

const recipientSchema = z.looseObject({ recipient_id: z.string() });

/** Channels, guilds, members, users. */
export function placeRoutes(places: Places, botUserId: string): readonly Route[] {
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
