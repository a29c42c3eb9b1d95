import { createCallback } from './discord/callback.ts';
import { createClock } from './discord/clock.ts';
import { type Command, createCommands } from './discord/commands.ts';
import { createFaults, type Fault } from './discord/faults.ts';
import { createGateway, type GatewayCounts, type GatewayEvent, PRIVILEGED_INTENTS } from './discord/gateway.ts';
import { createInteractions, type InteractionOptions } from './discord/interactions.ts';
import { createMessages, type MessageChanges, type MessageOptions } from './discord/messages.ts';
import { createPlaces, type GuildOptions } from './discord/places.ts';
import { createPosts } from './discord/posts.ts';
import type { ChatMessage, ReceivedRequest } from './discord/records.ts';
import { createRest } from './discord/rest.ts';
import { createRestServer } from './discord/server.ts';
import { loadSpecification } from './discord/specification.ts';
import { userWire, type Wire } from './discord/wire.ts';
import { createTcpGate, type TcpGate } from './tcp-gate.ts';

export interface FakeDiscordOptions {
  /** Guilds the bot is in from the start. */
  readonly guildIds?: readonly string[];
  /** What `/gateway/bot` recommends (default 1). */
  readonly shards?: number;
  /** Identifies allowed per 5 seconds (default 1, as Discord's). */
  readonly maxConcurrency?: number;
  readonly heartbeatIntervalMs?: number;
}

export interface FakeDiscord {
  /** For `rest.api`: without a version. */
  readonly apiUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly botUserId: string;
  readonly requests: readonly ReceivedRequest[];
  /** Everything a well-behaved bot would not have done. */
  readonly problems: readonly string[];
  readonly messages: ReadonlyMap<string, ChatMessage>;
  /** The application commands as last put; undefined before. */
  readonly commands: unknown;
  /** The same with the ids they got. */
  readonly registered: readonly Command[];
  readonly gateway: Readonly<GatewayCounts>;
  /** The ways to the gateway: the address that `/gateway/bot` tells, and the one that READY tells for resuming. Shut ones refuse connections. */
  readonly gates: { readonly first: TcpGate; readonly resume: TcpGate };
  /** Whether anybody hears what is said now. */
  readonly isHeard: boolean;
  addGuild(options?: GuildOptions): { readonly id: string; readonly channelId: string };
  removeGuild(id: string): void;
  /** Somebody writes. Without guild and channel: to the bot directly. @returns the id */
  message(options: MessageOptions): string;
  /** Somebody edits, or Discord unfurls. */
  update(messageId: string, changes: MessageChanges): void;
  /** Somebody deletes. */
  remove(messageId: string): void;
  interaction(options: InteractionOptions): { readonly id: string; readonly token: string };
  /** Ends the token's 15 minutes now. */
  expireInteraction(token: string): void;
  /** Moves the fake's clock: 3 s to acknowledge, 15 minutes of a token, minutes of a nonce. */
  advance(ms: number): void;
  /** Any dispatch, malformed ones too. */
  dispatch(type: string, data: unknown): void;
  /** Sends the last dispatches once more as they were, on the live connections. */
  replay(count?: number): void;
  /** Without a code the connection is cut. */
  drop(closeCode?: number): void;
  invalidSession(resumable: boolean): void;
  requestReconnect(): void;
  /** No answer to heartbeats from now on, or again. */
  muteHeartbeats(muted: boolean): void;
  /** Closes identifies that ask for one of these with 4014; all privileged ones by default, 0 for none. */
  refuseIntents(mask?: number): void;
  /** How many sessions may still begin today; 1,000 at first. */
  allowIdentifies(left: number): void;
  fault(fault: Fault): void;
  /** No fault strikes any more. */
  mend(): void;
  /** Reads until there is something. @throws after the time with what has gone wrong so far */
  waitFor<T>(read: () => T | undefined, timeoutMs?: number): Promise<T>;
  close(): Promise<void>;
}

const POLL_MS = 5;

