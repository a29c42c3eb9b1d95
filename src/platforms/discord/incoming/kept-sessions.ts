import type { SimpleShardingStrategy } from 'discord.js';
import { isRecord } from './is-record.ts';
import type { GatewaySession } from './sessions.ts';

/** That of @discordjs/ws, whose type discord.js does not export. */
export type ShardManager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

export interface KeepSessionsOptions {
  /** Where new sessions begin; a session has an address of its own. */
  readonly gatewayUrl: () => string | null;
  /** Is told how far was heard on a shard; null when its session is over. */
  readonly onSession: (shardId: number, session: GatewaySession | null) => void;
}

/**
 * Has @discordjs/ws take a session up again after a failure of the network, where it would forget it and identify anew: only Discord
 * ends a session. While the session's own address cannot be reached, every other attempt is made at the gateway's.
 *
 * @returns a function that must see every event of the manager before anything else does
 */
export function keepSessions(
  { options }: ShardManager,
  { gatewayUrl, onSession }: KeepSessionsOptions,
): (event: string, value: unknown) => void {
  const keep = options.updateSessionInfo.bind(options);
  const sessions = new Map<number, { readonly own: GatewaySession; isElsewhere: boolean }>();
  /** Shards to which Discord has spoken on their connection, and whose connection has not broken off since. */
  const spoken = new Set<number>();

  function forget(shardId: number): ReturnType<typeof keep> {
    const known = sessions.get(shardId);
    if (spoken.delete(shardId) || known === undefined) {
      sessions.delete(shardId);
      onSession(shardId, null);
      return keep(shardId, null);
    }
    known.isElsewhere = !known.isElsewhere;
    const resumeURL = known.isElsewhere ? (gatewayUrl() ?? known.own.resumeURL) : known.own.resumeURL;
    return keep(shardId, { ...known.own, resumeURL });
  }

  options.updateSessionInfo = (shardId, heard) => {
    if (heard === null) return forget(shardId);
    const known = sessions.get(shardId)?.own;
    const resumeURL = known?.sessionId === heard.sessionId ? known.resumeURL : heard.resumeURL;
    const own = { ...heard, resumeURL };
    sessions.set(shardId, { own, isElsewhere: false });
    onSession(shardId, own);
    return keep(shardId, own);
  };

  return (event, value) => {
    if (!isRecord(value) || typeof value.shardId !== 'number') return;
    if (event === 'hello') spoken.add(value.shardId);
    else if (event === 'closed' && !isSaidByDiscord(value.code)) spoken.delete(value.shardId);
  };
}

/** What other codes say is said by the network, or by what stands on the way. */
function isSaidByDiscord(code: unknown): boolean {
  return typeof code === 'number' && (code === 1000 || (code >= 4000 && code < 4200));
}
