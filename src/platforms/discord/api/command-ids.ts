import { createHash } from 'node:crypto';
import { ApplicationCommandType } from 'discord.js';
import * as z from 'zod';
import type { Request } from '../../../bot/contract/request.ts';
import type { Logger } from '../../../infra/log.ts';
import type { RecordStore } from '../../../infra/store/records.ts';

/** The ids of registered commands by name; a subcommand has the id of its group, named by the first word. */
export type CommandIds = ReadonlyMap<string, string>;

export const NO_COMMAND_IDS: CommandIds = new Map();

/** A mention that makes a command clickable; undefined while its id is not known. */
export function commandMention(name: string, ids: CommandIds): string | undefined {
  const id = ids.get(name.split(' ', 1)[0] ?? name);
  return id === undefined ? undefined : `</${name}:${id}>`;
}

/** The ids that Discord gave the commands, written by the process that registers these and read by all others. */
export interface CommandIdRecord {
  /** The ids; empty while they are not known. Never rejects. */
  current(): Promise<CommandIds>;
  /** Stores the ids from Discord's list of registered commands. Never rejects. */
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

/** Makes an id that looks like a message id from text, the same for equal text: for nonces, and as an answer's id. */
export function stableId(words: string): string {
  // The id has fewer bits than the hash, so that a nonce has space for its tag.
  return (createHash('sha256').update(words).digest().readBigUInt64BE() >> 2n).toString();
}

/** Reads the application's id from the beginning of a token; undefined for text that is not a token. */
export function applicationIdOf(token: string): string | undefined {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1');
  return /^\d{17,20}$/.test(id) ? id : undefined;
}

/** The id of the message or interaction from which a request came. */
export function eventIdOf({ id, platform }: Pick<Request, 'id' | 'platform'>): string {
  return id.slice(platform.length + 1);
}