/** Discord on loopback, as far as a bot sees it: gateway and REST v10, with the real one's limits. */
export async function createFakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const clock = createClock();
  const applicationId = clock.snowflake();
  const botUserId = applicationId;
  const token = `${Buffer.from(botUserId).toString('base64url')}.fake00.${'x'.repeat(38)}`;
  const requests: ReceivedRequest[] = [];
  const problems: string[] = [];
  const complain = (problem: string) => {
    problems.push(problem);
  };
  const folder = process.env.SPECS_DIR;
  const specification = folder === undefined || folder === '' ? undefined : await loadSpecification(folder);
  const faults = createFaults();
  const places = createPlaces(clock, botUserId);
  const commands = createCommands(clock, applicationId, complain);
  const emit = (event: GatewayEvent) => gateway.emit(event);
  const messages = createMessages({
    clock,
    places,
    botUserId,
    cdnUrl: () => `http://127.0.0.1:${rest.port}`,
    emit,
  });
  const posts = createPosts({ clock, places, messages, botUserId, complain });
  const interactions = createInteractions({ clock, places, messages, commands, applicationId, emit });
  const rest = createRestServer({
    clock,
    faults,
    token,
    requests,
    complain,
    validate: specification ?? (() => []),
    answer: call => answer(call),
  });
  const gatewayUrl = () => `ws://127.0.0.1:${first.port}`;
  const gateway = createGateway({
    server: rest.server,
    token,
    resumeUrl: () => `ws://127.0.0.1:${resume.port}`,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 41_250,
    welcome: () => ({
      ready: {
        v: 10,
        user: { ...userWire(botUserId, true), verified: true, mfa_enabled: false, email: null, flags: 0 },
        user_settings: {},
        relationships: [],
        private_channels: [],
        presences: [],
        application: { id: applicationId, flags: 0 },
      },
      guilds: places.guilds().map(({ wire }): Wire => wire),
    }),
    complain,
  });
  const answer = createRest({
    places,
    messages,
    posts,
    interactions,
    callback: createCallback({ interactions, messages, posts, complain }),
    commands,
    gateway,
    gatewayUrl,
    botUserId,
    applicationId,
    shards: options.shards ?? 1,
    maxConcurrency: options.maxConcurrency ?? 1,
  });
  for (const id of options.guildIds ?? []) places.addGuild({ id });
  await rest.listen();
  const [first, resume] = [await createTcpGate(rest.port), await createTcpGate(rest.port)];
  const waiting = new Set<AbortController>();

  return {
    apiUrl: `http://127.0.0.1:${rest.port}/api`,
    token,
    applicationId,
    botUserId,
    requests,
    problems,
    messages: messages.all,
    get commands() {
      return commands.put;
    },
    get registered() {
      return commands.list();
    },
    gateway: gateway.counts,
    gates: { first, resume },
    get isHeard() {
      return gateway.isHeard();
    },
    addGuild(guild = {}) {
      const { id, channelId, wire } = places.addGuild(guild);
      emit({ type: 'GUILD_CREATE', data: wire, guildId: id, intent: 1 });
      return { id, channelId };
    },
    removeGuild(id) {
      places.removeGuild(id);
      emit({ type: 'GUILD_DELETE', data: { id }, guildId: id, intent: 1 });
    },
    message: wanted => messages.write(wanted).id,
    update: messages.change,
    remove: messages.forget,
    interaction(wanted) {
      const { id, token: interactionToken } = interactions.start(wanted);
      return { id, token: interactionToken };
    },
    expireInteraction: interactions.expire,
    advance: clock.advance,
    dispatch: (type, data) => emit({ type, data }),
    replay: (count = 10) => gateway.replay(count),
    drop: closeCode => gateway.drop(closeCode),
    invalidSession: gateway.invalidate,
    requestReconnect: gateway.requestReconnect,
    muteHeartbeats: gateway.muteHeartbeats,
    refuseIntents: (mask = PRIVILEGED_INTENTS) => gateway.refuseIntents(mask),
    allowIdentifies: gateway.allowIdentifies,
    fault: faults.add,
    mend: faults.clear,
    async waitFor<T>(read: () => T | undefined, timeoutMs = 30_000): Promise<T> {
      const stop = new AbortController();
      waiting.add(stop);
      const until = performance.now() + timeoutMs;
      try {
        for (;;) {
          const found = read();
          if (found !== undefined) return found;
          if (stop.signal.aborted) throw new Error('the fake was closed');
          if (performance.now() > until) throw new Error(timeoutMessage(timeoutMs, requests, problems));
          await new Promise(resolve => setTimeout(resolve, POLL_MS));
        }
      } finally {
        waiting.delete(stop);
      }
    },
    async close() {
      for (const stop of waiting) stop.abort();
      await Promise.all([first.shut(), resume.shut()]);
      await gateway.close();
      await rest.close();
    },
  };
}

function timeoutMessage(ms: number, requests: readonly ReceivedRequest[], problems: readonly string[]): string {
  const seen = requests.slice(-10).map(({ method, path, status }) => `  ${method} ${path} -> ${status ?? 'no answer'}`);
  return [`nothing after ${ms} ms; last requests:`, ...seen, 'problems:', ...problems.map(each => `  ${each}`)].join(
    '\n',
  );
}
