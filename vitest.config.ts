import { defineConfig } from 'vitest/config';

/** They look at their process (memory, sockets, threads, children), or take so long that a process of their own costs nothing. */
const APART = [
  'test/infra/**/*.test.ts',
  'test/end-to-end/**/*.test.ts',
  'test/fakes/**/*.test.ts',
  'test/**/*.e2e.test.ts',
  'test/api/media/**/*.test.ts',
  'test/beatmaps/{catalogue,difficulty}/**/*.test.ts',
  'test/media/{delivery,large-pages,transcode,tunnel}/**/*.test.ts',
  'test/platforms/*.test.ts',
  'test/*.test.ts',
];
/** The short forms of drills break or load the built program for minutes: `npm run test:drills`. */
const DRILLS = ['test/drills/**/*.test.ts'];
const NEVER = ['test/live/**', 'test/bench/**', ...DRILLS];

/**
 * Every wait has a bound far above what it takes, since it only catches what hangs: a slow machine, or one that stands still
 * for seconds, must not fail a test. How soon things happen is measured by the bench.
 *
 * Most of the time of a small test file went into loading the program anew, so the files of `together` share the modules of
 * their worker, and many run at once, since most of their time they wait. Those `apart` come first: what takes long begins early.
 */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: 'test/build-first.ts',
    pool: 'forks',
    maxWorkers: 4,
    projects: [
      { extends: true, test: { name: 'drills', include: DRILLS } },
      { extends: true, test: { name: 'apart', include: APART, exclude: NEVER, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...APART, ...NEVER],
          isolate: false,
          maxWorkers: 6,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
