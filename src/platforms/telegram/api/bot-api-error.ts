interface Failure {
  readonly method: string;
  /** As the Bot API gives it; undefined when no answer came or none that could be read. */
  readonly code: number | undefined;
  readonly description: string;
  readonly retryAfterMs?: number | undefined;
  readonly migrateTo?: number | undefined;
  readonly isNotDone: boolean;
  readonly isCut?: boolean;
}

/** A call that failed. It carries neither the request (people's words) nor its address, which holds the token. */
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
  /** Whether it was ended from here. */
  readonly isCut: boolean;

  constructor({ method, code, description, retryAfterMs, migrateTo, isNotDone, isCut = false }: Failure) {
    super(`${method}: ${code ?? 'no answer'} ${description}`);
    this.method = method;
    this.code = code;
    this.description = description;
    this.retryAfterMs = retryAfterMs;
    this.migrateTo = migrateTo;
    this.isNotDone = isNotDone;
    this.isCut = isCut;
  }
}

/** It was not wanted any more. */
export function notBegun(method: string): BotApiError {
  return new BotApiError({ method, code: undefined, description: 'not begun', isNotDone: true, isCut: true });
}
