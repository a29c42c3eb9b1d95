import { setTimeout } from 'node:timers/promises';
import { Agent, WebSocket } from 'undici';
import * as z from 'zod';
import type { ChatConnection, PlatformHost } from '../../../bot/contract/chat-platform.ts';
import { parseJson } from '../../../infra/parse-json.ts';
import type { RecordStore } from '../../../infra/store/records.ts';
import { TIMES } from '../api/limits.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import { applicationIdOf } from '../api/reply-to.ts';
import type { GatewayState } from '../outgoing/context.ts';
import { isEdit } from './dispatches.ts';
import {
  connectGateway,
  type Gateway,
  GatewayFailure,
  type GatewayHandlers,
  type GatewayOptions,
  type ShardChoice,
} from './gateway.ts';
import { type ListeningOptions, listenToGateway } from './listen.ts';
import { mayMatter } from './messages.ts';
import { type GatewaySession, openSessionRecord } from './sessions.ts';

export interface ConnectOptions extends Pick<ListeningOptions, 'context' | 'settings'> {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly shards: ShardChoice;
  readonly records: RecordStore;
  readonly state: GatewayState;
}

/** Connects to the gateway and receives its events, including those that came while Medley was disconnected. */
export async function connect(
  options: ConnectOptions,
  host: PlatformHost<DiscordReplyTo>,
  signal: AbortSignal,
): Promise<ChatConnection> {
  const { context, token, shards, records, settings, state } = options;
  const listener = listenToGateway({ context, host, settings });
  let [isCaughtUp, isClosed] = [false, false];
  const sessions = await openSessionRecord({
    records,
    key: shards === 'auto' ? 'auto' : `${shards.ids.join(',')} of ${shards.total}`,
    isSettled: () => isCaughtUp && listener.isSettled(),
    log: context.log,
  });
  const isOfInterest = (message: unknown) => mayMatter(message, applicationIdOf(token));
  const missed = sessions.left.map(session => resumeSession(session, { token, isOfInterest, signal }));
  const handlers: GatewayHandlers = {
    ...listener,
    onSession: sessions.note,
    onReady(ready) {
      state.client = ready;
      state.applicationId = ready.application.id;
      // No event reports servers that invited Medley back while it was disconnected, so all are recorded as joined.
      for (const id of ready.guilds.cache.keys()) listener.onGuild(id, true);
    },
  };

  /**
   * Handles the events of earlier sessions that came while Medley was disconnected. These sessions end when their
   * events are accepted and the new session is stored. Never rejects.
   */
  async function catchUp({ client, hear }: Gateway): Promise<void> {
    await Promise.all(
      missed.map(async ({ shardId, collected }) => {
        for (const event of await collected(client.ws.gateway)) if (!signal.aborted) hear(event, shardId);
      }),
    );
    await listener.settled();
    isCaughtUp = !signal.aborted && !isClosed;
    const isSaved = await sessions.save();
    await Promise.all(missed.map(each => each.leave(!isSaved)));
  }

  try {
    const onLost = (failure: GatewayFailure) => {
      if (!isClosed) host.lost(failure);
    };
    const gateway = await openGateway(options, { handlers, isOfInterest, onLost, signal });
    const catchingUp = catchUp(gateway);
    return {
      async close() {
        isClosed = true;
        if (state.client === gateway.client) state.client = undefined;
        await Promise.all([gateway.leave(), catchingUp, listener.close()]);
        await sessions.close();
      },
    };
  } catch (error) {
    await Promise.all([...missed.map(each => each.leave(true)), sessions.close()]);
    throw error;
  }
}

/** Connects; if Discord does not grant the privileged intent, connects again without it. */
async function openGateway(
  { token, apiUrl, shards, state, context: { log } }: ConnectOptions,
  options: Pick<GatewayOptions, 'handlers' | 'isOfInterest' | 'onLost' | 'signal'>,
): Promise<Gateway> {
  const gateway = { ...options, token, apiUrl, shards, log };
  try {
    return await connectGateway({ ...gateway, messageContent: state.readsMessages });
  } catch (error) {
    if (!(error instanceof GatewayFailure) || error.problem !== 'intents' || !state.readsMessages) throw error;
    state.readsMessages = false;
    log.warn({}, NO_CONTENT);
    return connectGateway({ ...gateway, messageContent: false });
  }
}

const NO_CONTENT =
  'discord: the Message Content intent is off, so links in servers are only seen when Medley is mentioned; switch it on under Bot in the Developer Portal. Commands and private chats work without it';

const Frame = z.object({ op: z.number(), t: z.string().nullish(), d: z.unknown() });
const Hello = z.object({ heartbeat_interval: z.number().positive() });

const DISPATCH = 0;
const HEARTBEAT = 1;
const RESUME = 6;
const INVALID_SESSION = 9;
const HELLO = 10;
const HEARTBEAT_ACK = 11;

/** The close code (sent by Medley) that ends a session. */
const GIVEN_UP = 1000;
/** A close code (sent by Medley) after which the session can be resumed. */
const KEPT = 4200;

/** The most missed events that are read. A session can be resumed for a few minutes, in which fewer events come. */
const MOST = 1_000;

