import { createRequire } from 'node:module';

/**
 * Why tests that need the browser transport cannot run here, or undefined when they can: `describe.skipIf(wreqMissing)`. With
 * REQUIRE_ALL=1 nothing may be skipped, so they run and fail.
 */
export const wreqMissing: string | undefined =
  isInstalled() || process.env.REQUIRE_ALL === '1' ? undefined : 'the optional package wreq-js is not installed';

/** For the name of a suite, so that a report says why it was skipped. */
export const wreqNote = wreqMissing === undefined ? '' : ` (skipped: ${wreqMissing})`;

function isInstalled(): boolean {
  try {
    createRequire(import.meta.url)('wreq-js');
    return true;
  } catch {
    // Missing, or without a part for this system.
    return false;
  }
}
