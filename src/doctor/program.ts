/** Code that the doctor's programs share: reading the command line, showing progress, and running the program. */
import { parseArgs } from 'node:util';

/** The error for a wrong command line; its message says what is wrong. */
class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

function parse(args: readonly string[], takesLive: boolean) {
  try {
    const options = takesLive ? { live: { type: 'boolean' } as const } : {};
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (cause) {
    // Only the first sentence is used. The next advises to write `--`, which does not work: npm takes `--` for itself.
    const [reason] = String(cause instanceof Error ? cause.message : cause).split('. ');
    const usage = takesLive ? 'npm run doctor [-- --live [LINK ...]]' : 'npm run live [-- LINK ...]';
    throw new ArgumentError(`${reason}. Usage: ${usage}`, { cause });
  }
}

/** Reads the command line: whether it says `--live`, and the links of posts to fetch. @throws ArgumentError */
export function readArguments(args: readonly string[], { takesLive }: { readonly takesLive: boolean }) {
  const { values, positionals: links } = parse(args, takesLive);
  const live = 'live' in values && values.live === true;
  if (links.length > 0 && takesLive && !live) throw new ArgumentError('Links are asked for with --live LINK ...');
  if (links.some(link => !link.startsWith('https://'))) throw new ArgumentError('A link begins with https://');
  return { live, links };
}

/** Shows progress in one line that is overwritten, if the output is a terminal. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text.slice(0, 100)}\u001b[K`);
}

/**
 * Runs a program and ends with its result as the exit code. After a wrong command line or an `Expected` error, only the
 * error's message is printed. After any other error, `failure` and the whole error are printed.
 */
export function run(program: () => Promise<number>, failure: string, Expected: new (message: string) => Error): void {
  // A program such as `head` closes the output when it has read enough; that is no failure of the doctor.
  process.stdout.on('error', () => process.exit(1));
  program().then(
    code => {
      process.exitCode = code;
    },
    (error: unknown) => {
      const isOurs = error instanceof Expected || error instanceof ArgumentError;
      process.stderr.write(`${isOurs ? error.message : `${failure}: ${String(error)}`}\n`);
      process.exitCode = 1;
    },
  );
}
