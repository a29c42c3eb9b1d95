/** Records for buttons: the options that do not fit into their tokens, and what their messages showed before. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import { usageError } from '../contract/command.ts';
import { type Caller, callerKey, callerOf, type Request, RequestBody } from '../contract/request.ts';
import type { ButtonPayload, ButtonTokens } from '../contract/services.ts';

/** How long a button works, and how long Medley stores what the button's message showed before. */
const LIFE_MS = 7 * 24 * 3_600_000;

export interface ButtonTokensOptions {
  /** A secret of at least 16 bytes; it must be the same after a restart. */
  readonly key: Buffer;
  readonly records: RecordStore;
  /** Called when options could not be stored: the button, when pressed, will then say that it has expired. */
  readonly onFailure: (error: unknown) => void;
}

// A token is base64url of: flags, the owner's tag if there is one, body, seal. Telegram's callback_data holds 64 bytes.
const MAX_LENGTH = 64;
const MAX_BYTES = (MAX_LENGTH * 3) / 4;
const SEAL_BYTES = 10;
const OWNER_BYTES = 6;
const KEY_BYTES = 12;
const BOUND = 1;
const STORED = 2;

const StoredPayload = z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))]);

/**
 * The collection of buttons' options. Keys are digests; records are grouped by owner, under a tag that does not tell
 * who the owner is.
 */
export const BUTTON_ARGUMENTS = {
  name: 'button-arguments',
  schema: StoredPayload,
  ttlMs: LIFE_MS,
  maxRecords: 500_000,
};

export function createButtonTokens({ key, records, onFailure }: ButtonTokensOptions): ButtonTokens {
  const stored = records.groupedCollection(BUTTON_ARGUMENTS);
  const views = records.groupedCollection(SHOWN_VIEWS);
  const writes = new Set<Promise<void>>();

  function digest(purpose: string, data: string | Buffer, bytes: number): Buffer {
    return createHmac('sha256', key).update(`${purpose}\0`).update(data).digest().subarray(0, bytes);
  }

  function ownerTag(owner: string): Buffer {
    return digest('owner', owner, OWNER_BYTES);
  }

  const tagOf = (owner: string) => ownerTag(owner).toString('base64url');

  function store({ command, values }: ButtonPayload, tag: Buffer): Buffer {
    const payload: z.output<typeof StoredPayload> = [command, { ...values }];
    // Equal buttons share one record, so that showing a button often does not fill the store.
    const id = digest('stored', Buffer.concat([tag, Buffer.from(JSON.stringify(payload))]), KEY_BYTES);
    const owner = tag.length === 0 ? null : tag.toString('base64url');
    const write = stored
      .set(id.toString('base64url'), payload, owner)
      .catch(onFailure)
      .finally(() => writes.delete(write));
    writes.add(write);
    return id;
  }

  async function recall(id: Buffer): Promise<Pick<ButtonPayload, 'command' | 'values'>> {
    const payload = await stored.get(id.toString('base64url'));
    if (payload === undefined) throw usageError('expiredButton');
    const [command, values] = payload;
    return { command, values };
  }

  /** Opens a token. @throws AppError `invalid_request` when it is forged */
  function opened(token: string) {
    const bytes = Buffer.from(token.slice(0, MAX_LENGTH), 'base64url');
    const sealed = bytes.subarray(0, -SEAL_BYTES);
    // Several base64 texts decode to the same bytes; only the one that `encode` writes is accepted.
    const isWhole = bytes.length > SEAL_BYTES && bytes.toString('base64url') === token;
    if (!isWhole || !timingSafeEqual(bytes.subarray(-SEAL_BYTES), digest('seal', sealed, SEAL_BYTES))) {
      throw usageError('expiredButton');
    }
    const flags = sealed[0] ?? 0;
    const isBound = (flags & BOUND) !== 0;
    const bodyAt = isBound ? 1 + OWNER_BYTES : 1;
    const body = sealed.subarray(bodyAt);
    return {
      isBound,
      tag: sealed.subarray(1, bodyAt),
      content: async () => ((flags & STORED) !== 0 ? recall(body) : unpack(body.toString('utf8'))),
    };
  }

  return {
    encode(payload) {
      const tag = payload.owner === undefined ? Buffer.alloc(0) : ownerTag(payload.owner);
      const freeBytes = MAX_BYTES - 1 - tag.length - SEAL_BYTES;
      const inline = pack(payload, freeBytes);
      const flags = (tag.length > 0 ? BOUND : 0) | (inline ? 0 : STORED);
      const sealed = Buffer.concat([Buffer.of(flags), tag, inline ?? store(payload, tag)]);
      return Buffer.concat([sealed, digest('seal', sealed, SEAL_BYTES)]).toString('base64url');
    },

    async stored() {
      await Promise.all(writes);
    },

    async decode(token, presser) {
      const { isBound, tag, content } = opened(token);
      if (isBound && !tag.equals(ownerTag(presser)))
        throw new AppError('forbidden', 'button of another person', { params: { what: 'button' } });
      return isBound ? { ...(await content()), owner: presser } : content();
    },

    async decodeForAnyone(token) {
      return opened(token).content();
    },

    tagOf,

    async forget(owner) {
      await stored.deleteGroup(tagOf(owner));
      // Version 0.2.0 stored what messages showed in a group under the owner's own id, not under the tag, so both
      // groups are deleted.
      for (const group of [tagOf(owner), owner]) await views.deleteGroup(group);
    },
  };
}

