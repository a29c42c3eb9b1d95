/** Starts the program and ends it. The head of `bot/answer/answer.ts` tells step by step what happens to a message. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, findMisspelt, loadConfig, offeredSites, readEnvironment } from './config.ts';
import type { Core } from './core.ts';
import { staySmall } from './infra/engine.ts';
import { createFailureTally } from './infra/failure-tally.ts';
import { createLogger } from './infra/log.ts';
import { openLogDestination } from './infra/log-destination.ts';

/** How long writing the last log lines may take: a pipe without a reader must not keep the process from ending. */
const FLUSH_MS = 1_000;
/** How long threads may take to end; their last writes reach a slow disk within two seconds. */
const THREADS_MS = 5_000;
/** How long the program may take to stop: tools such as `docker stop` kill it after ten seconds. */
const STOP_MS = 9_000;
/** How long threads may still take to end when STOP_MS is over. */
const LATE_THREADS_MS = 200;
/**
 * Ctrl+C in a terminal reaches both this process and npm, which passes the signal on to this process. A signal that is
 * repeated within this time therefore counts as one.
 */
const REPEAT_MS = 1_000;

const destination = openLogDestination();
/** The standard output: its reader may have gone, or its disk be full, and neither may end the program. */
const output = openLogDestination(1);

// Packages that look for their native part write a process report. By default it looks up the host name of each
// connection in turn, while the process is blocked; Node 20.13 and newer can leave that out.
if (process.report !== undefined) Reflect.set(process.report, 'excludeNetwork', true);

let endThreads: Core['endThreads'] | undefined;

async function exit(code: number, threadsMs = THREADS_MS): Promise<void> {
  await Promise.race([endThreads?.(), sleep(threadsMs)]);
  await destination.flush(FLUSH_MS);
  process.exit(code);
}

/** Runs until a signal comes, then lets running work finish. A second signal a while later ends the process at once. */
async function main(): Promise<void> {
  const environment = readEnvironment();
  const config = loadConfig(environment);
  const failures = createFailureTally();
  const log = failures.watching(createLogger({ level: config.logLevel, destination }));
  for (const warning of findMisspelt(environment)) log.warn({}, warning);
  process.on('unhandledRejection', reason => {
    log.error({ err: reason }, 'unhandled rejection');
  });
  process.on('uncaughtException', error => {
    log.error({ err: error, stack: error.stack }, 'uncaught exception');
    void exit(1);
  });
  staySmall();
  // All other libraries are loaded after the configuration was found to be valid.
  const [{ createCore }, { startRoles }, { sitesWith }] = await Promise.all([
    import('./core.ts'),
    import('./roles.ts'),
    import('./media/sources/yt-dlp-sites.ts'),
  ]);
  const descriptors = offeredSites(config, sitesWith(config.ytDlpHosts));
  const core = await createCore({ config, descriptors, searchPath: environment.PATH ?? '', log, failures });
  ({ endThreads } = core);
  const running = await startRoles(config, core, log);
  core.startFill();

  let stoppingSince: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > REPEAT_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping');
    const late = sleep(STOP_MS, 'late' as const);
    Promise.race([running.stop().then(() => core.close()), late]).then(
      outcome => {
        if (outcome !== 'late') return exit(0);
        log.warn({ stopMs: STOP_MS }, 'not all could be ended in time');
        return exit(0, LATE_THREADS_MS);
      },
      error => {
        log.error({ err: error }, 'stopping failed');
        return exit(1);
      },
    );
  };
  // SIGHUP comes when the terminal is closed.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  output.write(`Medley is ready at ${running.address}\n`);
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  destination.write(`${error instanceof ConfigError ? message : `Medley could not start: ${message}`}\n`);
  return exit(1);
});
