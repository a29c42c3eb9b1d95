import { existsSync } from 'node:fs';
import { type Browser, type ConsoleMessage, chromium } from 'playwright-core';

/** Chromium's headless shell needs less than half the processor time of the whole Chromium; either will do. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const WHOLE = '/usr/bin/chromium';
const CHROMIUM = [HEADLESS_SHELL, WHOLE].find(path => existsSync(path));

/**
 * Why tests that need a browser cannot run here, or undefined when they can: `describe.skipIf(browserMissing)`. With
 * REQUIRE_ALL=1 nothing may be skipped, so they run and `openBrowser` fails.
 */
export const browserMissing: string | undefined =
  CHROMIUM !== undefined || process.env.REQUIRE_ALL === '1'
    ? undefined
    : `there is neither ${HEADLESS_SHELL} nor ${WHOLE}`;

/** For the name of a suite, so that a report says why it was skipped. */
export const browserNote = browserMissing === undefined ? '' : ` (skipped: ${browserMissing})`;

/** Headless Chromium that talks to the test alone. Close it afterwards. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? HEADLESS_SHELL,
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
