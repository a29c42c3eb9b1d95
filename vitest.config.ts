import { defineConfig } from 'vitest/config';

/**
 * Every wait has a bound far above what it takes, since it only catches what hangs: a slow machine, or one that stands still
 * for seconds, must not fail a test. How soon things happen is measured by the bench.
 */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/live/**', 'test/bench/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 3,
  },
});
