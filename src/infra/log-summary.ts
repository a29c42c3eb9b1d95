import { AppError } from '../errors.ts';

/** The form of an error in a log line that shows no stacks. */
export interface ErrorSummary {
  readonly type: string;
  readonly code?: string | number;
  readonly message: string;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly retryAfterMs?: number;
  /** The causes of the error, each as `code: message`; repeated ones are counted. */
  readonly causes?: readonly string[];
  /** The line of code where the error was thrown, only for bugs of the program. */
  readonly stack?: string;
}

const MAX_DEPTH = 6;
const MAX_CAUSES = 20;
/** The most characters of one message, and of all causes together. */
const MAX_MESSAGE = 140;
const MAX_CAUSES_CHARS = 640;
const MIN_CAUSE = 16;
const STACK_FRAMES = 6;

/** Sums up an error in a few hundred characters. Pure; the result may still contain secrets. */
export function summarizeError(error: Error): ErrorSummary {
  const causes = countRepeats(causesOf(error));
  const room = Math.max(MIN_CAUSE, Math.floor(MAX_CAUSES_CHARS / Math.max(1, causes.length)));
  const mistake = findMistake(error);
  return {
    type: error.name,
    ...codeOf(error),
    message: cut(error.message, MAX_MESSAGE),
    ...(error instanceof AppError && Object.keys(error.params).length > 0 ? { params: error.params } : {}),
    ...(error instanceof AppError && error.retryAfterMs !== undefined ? { retryAfterMs: error.retryAfterMs } : {}),
    ...(causes.length > 0 ? { causes: causes.map(cause => cut(cause, room)) } : {}),
    ...(mistake?.stack === undefined ? {} : { stack: framesOf(mistake.stack) }),
  };
}

/** All causes, depth first, without those that only repeat the error that they caused. */
function causesOf(error: Error, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  const below: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return below.slice(0, MAX_CAUSES).flatMap(cause => {
    if (!(cause instanceof Error)) return cause === undefined ? [] : [String(cause)];
    const isNews = !(cause instanceof AggregateError) && !error.message.endsWith(cause.message);
    const code = codeOf(cause).code ?? cause.name;
    return [...(isNews ? [`${code}: ${cause.message}`] : []), ...causesOf(cause, depth + 1)];
  });
}

function countRepeats(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].slice(0, MAX_CAUSES).map(([line, count]) => (count === 1 ? line : `${count}x ${line}`));
}

/** The code of an error, if it has one. */
export function codeOf(error: Error): { readonly code?: string | number } {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? { code } : {};
}

/** The innermost error that is a bug of the program: its stack is worth logging. */
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
export function isMistake(error: Error): boolean {
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
