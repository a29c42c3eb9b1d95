import { ApplicationCommandType } from 'discord.js';
import * as z from 'zod';
import type { Logger } from '../../../infra/log.ts';
import type { RecordStore } from '../../../infra/store/records.ts';

/** The ids of registered commands by their name; of subcommands that of their first word. */
export type CommandIds = ReadonlyMap<string, string>;

export const NO_COMMAND_IDS: CommandIds = new Map();

/** Writes a command that can be clicked; undefined while its id is not known. */
export function commandMention(name: string, ids: CommandIds): string | undefined {
  const id = ids.get(name.split(' ', 1)[0] ?? name);
  return id === undefined ? undefined : `</${name}:${id}>`;
}

/** The ids that Discord gave the commands: one process registers them, and all that answer want to know. */
export interface CommandIdRecord {
  /** Empty while they are not known. Never rejects. */
  current(): Promise<CommandIds>;
  /** Takes what Discord says is registered. Never rejects. */
  learn(registered: unknown): Promise<void>;
}

export interface CommandIdRecordOptions {
  readonly records: Pick<RecordStore, 'collection'>;
  readonly applicationId: () => string;
  readonly log: Pick<Logger, 'info'>;
}

const Registered = z.array(z.object({ id: z.string(), name: z.string(), type: z.number().default(1) }));
const Ids = z.record(z.string(), z.string());

export function createCommandIdRecord({ records, applicationId, log }: CommandIdRecordOptions): CommandIdRecord {
  const store = records.collection({ name: 'discord-commands', schema: Ids, maxInMemory: 1 });

  return {
    async current() {
      try {
        return new Map(Object.entries((await store.get(applicationId())) ?? {}));
      } catch (error) {
        log.info({ err: error }, 'discord: the ids of the commands could not be read');
        return NO_COMMAND_IDS;
      }
    },
    async learn(registered) {
      try {
        const slash = Registered.parse(registered).filter(({ type }) => type === ApplicationCommandType.ChatInput);
        const ids = Object.fromEntries(slash.map(({ id, name }) => [name, id]));
        if (JSON.stringify(ids) !== JSON.stringify(await store.get(applicationId())))
          await store.set(applicationId(), ids);
      } catch (error) {
        log.info({ err: error }, 'discord: the ids of the commands could not be kept');
      }
    },
  };
}
