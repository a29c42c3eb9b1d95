import { existsSync } from 'node:fs';
import { type Browser, type ConsoleMessage, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/**
 * Why tests that need a browser cannot run here, or undefined when they can: `describe.skipIf(browserMissing)`. With
 * REQUIRE_ALL=1 nothing may be skipped, so they run and `openBrowser` fails.
 */
export const browserMissing: string | undefined =
  existsSync(CHROMIUM) || process.env.REQUIRE_ALL === '1' ? undefined : `there is no ${CHROMIUM}`;

/** For the name of a suite, so that a report says why it was skipped. */
export const browserNote = browserMissing === undefined ? '' : ` (skipped: ${browserMissing})`;

/** Headless Chromium that talks to the test alone. Close it afterwards. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Whether the browser complains of the page; that Playwright keeps its service worker away is no fault of the page. */
export function isComplaint(message: ConsoleMessage): boolean {
  return ['error', 'warning'].includes(message.type()) && !message.text().includes('blocked by Playwright');
}
