import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlanWish, planDelivery, planLink, type Step } from '../../../src/media/delivery/delivery-plan.ts';
import { variantKey } from '../../../src/media/files/variant-ranking.ts';
import type { MediaItem, Variant } from '../../../src/media/post.ts';
import { makeItem, makePhoto, makeVariant } from '../../fakes/post.ts';

const MB = 1024 * 1024;

function variant(name: string, change: Partial<Variant> = {}): Variant {
  return makeVariant({ url: `https://video.xx.fbcdn.net/o1/v/${name}.mp4?oe=7F000000`, ...change });
}

const hd = (mb: number, change: Partial<Variant> = {}) =>
  variant('hd', { width: 1080, height: 1920, bytes: mb * MB, ...change });
const sd = (mb: number, change: Partial<Variant> = {}) =>
  variant('sd', { width: 540, height: 960, bytes: mb * MB, ...change });
const tiny = variant('tiny', { width: 240, height: 426, bytes: MB });
const track = (mb: number, change: Partial<Variant> = {}) =>
  variant('track', {
    ...{ adaptive: true, hasAudio: false, width: 1080, height: 1920, bytes: mb * MB, codecs: 'avc1.64001F' },
    ...change,
  });
const audio = variant('audio', {
  ...{ adaptive: true, hasVideo: false, hasAudio: true, mime: 'audio/mp4', codecs: 'mp4a.40.2' },
  ...{ width: null, height: null, bytes: MB },
});
const VP9 = { codecs: 'vp09.00.40.08' };
const AV1 = { codecs: 'av01.0.08M.08' };
const HEVC = { codecs: 'hvc1.1.6.L93.B0' };
const photo = (name: string, mb: number, change: Partial<Variant> = {}) =>
  variant(name, {
    mime: 'image/jpeg',
    hasVideo: false,
    hasAudio: false,
    width: 1440,
    height: 1800,
    bytes: mb * MB,
    ...change,
  });
const video = (...variants: Variant[]) => makeItem({ durationMs: 40_000, variants });

function wish(change: Partial<PlanWish> = {}): PlanWish {
  return { form: 'original', maxBytes: 10 * MB, refused: [], ...change };
}

const nameOf = ({ url }: Variant) => new URL(url).pathname.replace(/^.*\/|\.\w+$/g, '');

/** `kind name+name`, of the first step, else of the link. */
function way(item: MediaItem, transcode: boolean, change: Partial<PlanWish> = {}, isReachable = true): string {
  const [step] = planDelivery(item, wish(change), { transcode });
  if (step === undefined) return planLink(item, change.form ?? 'original', isReachable).target;
  return `${step.kind} ${step.parts.map(part => nameOf(part.variant)).join('+')}`;
}

