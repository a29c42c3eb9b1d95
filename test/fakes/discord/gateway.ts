import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { GatewayIntentBits } from 'discord.js';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { Complain } from './records.ts';
import type { Wire } from './wire.ts';

export const PRIVILEGED_INTENTS =
  GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildPresences | GatewayIntentBits.MessageContent;
const KEPT_DISPATCHES = 1000;

const frameSchema = z.looseObject({ op: z.number(), d: z.unknown().optional() });
const identifySchema = z.looseObject({
  token: z.string(),
  intents: z.int().nonnegative(),
  properties: z.looseObject({ os: z.string(), browser: z.string(), device: z.string() }),
  shard: z.tuple([z.int().nonnegative(), z.int().positive()]).optional(),
  compress: z.boolean().optional(),
  large_threshold: z.int().min(50).max(250).optional(),
});
const resumeSchema = z.looseObject({ token: z.string(), session_id: z.string(), seq: z.int().nonnegative() });

export interface GatewayEvent {
  readonly type: string;
  readonly data: unknown;
  /** Decides the shard; without it the event goes to shard 0. */
  readonly guildId?: string | undefined;
  /** The intent without which nobody hears of it. */
  readonly intent?: number;
  /** What a session sees that may not read the contents of messages. */
  readonly redacted?: unknown;
}

interface Dispatch {
  readonly op: 0;
  readonly s: number;
  readonly t: string;
  readonly d: unknown;
}

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  seq: number;
  readonly kept: Dispatch[];
  socket: WebSocket | undefined;
}

interface Farewell {
  readonly code: number;
  readonly reason: string;
  /** Not the bot's fault, but the test's wish. */
  readonly expected?: boolean;
}

export interface GatewayOptions {
  readonly server: Server;
  readonly token: string;
  /** Where a session is taken up again. */
  readonly resumeUrl: () => string;
  readonly heartbeatIntervalMs: number;
  /** The data of READY, less what belongs to the session, and the guilds that follow it. */
  readonly welcome: () => { readonly ready: Wire; readonly guilds: readonly Wire[] };
  readonly complain: Complain;
}

/** What has come in from the bot since the start. */
export interface GatewayCounts {
  identifies: number;
  resumes: number;
  heartbeats: number;
}

