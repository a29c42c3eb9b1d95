import { AppError } from '../errors.ts';

const REDACTED = '[redacted]';
const MAX_TEXT = 4_000;
const MAX_DEPTH = 6;
const MAX_CAUSES = 6;
/** The most errors that are kept of one AggregateError. */
const MAX_PARTS = 20;
/** The most values in one log line; further ones are cut. */
const MAX_VALUES = 400;

/**
 * Names whose values are secret, compared without case, `-` and `_`. A field named only `key` holds the name of a cache
 * entry, which is no secret.
 */
const SECRET_NAME =
  /token|cookie|authorization|secret|password|passwd|credential|signature|apikey|mediakey|sessionid|csrf|redisurl|^(?:sig|lsd|fbdtsg|jazoest|oh)$/;

/** Every pattern begins with a fixed word or a run of bounded length, so the search takes linear time. */
const SECRETS: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  // A token of Telegram: 123456789:AA..., alone or in /bot<token>/.
  [/\b(bot)?\d{3,12}:[\w-]{20,}/gi, `$1${REDACTED}`],
  [/\b(Bot|Bearer|Basic)(\s{1,4}|%20)(?:[\w-]+\.[\w-]+\.[\w-]+|[\w.~+/=-]{16,})/gi, `$1$2${REDACTED}`],
  // A token of Discord: id, time and HMAC in base64url.
  [/\b[\w-]{18,32}\.[\w-]{5,8}\.[\w-]{25,100}/g, REDACTED],
  [
    /((?:^|[?&;,\s"'({])(?:[\w-]{0,24}(?:token|secret|password|signature|apikey|api_key|api-key|session|sessionid|csrf)|oh|sig|lsd|fb_dtsg|jazoest|ds_user_id)(?:=|%3D))[^&;,\s"'<>)}\\]+/gi,
    `$1${REDACTED}`,
  ],
  [/\b((?:set-)?cookie|authorization|x-api-key)(["']?\s{0,4}:\s{0,4}["']?)[^\r\n"'\\]+/gi, `$1$2${REDACTED}`],
  [/(\/(?:media|v)\/)[\w-]{32,}/g, `$1${REDACTED}`],
  [/(\/(?:webhooks|interactions)\/\d{1,20}\/)[\w-]{20,}/g, `$1${REDACTED}`],
  [/(:\/\/)[^\s/@"'<>]{1,300}@/g, `$1${REDACTED}@`],
];

/** The text without tokens, cookies and signatures, and not longer than `MAX_TEXT`. */
export function scrub(text: string): string {
  // The text is cut to its final length only after the search, so that no half of a secret is left at its end.
  let clean = text.slice(0, 2 * MAX_TEXT);
  for (const [pattern, replacement] of SECRETS) clean = clean.replace(pattern, replacement);
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}… (${text.length} characters)` : clean;
}

/**
 * A copy that is plain JSON, bounded in depth and size, without secrets. An Error, at any depth, becomes `{ type, code,
 * message, stack, cause }`, or its summary if `isBrief` is set; an Error given as `details` goes under `err`.
 */
export function cleanDetails(details: object, isBrief = false): Record<string, unknown> {
  const budget = { left: MAX_VALUES, isBrief };
  if (details instanceof Error) return { err: clean(details, 0, budget) };
  return cleanObject(Object.entries(details), 0, budget);
}

interface Budget {
  left: number;
  readonly isBrief: boolean;
}

function clean(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) {
    if (!budget.isBrief) return cleanError(value, depth, budget, 0);
    return cleanObject(Object.entries(summarizeError(value)), Math.min(depth, MAX_DEPTH - 2), budget);
  }
  if (value instanceof URL) return scrub(value.href);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (Array.isArray(value) || value instanceof Set) return cleanList(value, depth, budget);
  return cleanObject(value instanceof Map ? value : Object.entries(value), depth, budget);
}

function cleanList(values: Iterable<unknown>, depth: number, budget: Budget): unknown[] {
  const list: unknown[] = [];
  for (const value of values) {
    if (budget.left-- <= 0) return [...list, '[more]'];
    list.push(clean(value, depth + 1, budget) ?? null);
  }
  return list;
}

function cleanObject(
  entries: Iterable<readonly [unknown, unknown]>,
  depth: number,
  budget: Budget,
): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  for (const [key, value] of entries) {
    if (budget.left-- <= 0) {
      kept.push(['[more]', true]);
      break;
    }
    const name = scrub(String(key));
    kept.push([name, isSecret(name, value) ? REDACTED : clean(value, depth + 1, budget)]);
  }
  return Object.fromEntries(kept);
}

/** True for a name of a secret with a value. Absent secrets and flags such as `hasToken: true` stay readable. */
function isSecret(name: string, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return false;
  return SECRET_NAME.test(name.replace(/[-_]/g, '').toLowerCase());
}

function cleanError(error: Error, depth: number, budget: Budget, causes: number): object {
  budget.left--;
  return {
    ...cleanObject(Object.entries(headOf(error, error.message)), Math.min(depth, MAX_DEPTH - 2), budget),
    ...(error.stack === undefined ? {} : { stack: scrub(error.stack) }),
    ...(error instanceof AggregateError ? { errors: cleanCauses(error.errors, depth, budget, causes) } : {}),
    ...(error.cause === undefined ? {} : { cause: cleanCause(error.cause, depth, budget, causes + 1) }),
  };
}

/** The fields of an error without its stack and its causes. */
function headOf(error: Error, message: string): object {
  const { params = {}, retryAfterMs }: Partial<AppError> = error instanceof AppError ? error : {};
  return {
    type: error.name,
    ...codeOf(error),
    message,
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(retryAfterMs !== undefined ? { retryAfterMs } : {}),
  };
}

function cleanCauses(errors: readonly unknown[], depth: number, budget: Budget, causes: number): unknown[] {
  const list = errors.slice(0, MAX_PARTS).map(error => {
    if (!(error instanceof AppError) || findMistake(error) !== undefined)
      return cleanCause(error, depth, budget, causes + 1);
    // This failure came from outside and is no bug, so its stack would add nothing to its message.
    budget.left--;
    return { type: error.name, code: error.code, message: scrub(error.message) };
  });
  return errors.length > MAX_PARTS ? [...list, '[more]'] : list;
}

function cleanCause(cause: unknown, depth: number, budget: Budget, causes: number): unknown {
  if (causes > MAX_CAUSES || budget.left <= 0) return '[more causes]';
  return cause instanceof Error ? cleanError(cause, depth, budget, causes) : clean(cause, depth + 1, budget);
}

const MAX_LISTED = 20;
/** The most characters of one message, and of all causes together. */
const MAX_MESSAGE = 140;
const MAX_LISTED_CHARS = 640;
const MIN_CAUSE = 16;
const STACK_FRAMES = 6;

/**
 * Sums up an error in a few hundred characters: its causes as `code: message`, a stack only for bugs of the program.
 * Pure; the result may still contain secrets.
 */
function summarizeError(error: Error): object {
  const causes = countRepeats(causesOf(error));
  const room = Math.max(MIN_CAUSE, Math.floor(MAX_LISTED_CHARS / Math.max(1, causes.length)));
  const mistake = findMistake(error);
  return {
    ...headOf(error, cut(error.message, MAX_MESSAGE)),
    ...(causes.length > 0 ? { causes: causes.map(cause => cut(cause, room)) } : {}),
    ...(mistake?.stack === undefined ? {} : { stack: framesOf(mistake.stack) }),
  };
}

/** All causes, depth first, without those that only repeat the error that they caused. */
function causesOf(error: Error, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  const below: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return below.slice(0, MAX_LISTED).flatMap(cause => {
    if (!(cause instanceof Error)) return cause === undefined ? [] : [String(cause)];
    const isNews = !(cause instanceof AggregateError) && !error.message.endsWith(cause.message);
    const code = codeOf(cause).code ?? cause.name;
    return [...(isNews ? [`${code}: ${cause.message}`] : []), ...causesOf(cause, depth + 1)];
  });
}

function countRepeats(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].slice(0, MAX_LISTED).map(([line, count]) => (count === 1 ? line : `${count}x ${line}`));
}

function codeOf(error: Error): { readonly code?: string | number } {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? { code } : {};
}

/** The error whose stack is worth logging: a bug, or the last cause of an `internal` error; undefined for others. */
function findMistake(error: Error): Error | undefined {
  let innermost: Error | undefined;
  let cause: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && cause instanceof Error; depth += 1) {
    innermost = cause;
    if (isMistake(cause)) return cause;
    if (cause instanceof AggregateError) {
      const found = cause.errors.find(part => part instanceof Error && findMistake(part) !== undefined);
      if (found instanceof Error) return findMistake(found);
    }
    cause = cause.cause;
  }
  return error instanceof AppError && error.code === 'internal' ? innermost : undefined;
}

/** True for a bug of the program, as opposed to an answer from outside. */
function isMistake(error: Error): boolean {
  return (
    (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) && !('code' in error)
  );
}

function framesOf(stack: string): string {
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  return frames
    .slice(0, STACK_FRAMES)
    .map(line => cut(line.trim(), 120))
    .join(' < ');
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