const FIELD = '\n';
const NAME = /^[A-Za-z][\w-]*/;

/** Packs a command's name, then each value in a line: `name=text`, `name#number`, `name!` (true), `name~` (false). */
function pack({ command, values }: ButtonPayload, maxBytes: number): Buffer | undefined {
  const lines = [command];
  for (const [name, value] of Object.entries(values)) {
    if (NAME.exec(name)?.[0] !== name) return undefined;
    if (typeof value === 'boolean') lines.push(`${name}${value ? '!' : '~'}`);
    else lines.push(`${name}${typeof value === 'number' ? '#' : '='}${value}`);
  }
  const text = lines.join(FIELD);
  const packed = Buffer.from(text);
  const isFaithful = text.split(FIELD).length === lines.length && packed.toString() === text;
  return isFaithful && packed.length <= maxBytes ? packed : undefined;
}

function unpack(text: string): Pick<ButtonPayload, 'command' | 'values'> {
  const [command = '', ...fields] = text.split(FIELD);
  const values: [string, string | number | boolean][] = fields.map(field => {
    const name = NAME.exec(field)?.[0] ?? '';
    const rest = field.slice(name.length + 1);
    const mark = field.charAt(name.length);
    if (mark === '#') return [name, Number(rest)];
    return [name, mark === '=' ? rest : mark === '!'];
  });
  return { command, values: Object.fromEntries(values) };
}

/** The requests whose answers a message with buttons has shown, the latest last. */
const Views = z.array(RequestBody);

/**
 * The collection of what messages showed; a record is kept for as long as the message's buttons are valid, and grouped
 * by the same tag as their options.
 */
export const SHOWN_VIEWS = { name: 'shown-views', schema: Views, ttlMs: LIFE_MS, maxRecords: 200_000 };

export type ViewHistory = ReturnType<typeof createViewHistory>;

interface PressedMessage {
  readonly messageId?: string | undefined;
  /** True when the button leads to the previous content. */
  readonly isBack?: boolean | undefined;
}

export interface ViewHistoryOptions {
  readonly platform: string;
  readonly records: Pick<RecordStore, 'groupedCollection'>;
  readonly tagOf: ButtonTokens['tagOf'];
  readonly dispatcher: { commandOf(body: RequestBody, caller: Caller): Promise<string | undefined> };
  readonly log: Pick<Logger, 'info'>;
}

const MOST_VIEWS = 8;

/** Remembers what messages with buttons show and showed. Never rejects: after a failure people cannot go back. */
export function createViewHistory({ platform, records, tagOf, dispatcher, log }: ViewHistoryOptions) {
  const views = records.groupedCollection(SHOWN_VIEWS);

  async function shownIn(messageId: string | undefined): Promise<readonly RequestBody[]> {
    if (messageId === undefined) return [];
    try {
      return (await views.get(`${platform}:${messageId}`)) ?? [];
    } catch (error) {
      log.info({ err: error, platform }, 'what a message showed before could not be read');
      return [];
    }
  }

  return {
    /** The request whose answer the message showed before; undefined when unknown. */
    async before(messageId: string): Promise<RequestBody | undefined> {
      const ask = (await shownIn(messageId)).at(-2);
      // A person who goes back asks for the answer, so failures are reported, unlike failures of a pasted link.
      return ask?.kind === 'links' ? { ...ask, unasked: false } : ask;
    },
    /**
     * The number of stored requests of the message if it still shows the answer to this request; undefined if it shows
     * another answer by now, 0 if nothing is stored.
     */
    async depth(messageId: string, request: Request): Promise<number | undefined> {
      const shown = await shownIn(messageId);
      const isCurrent = shown.length === 0 || isSame(shown.at(-1), RequestBody.parse(request));
      return isCurrent ? shown.length : undefined;
    },
    /** The requests whose answers the message has shown, with this one as the last. */
    async next(request: Request, pressed: PressedMessage | undefined): Promise<readonly RequestBody[]> {
      const ask = RequestBody.parse(request);
      const shown = await shownIn(pressed?.messageId);
      if (pressed?.isBack === true) return shown.slice(0, -1);
      const last = shown.at(-1);
      if (last === undefined) return [ask];
      const caller = callerOf(request);
      // If the same command answers this request and the previous one, this request shows another page or state, so it
      // replaces the previous one.
      const isOtherPage = (await dispatcher.commandOf(last, caller)) === (await dispatcher.commandOf(ask, caller));
      return [...(isOtherPage ? shown.slice(0, -1) : shown), ask].slice(-MOST_VIEWS);
    },
    async keep(messageId: string, shown: readonly RequestBody[], request: Request): Promise<void> {
      const owner = tagOf(callerKey({ platform, userId: request.user.id }));
      await views.set(`${platform}:${messageId}`, [...shown], owner).catch((error: unknown) => {
        log.info({ err: error, platform }, 'what a message shows could not be noted');
      });
    },
  };
}

function isSame(a: RequestBody | undefined, b: RequestBody): boolean {
  const wordsOf = (ask: RequestBody | undefined) => JSON.stringify([ask?.kind, ask?.what]);
  return wordsOf(a) === wordsOf(b);
}
