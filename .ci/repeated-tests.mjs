/**
 * A reporter of vitest for `--retry=1`: prints each test that passed only at its second attempt, with what failed at the first, and fails the
 * run if there are more than three. A machine that others share stands still now and then; a test that needs its second attempt often is
 * wrong, or has found a race.
 */
const MOST = 3;

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class RepeatedTests {
  onTestRunEnd(modules) {
    const tests = modules.flatMap(module => [...module.children.allTests()]);
    const repeated = tests.filter(test => test.diagnostic()?.flaky === true);
    for (const test of repeated) {
      const [error] = test.result().errors ?? [];
      process.stdout.write(
        `passed at the second attempt: ${test.module.relativeModuleId} > ${test.fullName}: ${error?.message ?? 'no error is known'}\n`,
      );
    }
    if (repeated.length > MOST) {
      process.stdout.write(`${repeated.length} tests needed a second attempt; ${MOST} may\n`);
      process.exitCode = 1;
    }
  }
}