export interface Gateway {
  readonly counts: Readonly<GatewayCounts>;
  /** Whether anybody hears what is said now. */
  isHeard(): boolean;
  emit(event: GatewayEvent): void;
  replay(count: number): void;
  /** Without a code the connections are cut, with none of WebSocket's farewell. */
  drop(closeCode: number | undefined): void;
  invalidate(resumable: boolean): void;
  requestReconnect(): void;
  /** Stops answering heartbeats, as a connection that has died unnoticed. */
  muteHeartbeats(muted: boolean): void;
  refuseIntents(mask: number): void;
  refusedIntents(): number;
  /** How many sessions may still begin today. */
  allowIdentifies(left: number): void;
  identifiesLeft(): number;
  close(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const sockets = new WebSocketServer({ server: options.server, maxPayload: 4096 * 4 });
  const sessions = new Map<string, Session>();
  const counts: GatewayCounts = { identifies: 0, resumes: 0, heartbeats: 0 };
  let refused = 0;
  let muted = false;
  let left = 1_000;

  sockets.on('connection', (socket, request) => {
    const query = new URL(request.url ?? '/', 'ws://fake').searchParams;
    if (query.get('v') !== '10') options.complain(`gateway: v=${query.get('v')}`);
    if (query.get('encoding') !== 'json') options.complain(`gateway: encoding=${query.get('encoding')}`);
    if (query.has('compress')) options.complain('gateway: compression is not spoken here');
    socket.on('error', () => socket.terminate());
    socket.on('message', raw => receive(socket, raw));
    socket.on('close', code => {
      const session = sessionOf(socket);
      if (session === undefined) return;
      session.socket = undefined;
      // A client that leaves with 1000 or 1001 gives its session up.
      if (code === 1000 || code === 1001) sessions.delete(session.id);
    });
    send(socket, { op: 10, s: null, t: null, d: { heartbeat_interval: options.heartbeatIntervalMs, _trace: [] } });
  });

  function sessionOf(socket: WebSocket): Session | undefined {
    return [...sessions.values()].find(session => session.socket === socket);
  }

  function send(socket: WebSocket, frame: unknown): void {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
  }

  function receive(socket: WebSocket, raw: RawData): void {
    const farewell = heed(socket, readFrame(raw));
    if (farewell === undefined) return;
    if (farewell.expected !== true) options.complain(`gateway: closed with ${farewell.code}, ${farewell.reason}`);
    const session = sessionOf(socket);
    if (session !== undefined) sessions.delete(session.id);
    socket.close(farewell.code, farewell.reason);
  }

  /** @returns why the connection is closed, if it is. */
  function heed(socket: WebSocket, frame: z.infer<typeof frameSchema> | undefined): Farewell | undefined {
    switch (frame?.op) {
      case undefined:
        return { code: 4002, reason: 'Error while decoding payload.' };
      case 1:
        counts.heartbeats++;
        if (!muted) send(socket, { op: 11, s: null, t: null, d: null });
        return undefined;
      case 2:
        return identify(socket, frame?.d);
      case 3:
      case 4:
      case 8:
        return sessionOf(socket) === undefined ? { code: 4003, reason: 'Not authenticated.' } : undefined;
      case 6:
        return resume(socket, frame?.d);
      default:
        return { code: 4001, reason: 'Unknown opcode.' };
    }
  }

  function identify(socket: WebSocket, data: unknown): Farewell | undefined {
    counts.identifies++;
    left--;
    if (left < 0) options.complain('gateway: more identifies than a day has');
    const parsed = identifySchema.safeParse(data);
    if (!parsed.success) return { code: 4002, reason: 'Error while decoding payload.' };
    const { token, intents, shard = [0, 1] } = parsed.data;
    if (sessionOf(socket) !== undefined) return { code: 4005, reason: 'Already authenticated.' };
    if (token !== options.token) return { code: 4004, reason: 'Authentication failed.', expected: true };
    if (shard[0] >= shard[1]) return { code: 4010, reason: 'Invalid shard.' };
    if (intents >= 2 ** 26) return { code: 4013, reason: 'Invalid intent(s).' };
    if ((intents & refused) !== 0) return { code: 4014, reason: 'Disallowed intent(s).', expected: true };
    const session: Session = { id: randomBytes(16).toString('hex'), intents, shard, seq: 0, kept: [], socket };
    sessions.set(session.id, session);
    welcome(session);
    return undefined;
  }

  function welcome(session: Session): void {
    const { ready, guilds } = options.welcome();
    const mine = guilds.filter(guild => belongs(session, String(guild.id)));
    deliver(session, 'READY', {
      ...ready,
      session_id: session.id,
      resume_gateway_url: options.resumeUrl(),
      shard: session.shard,
      guilds: mine.map(guild => ({ id: guild.id, unavailable: true })),
    });
    if ((session.intents & GatewayIntentBits.Guilds) === 0) return;
    for (const guild of mine) deliver(session, 'GUILD_CREATE', guild);
  }

  function resume(socket: WebSocket, data: unknown): Farewell | undefined {
    counts.resumes++;
    const parsed = resumeSchema.safeParse(data);
    if (!parsed.success) return { code: 4002, reason: 'Error while decoding payload.' };
    const { token, session_id, seq } = parsed.data;
    if (token !== options.token) return { code: 4004, reason: 'Authentication failed.', expected: true };
    const session = sessions.get(session_id);
    if (session === undefined) {
      send(socket, { op: 9, s: null, t: null, d: false });
      return undefined;
    }
    if (seq > session.seq) return { code: 4007, reason: 'Invalid seq.' };
    session.socket = socket;
    for (const dispatch of session.kept) if (dispatch.s > seq) send(socket, dispatch);
    deliver(session, 'RESUMED', { _trace: [] });
    return undefined;
  }

  function deliver(session: Session, type: string, data: unknown): void {
    session.seq++;
    const dispatch: Dispatch = { op: 0, s: session.seq, t: type, d: data };
    session.kept.push(dispatch);
    if (session.kept.length > KEPT_DISPATCHES) session.kept.shift();
    if (session.socket !== undefined) send(session.socket, dispatch);
  }

  function everySocket(act: (socket: WebSocket) => void): void {
    for (const socket of sockets.clients) act(socket);
  }

  return {
    counts,
    isHeard: () => [...sessions.values()].some(({ socket }) => socket !== undefined),
    emit(event) {
      for (const session of sessions.values()) {
        if (!belongs(session, event.guildId)) continue;
        if (event.intent !== undefined && (session.intents & event.intent) === 0) continue;
        const mayRead = (session.intents & GatewayIntentBits.MessageContent) !== 0;
        deliver(session, event.type, mayRead ? event.data : (event.redacted ?? event.data));
      }
    },
    replay(count) {
      for (const { kept, socket } of sessions.values()) {
        if (socket === undefined) continue;
        const events = kept.filter(({ t }) => t !== 'READY' && t !== 'RESUMED' && t !== 'GUILD_CREATE');
        for (const dispatch of events.slice(-count)) send(socket, dispatch);
      }
    },
    drop(closeCode) {
      everySocket(socket => (closeCode === undefined ? socket.terminate() : socket.close(closeCode)));
    },
    invalidate(resumable) {
      const open = [...sessions.values()];
      if (!resumable) sessions.clear();
      for (const { socket } of open) if (socket !== undefined) send(socket, { op: 9, s: null, t: null, d: resumable });
    },
    requestReconnect() {
      everySocket(socket => send(socket, { op: 7, s: null, t: null, d: null }));
    },
    muteHeartbeats(next) {
      muted = next;
    },
    refuseIntents(mask) {
      refused = mask;
    },
    refusedIntents: () => refused,
    allowIdentifies(next) {
      left = next;
    },
    identifiesLeft: () => left,
    async close() {
      everySocket(socket => socket.terminate());
      await new Promise<void>(resolve => sockets.close(() => resolve()));
    },
  };
}

function belongs(session: Session, guildId: string | undefined): boolean {
  const [shard, count] = session.shard;
  return (guildId === undefined ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count))) === shard;
}

function readFrame(raw: RawData): z.infer<typeof frameSchema> | undefined {
  try {
    return frameSchema.safeParse(JSON.parse(raw.toString())).data;
  } catch {
    return undefined;
  }
}