describe('the chosen way', () => {
  it.each<[what: string, item: MediaItem, mb: number, withFfmpeg: string, without: string]>([
    ['one that fits', video(hd(8)), 10, 'file hd', 'file hd'],
    ['two, both fit', video(sd(3), hd(8)), 10, 'file hd', 'file hd'],
    ['two, the smaller fits', video(hd(30), sd(8)), 10, 'file sd', 'file sd'],
    ['two, a larger chat', video(hd(30), sd(8)), 50, 'file hd', 'file hd'],
    ['none fits', video(hd(30), sd(12)), 10, 'compress hd', 'page'],
    ['none fits, and none could', video(hd(30)), 0.3, 'page', 'page'],
    ['only a stamp fits', video(hd(30), tiny), 10, 'compress hd', 'file tiny'],
    ['DASH that fits', video(track(6), audio), 10, 'mux track+audio', 'mux track+audio'],
    ['DASH that is sharper', video(sd(4), track(6), audio), 10, 'mux track+audio', 'mux track+audio'],
    ['DASH as sharp as the file', video(hd(7), track(6), audio), 10, 'file hd', 'file hd'],
    ['DASH whose audio is too much', video(sd(4), track(9.5), audio), 10, 'file sd', 'file sd'],
    ['DASH that does not fit', video(track(30), audio), 10, 'compress track+audio', 'page'],
    ['DASH without audio anywhere', video(track(6)), 10, 'file track', 'file track'],
    ['VP9 beside a small H.264', video(hd(6, VP9), sd(4)), 10, 'file sd', 'file sd'],
    ['VP9 alone', video(hd(6, VP9)), 10, 'compress hd', 'file hd'],
    ['VP9 alone, too large', video(hd(60, VP9)), 10, 'compress hd', 'tunnel'],
    ['AV1 DASH beside H.264', video(track(6, AV1), audio, sd(4)), 10, 'file sd', 'file sd'],
    ['AV1 DASH alone', video(track(6, AV1), audio), 10, 'compress track+audio', 'mux track+audio'],
    ['HEVC that fits beside H.264 that does not', video(hd(6, HEVC), sd(12)), 10, 'compress hd', 'file hd'],
    ['a photo', makePhoto({ variants: [photo('p', 2)] }), 10, 'file p', 'file p'],
    [
      'a photo too large, and its sister',
      makePhoto({ variants: [photo('p', 20), photo('q', 2)] }),
      10,
      'file q',
      'file q',
    ],
    ['a photo too large', makePhoto({ variants: [photo('p', 20)] }), 10, 'convert p', 'convert p'],
    ['a GIF too large', makePhoto({ variants: [photo('p', 20, { mime: 'image/gif' })] }), 10, 'tunnel', 'tunnel'],
    ['HEIC alone', makePhoto({ variants: [photo('p', 2, { mime: 'image/heic' })] }), 10, 'convert p', 'convert p'],
    ['a photo with music', makePhoto({ variants: [photo('p', 2), audio] }), 10, 'file p', 'file p'],
  ])('%s', (_, item, mb, withFfmpeg, without) => {
    const maxBytes = mb * MB;
    expect([way(item, true, { maxBytes }), way(item, false, { maxBytes })]).toEqual([withFfmpeg, without]);
  });

  it.each<[what: string, item: MediaItem, withFfmpeg: string, without: string]>([
    ['a DASH track is put in order', video(hd(8), audio), 'convert audio', 'convert audio'],
    ['a video gives its audio, the smallest first', video(hd(30), sd(8)), 'convert sd', 'convert sd'],
    [
      'a plain audio',
      makeItem({ kind: 'audio', variants: [{ ...audio, adaptive: false }] }),
      'file audio',
      'file audio',
    ],
    [
      'Opus',
      makeItem({ kind: 'audio', variants: [{ ...audio, adaptive: false, mime: 'audio/ogg', codecs: 'opus' }] }),
      'convert audio',
      'file audio',
    ],
  ])('for the audio alone: %s', (_, item, withFfmpeg, without) => {
    expect([way(item, true, { form: 'audio' }), way(item, false, { form: 'audio' })]).toEqual([withFfmpeg, without]);
  });

  it('makes an MP3 of the audio first where that surely fits, else as without an encoder for it', () => {
    const steps = (item: MediaItem, change: Partial<PlanWish> = {}) =>
      planDelivery(item, wish({ form: 'audio', ...change }), { transcode: true, mp3: true }).map(
        ({ kind, parts: [part] }) => `${kind} ${part && nameOf(part.variant)}`,
      );
    expect(steps(video(hd(30), audio))).toEqual(['mp3 audio', 'mp3 hd', 'convert audio', 'file audio', 'convert hd']);
    expect(steps({ ...video(hd(30)), durationMs: 300_000 })).toEqual(['convert hd']);
    expect(steps(video(hd(30)), { refused: [`mp3-${variantKey(hd(30))}`] })).toEqual(['convert hd']);
    expect(steps(video(hd(30)), { broken: new Set([`mp3-${variantKey(hd(30))}`]) })).toEqual(['convert hd']);
    const music = makeItem({ kind: 'audio', durationMs: 40_000, variants: [{ ...audio, adaptive: false }] });
    expect(steps(music)).toEqual(['mp3 audio', 'file audio']);
    expect(steps(music, { form: 'original' })).toEqual(['file audio']);
  });

  it('fetches no video for an audio track that cannot fit', () => {
    const hours = (item: MediaItem) => ({ ...item, durationMs: 3 * 3_600_000 });
    const steps = (item: MediaItem, change: Partial<PlanWish> = {}) =>
      planDelivery(item, wish({ form: 'audio', ...change }), { transcode: true }).map(({ key }) => key);
    expect(steps(hours(video(hd(400), sd(200))))).toEqual([]);
    expect(steps(video(hd(30), { ...audio, bytes: 12 * MB }, sd(8)))).toHaveLength(2);
    // All videos have the same audio.
    const refused = [`convert-${variantKey(sd(8))}`];
    expect(steps(video(hd(30), sd(8)), { refused })).toEqual([]);
    expect(steps(video(hd(30), sd(8)), { broken: new Set(refused) })).toEqual([`convert-${variantKey(hd(30))}`]);
  });

  it('is the post itself where Medley cannot be reached', () => {
    expect(way(video(hd(30)), false, {}, false)).toBe('original');
    expect(way(makePhoto({ variants: [photo('p', 600)] }), false, {}, false)).toBe('original');
  });

  it('is the next when one was refused: smaller, then encoded once, smaller still', () => {
    const item = video(hd(9), sd(4));
    const refused = (...variants: Variant[]) => ({ refused: variants.map(variantKey) });
    expect(way(item, true, refused(hd(9)))).toBe('file sd');
    const [step] = planDelivery(item, wish(refused(hd(9), sd(4))), { transcode: true });
    expect(step).toMatchObject({ kind: 'compress', maxBytes: 2 * MB });
    expect(way(item, true, { refused: [...refused(hd(9), sd(4)).refused, step?.key ?? ''] })).toBe('page');
  });

  it('leaves out what could not be had, and what was to be made of it', () => {
    const broken = new Set([variantKey(track(6))]);
    expect(way(video(track(6), audio, sd(12)), true, { broken })).toBe('compress sd');
    expect(planDelivery(video(track(6), audio), wish({ broken }), { transcode: true })).toEqual([]);
  });

  it('does not believe the upstream when the file itself said otherwise', () => {
    const uncommon = new Set([variantKey(hd(6))]);
    expect(way(video(hd(6), sd(4)), false, { uncommon })).toBe('file sd');
    expect(way(video(hd(6)), true, { uncommon })).toBe('compress hd');
    expect(way(video(hd(6)), false, { uncommon })).toBe('file hd');
  });

  it('knows that two halves are too large when one of them is', () => {
    const item = video(track(11), { ...audio, bytes: null, bitrate: null }, sd(4));
    expect(way(item, false)).toBe('file sd');
  });

  it('prefers a smaller picture to a starved one', () => {
    const starved = hd(2, { bitrate: 300_000 });
    expect(way(video(starved, sd(4, { bitrate: 800_000 })), true)).toBe('file sd');
  });

  it('shares what is encoded between budgets that are nearly alike', () => {
    const keyAt = (maxBytes: number) => planDelivery(video(hd(30)), wish({ maxBytes }), { transcode: true })[0]?.key;
    expect(keyAt(10 * MB)).toBe(keyAt(10.4 * MB));
    expect(keyAt(10 * MB)).not.toBe(keyAt(25 * MB));
  });

  it('never offers what is too large or refused, whatever the item', () => {
    const any = fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      bytes: fc.option(fc.integer({ min: 1, max: 3_000_000 })),
      bitrate: fc.option(fc.integer({ min: 1, max: 9_000_000 })),
      width: fc.option(fc.integer({ min: 1, max: 4_000 })),
      codecs: fc.constantFrom(null, 'avc1.4d401f', 'vp09.00.40.08', 'mp4a.40.2', 'opus'),
      mime: fc.constantFrom('video/mp4', 'video/webm', 'audio/mp4', 'audio/ogg', 'image/jpeg', 'image/heic'),
      hasVideo: fc.boolean(),
      hasAudio: fc.option(fc.boolean()),
      adaptive: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(any, { minLength: 1, maxLength: 8, selector: each => each.name }),
        fc.constantFrom('video' as const, 'audio' as const, 'image' as const),
        fc.constantFrom('original' as const, 'audio' as const),
        fc.integer({ min: 0, max: 2_000_000 }),
        fc.boolean(),
        (shapes, kind, form, maxBytes, transcode) => {
          const item = makeItem({ kind, variants: shapes.map(({ name, ...change }) => variant(name, change)) });
          const refused = item.variants.slice(0, 1).map(variantKey);
          const steps = planDelivery(item, wish({ form, maxBytes, refused }), { transcode });
          for (const step of steps) {
            expect(step.maxBytes).toBeLessThanOrEqual(maxBytes);
            if (step.kind === 'file' || step.kind === 'mux') expect(knownBytes(step)).toBeLessThanOrEqual(maxBytes);
            const isSmaller = step.kind === 'compress' || (step.kind === 'convert' && kind === 'image');
            if (!isSmaller) expect(step.parts.map(part => part.key)).not.toContain(refused[0]);
            if (step.kind === 'compress') expect(transcode).toBe(true);
          }
          expect(new Set(steps.map(step => step.key)).size).toBe(steps.length);
        },
      ),
    );
  });
});

function knownBytes({ parts }: Step): number {
  return parts.reduce((total, { bytes }) => total + (bytes ?? 0), 0);
}
