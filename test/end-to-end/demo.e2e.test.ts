import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, browserNote, openBrowser } from '../browser.ts';
import { startDemo } from './demo-program.ts';

async function paste(page: Page, link: string): Promise<void> {
  const box = page.getByRole('textbox');
  await box.fill(link);
  await box.press('Enter');
}

/** Waits until the last video of the page has a frame to show. */
async function lastVideoPlays(page: Page): Promise<void> {
  await page.locator('video').last().waitFor();
  // As text: it runs in the page, whose types are not ours.
  const readyState = () => page.evaluate('[...document.querySelectorAll("video")].at(-1).readyState');
  await expect.poll(readyState).toBeGreaterThanOrEqual(2);
}

describe.skipIf(browserMissing !== undefined)(`the demo in a browser${browserNote}`, () => {
  let demo: ReturnType<typeof startDemo>;
  let browser: Browser;
  let address = '';
  let links: readonly string[] = [];

  beforeAll(async () => {
    demo = startDemo();
    const printed = await demo.printed;
    address = /^Medley is ready at (\S+)$/m.exec(printed)?.[1] ?? '';
    links = printed.match(/https:\/\/\S+/g) ?? [];
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    demo.child.kill('SIGTERM');
  });

  it.each([
    ['a phone', { width: 390, height: 844 }],
    ['a desktop', { width: 1280, height: 800 }],
  ])('plays a reel, a carousel and a Facebook reel on %s', async (_name, viewport) => {
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(error.message));
    await page.goto(address);

    await paste(page, links.find(link => link.includes('instagram.com/reel/')) ?? '');
    await lastVideoPlays(page);
    await paste(page, links.find(link => link.includes('instagram.com/p/')) ?? '');
    await page.getByText('1 / 5').waitFor();

    await paste(page, links.find(link => link.includes('facebook.com/reel/')) ?? '');
    await page.getByText('Ostvik Tram Museum').first().waitFor();
    await lastVideoPlays(page);

    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('finds beatmaps with covers to see and previews to hear, all from its own address', async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', message => complaints.push(message.text()));
    await page.goto(address);
    await paste(page, '/beatmap search lantern');
    await page.locator('.item').first().waitFor();
    const unseen =
      '[...document.querySelectorAll(".item-cover")].filter(each => !each.querySelector("img")?.naturalWidth).length';
    await expect.poll(() => page.evaluate(unseen)).toBe(0);
    await page.locator('.preview').first().click();
    await page.locator('.preview[data-state="playing"]').waitFor();
    await page.locator('.item-open').first().click();
    await page.locator('.sound-row .preview').click();
    await page.locator('.sound-row .preview[data-state="playing"]').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each(['light', 'dark'] as const)(
    'has a reference whose examples work here, with pictures of what media they bring, in the %s theme',
    async colorScheme => {
      const context = await browser.newContext({ viewport: { width: 320, height: 740 }, colorScheme });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', message => complaints.push(message.text()));
      await page.goto(`${address}docs`);
      const forms = page.locator('form.try');
      expect(await forms.count()).toBeGreaterThanOrEqual(9);
      for (const form of await forms.all()) {
        await form.getByRole('button', { name: 'Send' }).click();
        const answer = form.locator('xpath=following-sibling::div[1]');
        await answer.getByText(/^200 OK/).waitFor();
      }
      const seen = page.locator('.previews img');
      await expect.poll(() => seen.count()).toBeGreaterThanOrEqual(3);
      // A picture is fetched when it comes near, so each is gone to.
      for (const picture of await seen.all()) await picture.scrollIntoViewIfNeeded();
      const unseen = '[...document.querySelectorAll(".previews img")].filter(each => !each.naturalWidth).length';
      await expect.poll(() => page.evaluate(unseen)).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
