import type { Callback } from './callback.ts';
import type { Interactions } from './interactions.ts';
import type { Messages } from './messages.ts';
import { type Call, done, ok, type Route } from './route.ts';

export interface InteractionRoutesOptions {
  readonly messages: Messages;
  readonly interactions: Interactions;
  readonly callback: Callback;
}

/** What is done with an interaction's token in place of the bot's. */
export function interactionRoutes({ messages, interactions, callback }: InteractionRoutesOptions): readonly Route[] {
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
