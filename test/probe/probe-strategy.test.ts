import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { PostRef, Strategy } from '../../src/media/extract/source.ts';
import { createProbe, type ProbeOptions } from '../../src/probe/probe-strategy.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../fakes/post.ts';
import { type CdnAnswer, openCdn } from './open-cdn.ts';

async function probe(run: Strategy['run'], cdn: CdnAnswer = {}, more: Partial<ProbeOptions & PostRef> = {}) {
  const { form = 'reel', ...options } = more;
  const { http, asked } = await openCdn(cdn);
  const ref = { source: 'instagram', id: '1', form, url: 'https://www.instagram.com/p/1/', itemIndex: null, parts: {} };
  const strategy = { name: 'page', isAvailable: () => true, run };
  const ask = createProbe({ http, ...options });
  return { answer: await ask(strategy, ref, AbortSignal.timeout(60_000)), asked };
}

const brings =
  (post = makePost()) =>
  async () =>
    post;
const page = Buffer.from('<!DOCTYPE html><title>Sorry</title>');

describe('a way that answers with a post', () => {
  it.each([200, 206])('works where its file begins, of which a kilobyte is asked for (%i)', async status => {
    const { answer, asked } = await probe(brings(), { status });
    expect(answer).toMatchObject({ verdict: 'works', outcome: 'ok', detail: '1 video up to 720x1280' });
    expect(asked.map(({ range }) => range)).toEqual(['bytes=0-1023']);
  });

  it.each<[string, CdnAnswer, RegExp]>([
    ['is refused', { status: 403 }, /403/],
    ['is gone', { status: 404 }, /404/],
    ['fails', { status: 500 }, /500/],
    ['is a page', { type: 'text/html', body: page }, /text\/html in place of video\/mp4/],
    ['is a page under the name of a video', { body: page }, /document/],
    ['is an image', { type: 'image/jpeg' }, /image\/jpeg in place of video\/mp4/],
    ['is empty', { body: Buffer.alloc(0) }, /empty/],
  ])('fails where its file %s', async (_, cdn, detail) => {
    const { answer } = await probe(brings(), cdn);
    expect(answer).toMatchObject({ verdict: 'fails', outcome: 'no_file', detail: expect.stringMatching(detail) });
  });

  it('fails where its file is elsewhere, without asking there', async () => {
    const elsewhere = makeItem({ variants: [makeVariant({ url: 'https://files.example/a.mp4' })] });
    const { answer, asked } = await probe(brings(makePost({ items: [elsewhere] })));
    expect(answer).toMatchObject({ verdict: 'fails', outcome: 'no_file' });
    expect(asked).toEqual([]);
  });

  it('has both tracks of a video asked for, where that is what a chat gets', async () => {
    const video = makeVariant({ hasAudio: false, adaptive: true });
    const audio = makeVariant({ mime: 'audio/mp4', hasVideo: false, adaptive: true, width: null, height: null });
    const { answer, asked } = await probe(brings(makePost({ items: [makeItem({ variants: [video, audio] })] })));
    expect(answer.verdict).toBe('works');
    expect(asked).toHaveLength(2);
  });

  it('works where a post of words comes whole, and no file is asked for', async () => {
    const { answer, asked } = await probe(brings(makePost({ items: [] })), {}, { form: 'post' });
    expect(answer).toMatchObject({ verdict: 'works', outcome: 'ok', detail: 'words alone' });
    expect(asked).toEqual([]);
  });

  it.each(['reel', 'watch'])('fails where a link that says video (%s) comes as its image', async form => {
    const image = brings(makePost({ items: [makePhoto()] }));
    const { answer } = await probe(image, { type: 'image/jpeg' }, { form });
    expect(answer).toMatchObject({ verdict: 'fails', outcome: 'no_video', detail: '1 image up to 1080x1350' });
  });

  it('works where a post of any form comes as its image', async () => {
    const image = brings(makePost({ items: [makePhoto()] }));
    const { answer } = await probe(
      image,
      { type: 'image/jpeg', body: Buffer.from('\xff\xd8\xff', 'latin1') },
      { form: 'p' },
    );
    expect(answer).toMatchObject({ verdict: 'works', outcome: 'ok' });
  });

  it('fails where items are missing', async () => {
    const { answer } = await probe(brings(makePost({ missingItems: 2 })));
    expect(answer).toMatchObject({
      verdict: 'fails',
      outcome: 'incomplete',
      detail: expect.stringMatching('2 missing'),
    });
  });

  it('fails where it is slower than its budget', async () => {
    const late = async () => {
      await new Promise(resolve => setTimeout(resolve, 120));
      return makePost();
    };
    const { answer } = await probe(late, {}, { budgetMs: 60 });
    expect(answer).toMatchObject({ verdict: 'fails', outcome: 'slow' });
    expect(answer.durationMs).toBeGreaterThan(60);
  });
});

describe('a way that does not', () => {
  const fails =
    (code: AppError['code'], params = {}) =>
    async () => {
      throw new AppError(code, 'as it\n was told', { params });
    };

  it.each<[string, Strategy['run']]>([
    ['the site asks for a pause', fails('upstream_rate_limited')],
    ['it is not asked, as the site wants it left alone', fails('upstream_rate_limited', { unasked: 1 })],
    ['the site shows a challenge', fails('login_required', { challenge: 1 })],
    ['the network is away', fails('upstream_unavailable', { what: 'offline' })],
    ['our own limits kept it back', fails('timeout', { own: 1 })],
  ])('is not judged where %s', async (_, run) => {
    expect((await probe(run)).answer).toMatchObject({ verdict: 'skipped', detail: 'as it was told' });
  });

  it('is not judged where the CDN asks for a pause', async () => {
    expect((await probe(brings(), { status: 429 })).answer).toMatchObject({ verdict: 'skipped' });
  });

  it.each(['login_required', 'not_found', 'upstream_changed', 'upstream_unavailable'] as const)(
    'fails by %s',
    async code => {
      expect((await probe(fails(code))).answer).toMatchObject({ verdict: 'fails', outcome: code });
    },
  );

  it('fails where it hangs, though it ignores its signal', async () => {
    const { answer } = await probe(() => new Promise(() => undefined), {}, { timeoutMs: 50 });
    expect(answer).toMatchObject({ verdict: 'fails', outcome: 'timeout' });
  });
});
