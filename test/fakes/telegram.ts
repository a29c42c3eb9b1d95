/** The Bot API played on loopback, for the real telegraf to run against. */
import type { TelegramRequest } from './telegram/call.ts';
import { type Chats, createChats, type FakeMessage, type MemberStatus } from './telegram/chats.ts';
import { createFaults, type Fault } from './telegram/faults.ts';
import { createFileShelf, type FileShelf, type HeldFile } from './telegram/file-shelf.ts';
import { createInline, type InlineMessage } from './telegram/inline.ts';
import { createPace } from './telegram/pace.ts';
import { createPeople, type People, type SomeChat, type SomeUser } from './telegram/people.ts';
import { createRemoteFiles } from './telegram/remote-file.ts';
import { startBotApi } from './telegram/server.ts';
import { type CallbackAnswer, type Command, chatShape, type InlineAnswer, userShape } from './telegram/shapes.ts';
import type { Stage } from './telegram/stage.ts';
import { createUpdates, type Delivery, type Webhook } from './telegram/updates.ts';
import { loadCheck } from './telegram/validate.ts';
import { createWebhookPost } from './telegram/webhook-post.ts';

export type { FakeMessage, Fault, InlineMessage, TelegramRequest };

export interface FakeTelegramOptions {
  /** Default: made up anew. */
  readonly token?: string;
  /** Where on loopback the host of a file's or the webhook's address is played. Default: nowhere. */
  readonly resolve?: (url: string) => string | undefined;
  /** Which uploaded or fetched videos have no sound, and so become animations. Default: `silent` in the name. */
  readonly isSilent?: (file: { readonly name: string; readonly sha256: string }) => boolean;
  /** Bytes. Defaults: 50 MB for uploads, 10 MB of them for photos; 20 MB and 5 MB for what is fetched by address. */
  readonly limits?: Partial<Limits>;
  /** A Bot API server of one's own: uploads to 2000 MB, plain webhooks on any port. */
  readonly isLocal?: boolean;
  /** Knows rich messages. Default false: older servers do not. */
  readonly isRich?: boolean;
  /** Milliseconds. */
  readonly now?: () => number;
  /** Folder of the machine-readable Bot API. Default: the environment's `SPECS_DIR`; empty for none. */
  readonly specsDir?: string;
}

export interface Limits {
  readonly upload: number;
  readonly photoUpload: number;
  readonly address: number;
  readonly photoAddress: number;
}

export interface FakeTelegram extends Omit<People, 'note'> {
  /** `http://127.0.0.1:PORT/` */
  readonly apiUrl: string;
  readonly token: string;
  readonly botId: number;
  readonly username: string;
  /** What getMe answers; its fields may be set. */
  readonly me: Record<string, unknown>;
  /** All but getUpdates, in order, refused ones too. */
  readonly requests: readonly TelegramRequest[];
  /** What a correct bot never does, one line each. Refusals that depend on luck or other people are not among them. */
  readonly problems: readonly string[];
  /** By file id. */
  readonly files: ReadonlyMap<string, HeldFile>;
  /** By `chatId:messageId`, other people's too. */
  readonly messages: ReadonlyMap<string, FakeMessage>;
  /** By inline_message_id. */
  readonly inlineMessages: ReadonlyMap<string, InlineMessage>;
  /** By the query's id. */
  readonly inlineAnswers: ReadonlyMap<string, InlineAnswer>;
  readonly callbackAnswers: ReadonlyMap<string, CallbackAnswer>;
  /** By scope, chat, user and language, as `all_private_chats id`, `chat -100200 id`, or `default ` without a language. */
  readonly commands: ReadonlyMap<string, readonly Command[]>;
  readonly webhook: Webhook | undefined;
  /** Updates the bot has not confirmed yet. */
  readonly pendingUpdates: number;
  /** What the bot asked to be told; empty means the default. */
  readonly allowedUpdates: readonly string[];
  /** The bot waits in getUpdates. */
  readonly isPolled: boolean;
  addChat(chat: SomeChat): void;
  addTopic(chatId: number, threadId: number): void;
  closeTopic(chatId: number, threadId: number): void;
  setMember(
    chatId: number,
    user: number | SomeUser,
    status: MemberStatus,
    rights?: Readonly<Record<string, boolean>>,
  ): void;
  /** A file the bot has sent before. @returns its id. */
  addFile: FileShelf['add'];
  /** The ids given out so far, or one, become unknown. */
  forgetFiles: FileShelf['forget'];
  /** A query becomes too old to answer. */
  expireQuery(queryId: string): void;
  /** 429 for more than one call a second in a chat, or 20 messages a minute in a group. Off at first. */
  enforceRates(on: boolean): void;
  revokeToken(): void;
  /** Another instance of the bot polls: the waiting getUpdates gets 409. */
  conflict(): void;
  /** One delivery past the queue; `secret` null leaves the header out. Pushed updates go to a set webhook by themselves. */
  deliverByWebhook(update: Readonly<Record<string, unknown>>, secret?: string | null): Promise<Delivery>;
  fault(fault: Fault): void;
  /** Asks again until there is something. @throws when the time is over; the message tells the problems so far. */
  waitFor<T>(read: () => T | undefined, timeoutMs?: number): Promise<T>;
  close(): Promise<void>;
}

