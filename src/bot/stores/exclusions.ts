import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { RecordStore } from '../../infra/store/records.ts';
import type { Post } from '../../media/post.ts';
import { type CallerPlace, callerKey, chatKey } from '../contract/request.ts';
import type { OptOuts } from '../contract/services.ts';

/**
 * `person` and `chat`: requests of `platform:id` are not answered. `link` and `author`: posts of `source:postId` or
 * `source:userId` are not shown.
 */
export const BLOCK_KINDS = ['person', 'chat', 'link', 'author'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export type BlockList = ReturnType<typeof createBlockList>;

const MAX_OF_A_KIND = 1_000;
const KEY = 'all';

const Values = z.array(z.string()).readonly().catch([]);
const Blocked = z.object({ person: Values, chat: Values, link: Values, author: Values });
export type Blocked = Readonly<z.output<typeof Blocked>>;

const NONE: Blocked = Blocked.parse({});

export const BLOCKS = { name: 'blocks', schema: Blocked };

/**
 * The people, chats, posts and authors that the owners blocked, stored durably. They are one record, held in memory, so
 * reading it costs no query.
 * @throws AppError `internal` from every method when the store cannot be written, or read for the first time
 */
export function createBlockList({ records }: { readonly records: RecordStore }) {
  const kept = records.collection<Blocked>({ ...BLOCKS, maxInMemory: 1 });
  const list = async (): Promise<Blocked> => (await kept.get(KEY)) ?? NONE;

  return {
    list,
    async add(kind: BlockKind, value: string): Promise<'added' | 'known' | 'full'> {
      const all = await list();
      if (all[kind].includes(value)) return 'known';
      if (all[kind].length >= MAX_OF_A_KIND) return 'full';
      await kept.set(KEY, { ...all, [kind]: [...all[kind], value] });
      return 'added';
    },
    /** Removes the value; false when it was not on the list. */
    async remove(kind: BlockKind, value: string): Promise<boolean> {
      const all = await list();
      if (!all[kind].includes(value)) return false;
      await kept.set(KEY, { ...all, [kind]: all[kind].filter(each => each !== value) });
      return true;
    },
    /** Keeps a blocked chat blocked under its new id. */
    async moveChat(from: string, to: string): Promise<void> {
      const all = await list();
      if (!all.chat.includes(from)) return;
      await kept.set(KEY, { ...all, chat: [...all.chat.filter(each => each !== from && each !== to), to] });
    },
    /** True when the caller or their chat is blocked. */
    async hasCaller(caller: Pick<CallerPlace, 'platform' | 'userId' | 'chatId' | 'groupId'>): Promise<boolean> {
      const { person, chat } = await list();
      if (person.length + chat.length === 0) return false;
      const isChat = chat.includes(chatKey(caller)) || chat.includes(`${caller.platform}:${caller.chatId}`);
      return isChat || person.includes(callerKey(caller));
    },
    /** @param post the post's `source:id` */
    hasLink: async (post: string) => (await list()).link.includes(post),
    async hasPost({ source, id, author }: Pick<Post, 'source' | 'id' | 'author'>): Promise<boolean> {
      const { link, author: authors } = await list();
      return link.includes(`${source}:${id}`) || (author.id !== null && authors.includes(`${source}:${author.id}`));
    },
  };
}

export interface OptOutsOptions {
  readonly records: RecordStore;
  /** A key that is the same in all processes and after every start. */
  readonly key: Uint8Array;
}

const MAX_IN_MEMORY = 10_000;
const NoValues = z.object({}).transform((): Readonly<Record<string, never>> => ({}));

export const OPT_OUTS = { name: 'opt-outs', schema: NoValues };
/** The collection of opt-outs in the web chat. A browser's session may never return, so unused records are dropped. */
export const WEB_OPT_OUTS = {
  name: 'web-opt-outs',
  schema: NoValues,
  ttlMs: 90 * 24 * 3_600_000,
  maxRecords: 50_000,
  isRenewedByReading: true,
};

export function createOptOuts({ records, key }: OptOutsOptions): OptOuts {
  const people = records.collection({ ...OPT_OUTS, maxInMemory: MAX_IN_MEMORY });
  const sessions = records.collection({ ...WEB_OPT_OUTS, maxInMemory: MAX_IN_MEMORY });
  const collectionOf = (person: string) => (person.startsWith('web:') ? sessions : people);
  const hashOf = (person: string) => createHmac('sha256', key).update(person).digest('base64url');

  return {
    has: async person => (await collectionOf(person).get(hashOf(person))) !== undefined,
    set: (person, isOut) =>
      isOut ? collectionOf(person).set(hashOf(person), {}) : collectionOf(person).delete(hashOf(person)),
  };
}
