import type { MediaSource } from '../../../media/extract/source.ts';
import type { RuntimeStatus } from '../../contract/chat-platform.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { renderOwnerStatus } from '../../views/owner/status.ts';

export interface OwnerStatusOptions {
  readonly sources: readonly Pick<MediaSource, 'id' | 'figures'>[];
  /** Resolves with undefined as long as the chats are not there yet. */
  readonly readChats: () => Promise<RuntimeStatus | undefined>;
}

/** How Medley does: the sites' strategies, the queue, the platforms, this process. */
export function createOwnerStatus({ sources, readChats }: OwnerStatusOptions) {
  return defineCommand({
    name: 'owner status',
    options: {},
    visibility: 'caller',
    cost: 0,
    async run(_values, { services, t }: CommandContext) {
      const status = {
        chats: await readChats(),
        sources: sources.map(({ id, figures }) => ({ name: id, strategies: figures?.() ?? [] })),
        process: {
          memoryBytes: process.memoryUsage.rss(),
          startedAt: Math.round(Date.now() - process.uptime() * 1_000),
          nodeVersion: process.version,
        },
      };
      return renderOwnerStatus(status, services.version, t);
    },
  });
}
