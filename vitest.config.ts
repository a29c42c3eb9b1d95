import { defineConfig } from 'vitest/config';

/** Started programs and browsers, which take all processors, so that few run at once; they take the longest, so they begin first. */
const PROGRAMS = [
  'test/end-to-end/**/*.test.ts',
  'test/**/*.e2e.test.ts',
  'test/{infra/redis,media/large-pages}/**/*.test.ts',
  'test/infra/http/http-*.test.ts',
  'test/platforms/evening.test.ts',
];
/** These look at what all files of a worker share, the globals and the connections of their process, so each has a worker to itself. */
const ALONE = ['test/fakes/discord.test.ts', 'test/fakes/discord/*.test.ts', 'test/infra/http/transport.test.ts'];
/** The short forms of drills break or load the built program for minutes: `npm run test:drills`. */
const DRILLS = ['test/drills/**/*.test.ts'];
const NEVER = ['test/live/**', 'test/bench/**', ...DRILLS];

/**
 * Every wait has a bound far above what it takes, since it only catches what hangs: a slow machine, or one that stands still
 * for seconds, must not fail a test. How soon things happen is measured by the bench.
 *
 * Loading the program anew would take most of the time of a small test file, so the files that a worker runs share its
 * modules. Many workers run at once, since most of their time they wait.
 */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: 'test/build-first.ts',
    pool: 'forks',
    isolate: false,
    execArgv: ['--max-semi-space-size=64'],
    projects: [
      { extends: true, test: { name: 'drills', include: DRILLS, maxWorkers: 4 } },
      {
        extends: true,
        test: { name: 'programs', include: PROGRAMS, exclude: NEVER, maxWorkers: 5, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'modules',
          include: ['test/**/*.test.ts'],
          exclude: [...PROGRAMS, ...ALONE, ...NEVER],
          maxWorkers: 8,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, isolate: true, maxWorkers: 8, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
