import { createHash } from 'node:crypto';
import { ApplicationCommandType } from 'discord.js';
import * as z from 'zod';
import type { Request } from '../../../bot/contract/request.ts';
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

/** Makes an id in the form of a message's from words, the same for the same words: for nonces, and as the id of an answer. */
export function stableId(words: string): string {
  // Fewer bits than a hash has leave space for the tag of a nonce.
  return (createHash('sha256').update(words).digest().readBigUInt64BE() >> 2n).toString();
}

/** Reads the application's id, which a token begins with; undefined for a text that is no token. */
export function applicationIdOf(token: string): string | undefined {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1');
  return /^\d{17,20}$/.test(id) ? id : undefined;
}

/** The id of the message or interaction that a request was asked by. */
export function eventIdOf({ id, platform }: Pick<Request, 'id' | 'platform'>): string {
  return id.slice(platform.length + 1);
}
