import { z } from 'zod';

interface Failure {
  readonly method: string;
  /** As the Bot API gives it; undefined when no answer came or none that could be read. */
  readonly code: number | undefined;
  readonly description: string;
  readonly retryAfterMs?: number | undefined;
  readonly migrateTo?: number | undefined;
  readonly isNotDone: boolean;
}

/**
 * A call that failed. It carries neither the request (people's words) nor the library's own error, whose message and stack may
 * hold the token.
 */
export class BotApiError extends Error {
  override readonly name = 'BotApiError';
  readonly method: string;
  readonly code: number | undefined;
  readonly description: string;
  /** Milliseconds to leave Telegram alone. */
  readonly retryAfterMs: number | undefined;
  /** The group has become this supergroup. */
  readonly migrateTo: number | undefined;
  /** Whether it is certain that nothing was done. Otherwise the message may stand in the chat. */
  readonly isNotDone: boolean;

  constructor({ method, code, description, retryAfterMs, migrateTo, isNotDone }: Failure) {
    super(`${method}: ${code ?? 'no answer'} ${description}`);
    this.method = method;
    this.code = code;
    this.description = description;
    this.retryAfterMs = retryAfterMs;
    this.migrateTo = migrateTo;
    this.isNotDone = isNotDone;
  }
}

/** telegraf's TelegramError. Of 5xx it knows the status alone. */
const Refused = z.object({
  response: z.object({
    error_code: z.number(),
    description: z.string().catch(''),
    parameters: z
      .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
      .optional()
      .catch(undefined),
  }),
});
/** node-fetch's FetchError and what Node's sockets throw. */
const Broken = z.object({ type: z.string().optional().catch(undefined), code: z.string().optional().catch(undefined) });

/** The connection did not come about, so nobody has read the request. */
const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

export function readFailure(
  error: unknown,
  { method, hadFiles }: { readonly method: string; readonly hadFiles: boolean },
): BotApiError {
  const refused = Refused.safeParse(error).data?.response;
  if (refused !== undefined) {
    const { error_code: code, description, parameters } = refused;
    const { retry_after: seconds, migrate_to_chat_id: migrateTo } = parameters ?? {};
    const retryAfterMs = seconds === undefined ? undefined : Math.max(0, seconds) * 1_000;
    return new BotApiError({ method, code, description, retryAfterMs, migrateTo, isNotDone: code < 500 });
  }
  const { type, code } = Broken.safeParse(error).data ?? {};
  // A proxy's own page: 5xx are told apart before, so it refused, and files are what proxies refuse.
  if (type === 'invalid-json') {
    return new BotApiError({ method, code: hadFiles ? 413 : 400, description: 'unreadable answer', isNotDone: true });
  }
  const what = code ?? (error instanceof Error ? error.name : 'unknown failure');
  return new BotApiError({ method, code: undefined, description: what, isNotDone: UNREACHED.has(what) });
}
