import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import type { SendFailure } from '../../../bot/contract/chat-platform.ts';

/**
 * Discord has said no: `too_large`, `forbidden` and `blocked` (the files may be why), `refused`, `gone` (there is nothing left to write to),
 * `reference` (it cannot be a reply to that message), `token`, `rate_limited`. Nothing has arrived: `away`, and `cut`, when the call was ended from here before it was sent as a whole. `unclear`:
 * it may have arrived.
 */
export type SendProblem =
  | 'too_large'
  | 'forbidden'
  | 'blocked'
  | 'refused'
  | 'gone'
  | 'reference'
  | 'token'
  | 'rate_limited'
  | 'away'
  | 'cut'
  | 'unclear';

interface FailureDetails {
  readonly code?: number | undefined;
  readonly retryAfterMs?: number;
  readonly isGlobal?: boolean;
  readonly isEnded?: boolean;
}

/** A request that Discord refused or that did not get through. It names no address: those of interactions contain their token. */
export class DiscordFailure extends Error {
  override readonly name = 'DiscordFailure';
  readonly problem: SendProblem;
  /** Discord's own code; undefined when Discord gave none. */
  readonly code: number | undefined;
  /** Milliseconds that Discord wants to be left alone; only of `rate_limited`. */
  readonly retryAfterMs: number | undefined;
  /** The rate limit is that of all channels. */
  readonly isGlobal: boolean;
  /** The call was ended from here: it took too long, or it was not wanted any more. */
  readonly isEnded: boolean;

  constructor(problem: SendProblem, message: string, details: FailureDetails = {}) {
    super(message);
    this.problem = problem;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
    this.isGlobal = details.isGlobal ?? false;
    this.isEnded = details.isEnded ?? false;
  }
}

/** Says what the failure means to the runtime. */
export function sendOutcome({ problem, retryAfterMs, isGlobal }: DiscordFailure): SendFailure {
  switch (problem) {
    case 'unclear':
      return { outcome: 'unknown' };
    case 'rate_limited':
      return { outcome: 'notSent', reason: 'flood', retryAfterMs, scope: isGlobal ? 'platform' : 'chat' };
    case 'too_large':
    case 'blocked':
    case 'refused':
      return { outcome: 'notSent', reason: 'refused' };
    // A channel that Medley may not write in cannot take a notice about it either.
    case 'forbidden':
    case 'gone':
    case 'reference':
      return { outcome: 'notSent', reason: 'gone' };
    case 'token':
    case 'away':
    case 'cut':
      return { outcome: 'notSent', reason: problem };
  }
}

export interface FailedCall {
  readonly method: string;
  /** The request was sent as a whole. */
  readonly isSent: boolean;
  /** The call may be made again without harm: then a 503, which by its meaning was not acted upon, is taken at its word. */
  readonly isRepeatable: boolean;
  /** The call was ended from here. */
  readonly isEnded: boolean;
}

export function discordFailure(error: unknown, call: FailedCall): DiscordFailure {
  const { method } = call;
  if (error instanceof DiscordAPIError) {
    const code = Number(error.code);
    const known = Number.isInteger(code) ? code : undefined;
    const said = known === undefined ? '' : ` (${known})`;
    return new DiscordFailure(
      problemOf(error, known),
      `${method} was answered ${error.status}${said}: ${error.message}`,
      {
        code: known,
      },
    );
  }
  if (error instanceof RateLimitError) return rateLimited(error, method);
  if (error instanceof HTTPError) {
    const problem = error.status === 503 && call.isRepeatable ? 'away' : 'unclear';
    return new DiscordFailure(problem, `${method} was answered ${error.status}`);
  }
  const reason = error instanceof Error ? error.message : 'unknown failure';
  const { isSent, isEnded } = call;
  const problem = isSent ? 'unclear' : isEnded ? 'cut' : 'away';
  return new DiscordFailure(problem, isEnded ? `${method} was ended from here` : `${method} failed: ${reason}`, {
    isEnded,
  });
}

/** Cloudflare's blocks come without a time: they go for the whole address. */
const BLOCKED_MS = 30_000;

function rateLimited(error: RateLimitError, method: string): DiscordFailure {
  const waitMs = Math.max(error.retryAfter, error.sublimitTimeout, error.timeToReset);
  const retryAfterMs = error.retryAfter > 0 ? waitMs : BLOCKED_MS;
  const isGlobal = error.global || error.retryAfter <= 0;
  return new DiscordFailure('rate_limited', `${method} may be made again in ${Math.round(retryAfterMs)} ms`, {
    retryAfterMs,
    isGlobal,
  });
}

export const ALREADY_ACKNOWLEDGED = 40_060;
export const UNKNOWN_MESSAGE = 10_008;
export const UNKNOWN_CHANNEL = 10_003;
const NO_HISTORY = 160_002;
const UNKNOWN_WEBHOOK = 10_015;
const UNKNOWN_INTERACTION = 10_062;
const INVALID_WEBHOOK_TOKEN = 50_027;

const PROBLEMS: ReadonlyMap<number, SendProblem> = new Map([
  [40_005, 'too_large'],
  [UNKNOWN_CHANNEL, 'gone'],
  [UNKNOWN_MESSAGE, 'gone'],
  [UNKNOWN_WEBHOOK, 'gone'],
  [UNKNOWN_INTERACTION, 'gone'],
  [ALREADY_ACKNOWLEDGED, 'gone'],
  // The limit of follow-ups is reached.
  [40_094, 'gone'],
  [INVALID_WEBHOOK_TOKEN, 'gone'],
  [50_001, 'forbidden'],
  [50_013, 'forbidden'],
  [50_007, 'forbidden'],
  [NO_HISTORY, 'reference'],
  [20_009, 'blocked'],
]);

const DEAD: ReadonlySet<number | undefined> = new Set([UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION, INVALID_WEBHOOK_TOKEN]);

/** Says whether an interaction can no longer be answered with its token, though its channel may still be there. */
export function isTokenDead(error: unknown): boolean {
  return error instanceof DiscordFailure && DEAD.has(error.code);
}

function problemOf({ status, rawError }: DiscordAPIError, code: number | undefined): SendProblem {
  const known = code === undefined ? undefined : PROBLEMS.get(code);
  if (known) return known;
  if (status === 401) return 'token';
  if (status === 413) return 'too_large';
  // A reply to a message that was deleted meanwhile is a form error of that one field.
  if (code === 50_035 && JSON.stringify(rawError).includes('MESSAGE_REFERENCE_UNKNOWN_MESSAGE')) return 'reference';
  if (status === 403) return 'forbidden';
  return status === 404 ? 'gone' : 'refused';
}
