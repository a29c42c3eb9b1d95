import { z } from 'zod';
import type {
  AnswerProgress,
  ChatConnection,
  ChatPlatform,
  NewRequest,
  Pace,
  PlatformHost,
  RequestOutcome,
  SendFailure,
  Sending,
} from '../../../src/bot/contract/chat-platform.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';

/** What becomes of one call. `lost`: it arrives, but nobody hears of it. `vanished`: it does not, and nobody hears of it either. */
export type Fate = 'sent' | 'lost' | 'vanished' | 'away' | 'flood' | 'refused' | 'gone' | 'cut' | 'token' | 'defect';

/** A message in a chat. */
export interface Shown {
  readonly chat: string;
  readonly text: string;
}

/** The far side: it stays when a process dies. */
export interface World {
  /** What stands in the chats. */
  readonly shown: Shown[];
  /** Fates of the next calls; what comes after them is sent. */
  readonly fates: Fate[];
  /** Nonces that were seen, where the platform keeps them. */
  readonly nonces: Set<string>;
  calls: number;
  /** Every message that was to be sent. */
  readonly attempts: string[];
}

export function createWorld(fates: readonly Fate[] = []): World {
  return { shown: [], fates: [...fates], nonces: new Set(), calls: 0, attempts: [] };
}

class CallFailure extends Error {
  readonly fate: Fate;

  constructor(fate: Fate) {
    super(`the call was ${fate}`);
    this.fate = fate;
  }
}

const To = z.object({ chat: z.string() });

export interface ScriptedOptions {
  readonly world: World;
  /** How long repeats are recognised; 0: not at all. */
  readonly repeatMs?: number;
  readonly repliesAtOnce?: number;
  /** Messages that one answer takes. */
  readonly messages?: number;
  /** Called before anything of an answer is sent. */
  readonly prepare?: () => Promise<void>;
  /** Called before and after each call; may never resolve. */
  readonly step?: (name: string) => Promise<void>;
  readonly retryAfterMs?: number;
  /** Milliseconds a call takes; ends early, as `cut`, when it is no longer wanted. */
  readonly callMs?: number;
  connect?(host: PlatformHost<{ chat: string }>, attempt: number): Promise<void>;
  verify?(): Promise<void>;
  readonly pace?: Pace;
  /** Whether an answer has a place where its progress is shown. */
  readonly showsProgress?: boolean;
  /** Whether it says what is being done, in a message that is edited. */
  readonly showsStatus?: boolean;
}

export interface ScriptedPlatform extends ChatPlatform<z.output<typeof To>> {
  /** Undefined while it is not connected. */
  host(): PlatformHost<{ chat: string }> | undefined;
  readonly log: string[];
}

/** A platform whose every outcome is written beforehand. */
export function createScriptedPlatform(options: ScriptedOptions): ScriptedPlatform {
  const { world, repeatMs = 0, repliesAtOnce = 1, messages = 1, step = async () => undefined, callMs = 0 } = options;
  const log: string[] = [];
  let host: PlatformHost<{ chat: string }> | undefined;
  let attempts = 0;

  async function call(chat: string, text: string, nonce: string, signal: AbortSignal): Promise<string> {
    await step('call');
    world.calls += 1;
    world.attempts.push(text);
    if (callMs > 0 && !(await hasTime(callMs, signal))) throw new CallFailure('cut');
    const fate = world.fates.shift() ?? 'sent';
    if (fate === 'defect') throw new TypeError('a defect');
    if (fate === 'sent' || fate === 'lost') {
      // A platform that knows nonces answers a repeat with what stands there.
      if (repeatMs === 0 || !world.nonces.has(nonce)) world.shown.push({ chat, text });
      world.nonces.add(nonce);
    }
    await step('called');
    if (fate !== 'sent') throw new CallFailure(fate);
    return `${world.shown.length}`;
  }

  return {
    id: 'scripted',
    replyTo: To,
    repliesAtOnce,
    log,
    host: () => host,
    async connect(given, signal): Promise<ChatConnection> {
      attempts += 1;
      await options.connect?.(given, attempts);
      signal.throwIfAborted();
      host = given;
      return {
        async close() {
          log.push('closed');
          host = undefined;
        },
      };
    },
    verify: async () => options.verify?.(),
    async send(replies, { request, to, signal, sendOnce }: Sending<{ chat: string }>) {
      await options.prepare?.();
      let place = 0;
      for await (const reply of replies) {
        const whole = textOf(reply);
        const parts = whole.startsWith('answer') ? messages : 1;
        for (let part = 0; part < parts; part += 1) {
          const text = parts === 1 ? whole : `${whole} (${part + 1}/${parts})`;
          const key = `${place}`;
          place += 1;
          await sendOnce(key, tag => call(to.chat, text, `${request.id} ${tag}`, signal), { repeatMs });
        }
      }
    },
    outcomeOf: error => (error instanceof CallFailure ? failureOf(error.fate) : undefined),
    ...(options.pace && { pace: options.pace }),
    showWorking(_, stage) {
      log.push(`working: ${stage}`);
      return () => void log.push('not working');
    },
    ...(options.showsProgress === true && {
      showProgress: (_: unknown, progress: AnswerProgress) =>
        void log.push(`progress: ${Object.values(progress).join(' ')}`),
      onEnd: (_: unknown, outcome: RequestOutcome) => void log.push(`end: ${outcome}`),
    }),
    ...(options.showsStatus === true && {
      async showStatus({ chat }: { readonly chat: string }, text: string, shown: string | undefined) {
        log.push(`${shown === undefined ? 'status' : 'edited'}: ${text}`);
        return `status in ${chat}`;
      },
      deleteMessage: async (_: string, id: string) => void log.push(`deleted: ${id}`),
    }),
    async close() {
      log.push('let go');
    },
  };

  function failureOf(fate: Fate): SendFailure {
    switch (fate) {
      case 'away':
      case 'flood':
      case 'refused':
      case 'gone':
      case 'cut':
      case 'token':
        return { outcome: 'notSent', reason: fate, retryAfterMs: options.retryAfterMs };
      default:
        return { outcome: 'unknown' };
    }
  }
}

function hasTime(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms, true);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

function textOf({ blocks }: Reply): string {
  const [block] = blocks;
  return block?.kind === 'text' ? block.text.join('') : '';
}

/** A person who pastes links. */
export function linksDraft(eventId: string, links: readonly string[], chat = 'square'): NewRequest<{ chat: string }> {
  return {
    eventId,
    chat: { id: chat, kind: 'group' },
    user: { id: 'sari', rateKey: 'sari', locales: ['en'] },
    replyTo: { chat },
    kind: 'links',
    what: links.map(url => ({ url, spoiler: false })),
  };
}

export function tokenRefused(): Error {
  return new CallFailure('token');
}

export function unreachable(): Error {
  return new CallFailure('away');
}
