import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/live/**', 'test/bench/**'],
    testTimeout: 10_000,
    pool: 'forks',
    maxWorkers: 3,
  },
});
