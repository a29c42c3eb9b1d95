import type { ChatConnection, PlatformHost } from '../../../bot/contract/chat-platform.ts';
import type { RecordStore } from '../../../infra/store/records.ts';
import { applicationIdOf } from '../api/ids.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import type { GatewayState } from '../outgoing/context.ts';
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
import { resumeSession } from './missed-events.ts';
import { openSessionRecord } from './sessions.ts';

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
