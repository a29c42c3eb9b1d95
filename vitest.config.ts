import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that start programs and browsers or play a chat platform: most of their time they wait. */
const WAITING =
  /end-to-end|\.e2e\.|infra\/(?:redis|http\/http-)|large-pages|platforms\/(?:(?:discord|telegram)\/)?[\w-]+\.test/;
/** These look at what all files of a worker share, the globals and the connections of their process, so each has a worker to itself. */
const ALONE = [
  'test/fakes/discord.test.ts',
  'test/fakes/discord/*.test.ts',
  'test/infra/http/{transport,http-guard,http-proxy}.test.ts',
  'test/end-to-end/hostile.test.ts',
];
/** The web chat's page in a browser, which is the same on every Node: `.ci/run` leaves these out of its second run of the suite. */
const PAGE = ['test/platforms/web/*.e2e.test.ts'];
/** The short forms of drills break or load the built program for minutes: `npm run test:drills`. */
const DRILLS = ['test/drills/**/*.test.ts'];
const NEVER = ['test/live/**', 'test/bench/**', ...DRILLS];

/** Begins a file that waits and one that computes by turns, so that the processors have work from the first to the last. */
class Alternating extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ moduleId }) => WAITING.test(moduleId));
    const computing = sorted.filter(({ moduleId }) => !WAITING.test(moduleId));
    return sorted.flatMap((_, n) => [...waiting.slice(n, n + 1), ...computing.slice(n, n + 1)]);
  }
}

/**
 * Every wait has a bound far above what it takes, since it only catches what hangs: a slow machine, or one that stands still
 * for seconds, must not fail a test. How soon things happen is measured by the bench.
 *
 * Loading the program anew would take most of the time of a small test file, so the files that a worker runs share its
 * modules. More workers than processors run at once, since most of the time they wait; each loads the program for itself,
 * so that many of them would take longer again.
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
    maxWorkers: 7,
    sequence: { sequencer: Alternating },
    projects: [
      { extends: true, test: { name: 'drills', include: DRILLS, maxWorkers: 4, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: { name: 'suite', include: ['test/**/*.test.ts'], exclude: [...ALONE, ...PAGE, ...NEVER] },
      },
      { extends: true, test: { name: 'page', include: PAGE } },
      { extends: true, test: { name: 'alone', include: ALONE, isolate: true } },
    ],
  },
});
