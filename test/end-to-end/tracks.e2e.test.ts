import { type ChildProcess, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, browserNote, openBrowser } from '../browser.ts';
import { ffmpegMissing, ffmpegNote, ffprobe } from '../ffmpeg.ts';
import { startDemo } from './demo-program.ts';

const missing = browserMissing ?? ffmpegMissing;

/** As text: it runs in the page, whose types are not ours. */
const PLAY = `(async () => {
  const video = [...document.querySelectorAll('video')].at(-1);
  const stated = [video.getAttribute('width'), video.getAttribute('height')].map(Number);
  video.muted = true;
  await video.play();
  await new Promise(resolve => video.addEventListener('timeupdate', resolve, { once: true }));
  video.currentTime = video.duration * 0.7;
  await new Promise(resolve => video.addEventListener('seeked', resolve, { once: true }));
  const { videoWidth, videoHeight, duration, seekable } = video;
  return { shown: [videoWidth, videoHeight], stated, duration, seekable: seekable.end(0) };
})()`;

describe.skipIf(missing !== undefined)(`a reel in two tracks, in a browser${browserNote}${ffmpegNote}`, () => {
  let demo: { readonly child: ChildProcess; readonly printed: Promise<string> };
  let browser: Browser;
  let address = '';

  beforeAll(async () => {
    demo = startDemo();
    address = /^Medley is ready at (\S+)$/m.exec(await demo.printed)?.[1] ?? '';
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    demo.child.kill('SIGTERM');
  });

  async function openReel(link: string): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
    const page = await browser.newPage({ viewport: { width: 1100, height: 1000 } });
    const complaints: string[] = [];
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(error.message));
    await page.goto(address);
    const box = page.getByRole('textbox');
    await box.fill(link);
    await box.press('Enter');
    await page.locator('video').last().waitFor();
    return { page, complaints };
  }

  it.each([
    ['beside a plain file of 720p', 'https://www.instagram.com/reel/DVclaybowl1/'],
    ['alone', 'https://www.instagram.com/reel/DZtwotracks/'],
    ['on the other site', 'https://www.facebook.com/watch/?v=690117452208834'],
  ])('%s plays and is saved as 1080p with its audio', async (_, link) => {
    const { page, complaints } = await openReel(link);
    expect(await page.evaluate(PLAY)).toEqual({
      ...{ shown: [1080, 1920], stated: [1080, 1920] },
      ...{ duration: 6, seekable: 6 },
    });
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).last().click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/^[\w.]+-\d{4}-\d\d-\d\d-[\w-]+\.mp4$/);
    const path = await saved.path();
    const streams = await ffprobe(path, 'stream=codec_name,width,height');
    expect(streams).toContain('codec_name=h264\nwidth=1080\nheight=1920');
    expect(streams).toContain('codec_name=aac');
    const decoding = promisify(execFile)('/usr/bin/ffmpeg', ['-v', 'error', '-xerror', '-i', path, '-f', 'null', '-']);
    expect((await decoding).stderr).toBe('');
    expect(complaints).toEqual([]);
    await page.close();
  });
});
