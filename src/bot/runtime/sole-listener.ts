import type { Lease } from '../../infra/redis/redis-lease.ts';
import type { ChatPlatform } from '../contract/chat-platform.ts';

/**
 * A platform that one process hears while others stand by, to spare connections that the platform allows once: a shard, a token's updates.
 * That no event is answered twice does not rest on it.
 */
export function soleListener<P extends ChatPlatform>(platform: P, lease: Lease): P {
  return {
    ...platform,
    async connect(host, signal) {
      const held = await lease.hold({
        signal,
        onWait: () => host.standBy(),
        onLost: () => host.lost(new Error('another process listens')),
      });
      try {
        const connection = await platform.connect(host, signal);
        return {
          async close() {
            try {
              await connection.close();
            } finally {
              await held.release();
            }
          },
        };
      } catch (error) {
        await held.release();
        throw error;
      }
    },
  };
}