const MB = 1024 * 1024;

export async function createFakeTelegram(options: FakeTelegramOptions = {}): Promise<FakeTelegram> {
  const { now = Date.now, resolve = () => undefined, isLocal = false, isRich = false } = options;
  const limits = {
    upload: (isLocal ? 2000 : 50) * MB,
    photoUpload: 10 * MB,
    address: 20 * MB,
    photoAddress: 5 * MB,
    ...options.limits,
  };
  const botId = 7_000_000_001;
  const username = 'medley_fake_bot';
  const token = options.token ?? `${botId}:AAFakeTokenForLoopbackOnly_0123456789a`;
  const closing = new AbortController();
  const problems: string[] = [];
  const problem = (what: string): void => {
    problems.push(what);
  };
  const me = {
    id: botId,
    is_bot: true,
    first_name: 'Medley',
    username,
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: true,
  };
  const chats: Chats = createChats(me, now);
  const commands = new Map<string, readonly Command[]>();
  const stage: Stage = {
    me,
    chats,
    commands,
    now,
    shelf: createFileShelf({
      problem,
      isSilent: options.isSilent ?? (file => file.name.includes('silent')),
      fetchAddress: createRemoteFiles({
        resolve,
        maxBytes: kind => (kind === 'photo' ? limits.photoAddress : limits.address),
        signal: closing.signal,
      }),
    }),
    updates: createUpdates({ problem, post: createWebhookPost({ resolve, problem, signal: closing.signal }) }),
    inline: createInline(),
    pace: createPace(now),
    isLocal,
    isRich,
    problem,
  };
  const faults = createFaults();
  const check = await loadCheck(options.specsDir ?? process.env.SPECS_DIR);
  const api = await startBotApi({ token, stage, faults, check, limits });

  async function waitFor<T>(read: () => T | undefined, timeoutMs = 30_000): Promise<T> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const found = read();
      if (found !== undefined) return found;
      if (Date.now() > deadline)
        throw new Error(`nothing came in ${timeoutMs} ms; problems: ${problems.join('; ') || 'none'}`);
      await new Promise(done => setTimeout(done, 5).unref());
    }
  }

  const people = createPeople(stage);
  const { note: _note, ...actions } = people;

  return {
    ...actions,
    apiUrl: api.url,
    token,
    botId,
    username,
    me,
    requests: api.requests,
    problems,
    files: stage.shelf.files,
    messages: chats.messages,
    inlineMessages: stage.inline.messages,
    inlineAnswers: stage.inline.answers,
    callbackAnswers: stage.inline.callbackAnswers,
    commands,
    get webhook() {
      return stage.updates.webhook;
    },
    get pendingUpdates() {
      return stage.updates.pending.length;
    },
    get allowedUpdates() {
      return stage.updates.allowedUpdates;
    },
    get isPolled() {
      return stage.updates.isPolled;
    },
    addChat: chat => chats.add(chatShape.parse(chat)),
    addTopic: chats.addTopic,
    closeTopic: chats.closeTopic,
    setMember: (chatId, who, status, rights) => {
      const user = userShape.parse(typeof who === 'number' ? { id: who } : who);
      chats.setMember(chatId, user.id === botId ? me : user, status, rights);
    },
    addFile: stage.shelf.add,
    forgetFiles: stage.shelf.forget,
    expireQuery: stage.inline.expire,
    enforceRates: stage.pace.enforce,
    revokeToken: api.revokeToken,
    conflict: stage.updates.conflict,
    deliverByWebhook: (update, secret) => {
      people.note(update);
      return stage.updates.deliver(update, secret);
    },
    fault: faults.add,
    waitFor,
    close: async () => {
      closing.abort();
      await api.close();
    },
  };
}