type ResumeOptions = Pick<GatewayOptions, 'token' | 'isOfInterest' | 'signal'>;

/**
 * Resumes an earlier gateway session once, beside the new session. The new session is needed too, because a resumed one
 * does not describe servers, and Medley's permissions there would be unknown. The earlier session lasts until `leave`,
 * so that no event between the two is missed.
 */
function resumeSession(session: GatewaySession, options: ResumeOptions) {
  const events: unknown[] = [];
  const dispatcher = new Agent();
  const begin = (url: string) => takeUp(url, session, { ...options, dispatcher, events });
  let attempt = begin(session.resumeURL);

  return {
    shardId: session.shardId,
    /**
     * The messages for Medley and the interactions since the session's connection ended; none if Discord no longer has
     * the session. If the session's own address cannot be reached, it is tried again, and then `gatewayUrl`.
     */
    async collected(gatewayUrl: string | null): Promise<readonly unknown[]> {
      for (const url of [session.resumeURL, gatewayUrl ?? session.resumeURL]) {
        if ((await attempt.isAnswered()) || options.signal.aborted) break;
        await attempt.leave(KEPT);
        attempt = begin(url);
      }
      await attempt.isAnswered();
      await attempt.catchUp();
      return events;
    },
    /** Closes the connection. With `isKept` the session can be resumed again; without it, Discord ends the session. */
    async leave(isKept: boolean): Promise<void> {
      await attempt.leave(isKept ? KEPT : GIVEN_UP);
      await dispatcher.destroy();
    },
  };
}

interface AttemptOptions extends ResumeOptions {
  readonly dispatcher: Agent;
  /** The list to which received events are added. */
  readonly events: unknown[];
}

function takeUp(url: string, session: GatewaySession, options: AttemptOptions) {
  const { token, isOfInterest, signal, dispatcher, events } = options;
  const address = new URL(url);
  address.search = 'v=10&encoding=json';
  const socket = new WebSocket(address, { dispatcher });
  let heartbeat: NodeJS.Timeout | undefined;
  let onAcknowledged: (() => void) | undefined;
  let isOver = false;
  let isResumed = false;
  const ended = new Promise<void>(resolve => {
    for (const ending of ['close', 'error'] as const) socket.addEventListener(ending, () => resolve());
  });
  const answered = new Promise<void>(resolve => {
    AbortSignal.any([signal, AbortSignal.timeout(TIMES.resume)]).addEventListener('abort', () => resolve());
    socket.addEventListener('message', ({ data }) => {
      const frame = Frame.safeParse(parseJson(String(data))).data;
      if (frame?.op === HELLO) begin(frame.d);
      else if (frame?.op === HEARTBEAT_ACK) onAcknowledged?.();
      else if (frame?.op === DISPATCH) collect(frame);
      isOver ||= frame?.op === INVALID_SESSION;
      isResumed ||= frame?.t === 'RESUMED';
      if (isOver || isResumed) resolve();
    });
  });

  function beat(): void {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ op: HEARTBEAT, d: session.sequence }));
  }

  function collect(frame: z.output<typeof Frame>): void {
    // Interactions are collected, too: although they must be answered within seconds, it may not be too late.
    const isSaid = frame.t === 'MESSAGE_CREATE' || (frame.t === 'MESSAGE_UPDATE' && isEdit(frame.d, Date.now()));
    const isHeard = frame.t === 'INTERACTION_CREATE' || (isSaid && isOfInterest(frame.d));
    if (isHeard && events.length < MOST) events.push(frame);
  }

  function begin(hello: unknown): void {
    const { sessionId: session_id, sequence: seq } = session;
    const greeting = Hello.safeParse(hello).data;
    // A greeting of another shape does not come from Discord. An error thrown here would end the process.
    if (greeting === undefined) {
      socket.close(KEPT);
      return;
    }
    socket.send(JSON.stringify({ op: RESUME, d: { token, session_id, seq } }));
    clearInterval(heartbeat);
    heartbeat = setInterval(beat, greeting.heartbeat_interval);
    heartbeat.unref();
  }

  return {
    /** Resolves with true when Discord resumed or ended the session, false when the connection failed. */
    async isAnswered(): Promise<boolean> {
      await Promise.race([answered, ended]);
      return isOver || (isResumed && socket.readyState === WebSocket.OPEN);
    },
    /** Resolves when all events were received that Discord has sent so far. */
    async catchUp(): Promise<void> {
      if (socket.readyState !== WebSocket.OPEN) return;
      const acknowledged = new Promise<void>(resolve => {
        onAcknowledged = resolve;
      });
      beat();
      await Promise.race([acknowledged, ended, setTimeout(TIMES.farewell, undefined, { ref: false })]);
    },
    async leave(code: number): Promise<void> {
      clearInterval(heartbeat);
      const closed = new Promise<void>(resolve => socket.addEventListener('close', () => resolve()));
      if (socket.readyState === WebSocket.CLOSED) return;
      socket.close(code);
      await Promise.race([closed, setTimeout(TIMES.farewell, undefined, { ref: false })]);
    },
  };
}
