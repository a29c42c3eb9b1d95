import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planCompression } from '../../../src/media/transcode/compression-plan.ts';
import type { Probe } from '../../../src/media/transcode/probe.ts';

const MIB = 1024 * 1024;
const video = (changes: Partial<Probe> = {}): Probe => ({
  kind: 'video',
  width: 1920,
  height: 1080,
  durationMs: 60_000,
  videoCodec: 'avc',
  audioCodec: 'aac',
  hasAudio: true,
  frameRate: 30,
  fastStart: true,
  isCommon: true,
  hdr: null,
  isFragmented: false,
  ...changes,
});

describe('the plan of a compression', () => {
  it.each([
    // seconds, frames, cores, MiB, then: shape, frames, preset, audio
    [5, 30, 2, 10, '1920x1080', 30, 'veryfast', 128_000],
    [8, 60, 2, 10, '1920x1080', 60, 'veryfast', 128_000],
    [30, 30, 2, 10, '1600x900', 30, 'veryfast', 128_000],
    [60, 30, 2, 10, '1280x720', 30, 'veryfast', 128_000],
    [60, 30, 8, 10, '1280x720', 30, 'veryfast', 128_000],
    [60, 60, 2, 10, '1280x720', 30, 'superfast', 128_000],
    [180, 30, 2, 10, '640x360', 30, 'superfast', 64_000],
    [600, 30, 2, 10, '480x270', 15, 'superfast', 40_000],
    [60, 30, 2, 50, '1920x1080', 30, 'superfast', 128_000],
    [180, 30, 2, 50, '1600x900', 30, 'superfast', 128_000],
  ])('for %i s of 1080p at %i frames on %i cores into %i MiB', (seconds, frameRate, cores, mebibytes, ...expected) => {
    const plan = planCompression(video({ durationMs: seconds * 1_000, frameRate }), mebibytes * MIB, cores);
    const { width, height, maxFrameRate, preset, audioBitrate } = plan ?? {};
    expect([`${width}x${height}`, maxFrameRate, preset, audioBitrate]).toEqual(expected);
  });

  it.each([
    ['its length is not known', video({ durationMs: null }), 10],
    ['it is audio', video({ kind: 'audio', width: null, height: null }), 10],
    ['it would not be worth watching', video({ durationMs: 3_600_000 }), 10],
    ['there is no room at all', video(), 0.001],
    ['it would take for ever', video({ durationMs: 5 * 3_600_000 }), 10_000],
  ])('is not made when %s', (_, probe, mebibytes) => {
    expect(planCompression(probe, mebibytes * MIB, 2)).toBeUndefined();
  });

  it('keeps an upright video upright', () => {
    expect(planCompression(video({ width: 1080, height: 1920 }), 10 * MIB, 2)).toMatchObject({
      width: 720,
      height: 1280,
    });
  });

  it('gives no room to the audio of a silent video', () => {
    const silent = planCompression(video({ hasAudio: false, audioCodec: null }), 10 * MIB, 2);
    expect(silent?.audioBitrate).toBe(0);
    expect(silent?.videoBitrate).toBeGreaterThan(planCompression(video(), 10 * MIB, 2)?.videoBitrate ?? 0);
  });

  it('always stays within the budget, the frame and reason', () => {
    const probes = fc.record({
      width: fc.integer({ min: 2, max: 8_000 }),
      height: fc.integer({ min: 2, max: 8_000 }),
      durationMs: fc.integer({ min: 1, max: 4_000_000 }),
      frameRate: fc.option(fc.double({ min: 0.1, max: 240, noNaN: true })),
      hasAudio: fc.boolean(),
    });
    fc.assert(
      fc.property(
        probes,
        fc.integer({ min: 1, max: 200 * MIB }),
        fc.integer({ min: 1, max: 64 }),
        (probe, maxBytes, cores) => {
          const plan = planCompression(video(probe), maxBytes, cores);
          if (plan === undefined) return;
          const seconds = probe.durationMs / 1_000;
          const bits = plan.videoBitrate * seconds + plan.bufferBits + plan.audioBitrate * seconds;
          expect(bits / 8).toBeLessThanOrEqual(maxBytes * 0.98);
          expect(plan.limitBytes).toBeLessThanOrEqual(maxBytes * 0.98);
          expect([plan.width % 2, plan.height % 2]).toEqual([0, 0]);
          expect(plan.width).toBeLessThanOrEqual(Math.max(2, Math.min(1920, probe.width + 1)));
          expect(plan.height).toBeLessThanOrEqual(Math.max(2, Math.min(1920, probe.height + 1)));
          expect(plan.deadlineMs).toBeLessThanOrEqual(600_000);
        },
      ),
    );
  });
});
