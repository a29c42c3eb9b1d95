import { SimpleShardingStrategy } from 'discord.js';
import type { ShardManager } from './kept-sessions.ts';

/** Begins no shard when Discord would not let all of them begin a session: a bot that asks too often in a day loses its token. */
export class BudgetedSharding extends SimpleShardingStrategy {
  readonly #manager: ShardManager;

  constructor(manager: ShardManager) {
    super(manager);
    this.#manager = manager;
  }

  /** @throws TooFewIdentifies */
  override async spawn(shardIds: number[]): Promise<void> {
    const { session_start_limit: limit } = await this.#manager.fetchGatewayInformation();
    if (limit.remaining < shardIds.length) {
      const until = new Date(Date.now() + limit.reset_after).toISOString();
      throw new TooFewIdentifies(
        `Discord lets this bot begin ${limit.remaining} more of ${limit.total} sessions until ${until}, and its shards need ${shardIds.length}: it connects by itself after that`,
      );
    }
    await super.spawn(shardIds);
  }
}

export class TooFewIdentifies extends Error {
  override readonly name = 'TooFewIdentifies';
}
