import type { Commands } from './commands.ts';
import type { Gateway } from './gateway.ts';
import { Refusal } from './records.ts';
import { done, ok, type Route } from './route.ts';
import { userWire } from './wire.ts';

export interface ApplicationRoutesOptions {
  readonly commands: Commands;
  readonly gateway: Gateway;
  readonly gatewayUrl: () => string;
  readonly botUserId: string;
  readonly applicationId: string;
  readonly shards: number;
  readonly maxConcurrency: number;
}

/** The bot itself: who it is, where its gateway is, which commands it has. */
export function applicationRoutes(options: ApplicationRoutesOptions): readonly Route[] {
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
            remaining: gateway.identifiesLeft(),
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
