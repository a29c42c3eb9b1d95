import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import type { SendFailure } from '../../../bot/contract/chat-platform.ts';

/**
 * The kinds of failure. Discord refused the call: `too_large`, `forbidden` and `blocked` (perhaps because of the
 * files), `refused`, `gone` (the channel or message is gone, or takes no message from Medley), `reference` (only the
 * reference to the message to reply to is not accepted), `token`, `rate_limited`. The call did not arrive: `away`
 * (Discord cannot be reached), `cut` (Medley ended it). `unclear`: the message may have been posted.
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

type FailureDetails = Partial<Pick<DiscordFailure, 'code' | 'retryAfterMs' | 'isGlobal' | 'isEnded'>>;

/**
 * A request that Discord refused, or that failed on its way. The request's address is left out, because it contains the
 * token when an interaction is answered.
 */
export class DiscordFailure extends Error {
  override readonly name = 'DiscordFailure';
  readonly problem: SendProblem;
  /** Discord's own code for the error; undefined if it gave none. */
  readonly code: number | undefined;
  /** The milliseconds that Discord asks to wait, if the problem is `rate_limited`. */
  readonly retryAfterMs: number | undefined;
  /** True when the rate limit applies to all channels, and not only to the one that was called. */
  readonly isGlobal: boolean;
  /** True when Medley ended the call, because it took too long or was no longer wanted. */
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

/** Converts the failure into the outcome that bot/runtime expects. */
export function sendOutcome({ problem, code, retryAfterMs, isGlobal }: DiscordFailure): SendFailure {
  switch (problem) {
    case 'unclear':
      return { outcome: 'unknown' };
    case 'rate_limited':
      return { outcome: 'notSent', reason: 'flood', retryAfterMs, scope: isGlobal ? 'platform' : 'chat' };
    case 'too_large':
    case 'blocked':
    case 'refused':
      return { outcome: 'notSent', reason: 'refused' };
    // Without the right to write to the channel, Medley cannot send a notice about the failure either.
    case 'forbidden':
    case 'gone':
    case 'reference':
      return { outcome: 'notSent', reason: 'gone', ...(BARRED.has(code) && { isBarred: true }) };
    case 'token':
    case 'away':
    case 'cut':
      return { outcome: 'notSent', reason: problem };
  }
}

/**
 * The failure of a call.
 * @param isSent whether the request had been sent completely
 * @param isRepeatable whether a repeat would do no harm. If so, a 503 counts as a failure to reach Discord, after which
 * the call can be repeated even if Discord has carried it out.
 * @param isEnded whether it was Medley that ended the call
 */
export function discordFailure(
  error: unknown,
  method: string,
  { isSent, isRepeatable, isEnded }: Readonly<Record<'isSent' | 'isRepeatable' | 'isEnded', boolean>>,
): DiscordFailure {
  if (error instanceof DiscordAPIError) {
    const code = Number.isInteger(Number(error.code)) ? Number(error.code) : undefined;
    const said = code === undefined ? '' : ` (${code})`;
    const message = `${method} was answered ${error.status}${said}: ${error.message}`;
    return new DiscordFailure(problemOf(error, code), message, { code });
  }
  if (error instanceof RateLimitError) return rateLimited(error, method);
  if (error instanceof HTTPError) {
    const problem = error.status === 503 && isRepeatable ? 'away' : 'unclear';
    return new DiscordFailure(problem, `${method} was answered ${error.status}`);
  }
  const problem = isEnded ? 'cut' : 'away';
  const reason = error instanceof Error ? error.message : 'unknown failure';
  const message = isEnded ? `${method} was ended from here` : `${method} failed: ${reason}`;
  return new DiscordFailure(isSent ? 'unclear' : problem, message, { isEnded });
}

/** How long to wait when a rate limit states no time, as when Cloudflare blocks this network address. */
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
const NO_PERMISSION = 50_013;
const THREAD_LOCKED = 160_005;

/** Codes for channels that exist and in which moderators may let Medley write again, such as after locking them. */
const BARRED: ReadonlySet<number | undefined> = new Set([NO_PERMISSION, THREAD_LOCKED]);

const PROBLEMS: ReadonlyMap<number, SendProblem> = new Map([
  [40_005, 'too_large'],
  [50_045, 'too_large'],
  [UNKNOWN_CHANNEL, 'gone'],
  [UNKNOWN_MESSAGE, 'gone'],
  [UNKNOWN_WEBHOOK, 'gone'],
  [UNKNOWN_INTERACTION, 'gone'],
  [ALREADY_ACKNOWLEDGED, 'gone'],
  // This is Discord's code for too many follow-ups.
  [40_094, 'gone'],
  [INVALID_WEBHOOK_TOKEN, 'gone'],
  [NO_PERMISSION, 'forbidden'],
  // Medley may not see the channel, or the person takes no messages from it: no other message would be accepted either.
  [50_001, 'gone'],
  [50_007, 'gone'],
  [50_278, 'gone'],
  // Nothing can be posted in an archived or a locked thread.
  [50_083, 'gone'],
  [THREAD_LOCKED, 'gone'],
  [NO_HISTORY, 'reference'],
  [20_009, 'blocked'],
  // Cloudflare blocked the request before it reached Discord.
  [40_333, 'away'],
]);

/**
 * Statuses with which a proxy may answer in Discord's place. Such an answer is a page without an error code of
 * Discord's, and says nothing about channels and tokens, so it counts as a failure to reach Discord.
 */
const PAGES: ReadonlySet<number> = new Set([401, 403, 404]);

const DEAD: ReadonlySet<number | undefined> = new Set([UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION, INVALID_WEBHOOK_TOKEN]);

/** True when an interaction's token is no longer of use, although its channel may still exist. */
export function isTokenDead(error: unknown): boolean {
  return error instanceof DiscordFailure && DEAD.has(error.code);
}

function problemOf({ status, rawError }: DiscordAPIError, code: number | undefined): SendProblem {
  const known = code === undefined ? undefined : PROBLEMS.get(code);
  if (known) return known;
  if (code === undefined && PAGES.has(status)) return 'away';
  if (status === 401) return 'token';
  if (status === 413) return 'too_large';
  // If the message to reply to was deleted, Discord calls it an invalid field of the form.
  if (code === 50_035 && JSON.stringify(rawError).includes('MESSAGE_REFERENCE_UNKNOWN_MESSAGE')) return 'reference';
  if (status === 403) return 'forbidden';
  return status === 404 ? 'gone' : 'refused';
}
