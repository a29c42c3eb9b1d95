import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createArtwork } from '../../../src/beatmaps/upstreams/osu-artwork.ts';
import { AppError } from '../../../src/errors.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';

const COVER = 'https://assets.ppy.sh/beatmaps/900001/covers/card@2x.jpg';
const SHAPE = { width: 640, height: 156 };

async function open(waitMs?: number) {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const http = createTestClient(Object.fromEntries(sandbox.overrides.split(',').map(pair => pair.split('=', 2))));
  const asked: string[] = [];
  const clock = { ms: Date.now() };
  const outage: { kind?: number | 'timeout' | undefined } = {};
  const counted = {
    async request(request: Parameters<typeof http.request>[0]) {
      asked.push(`${request.url}`);
      const response = await http.request(request);
      if (outage.kind === 'timeout') throw new AppError('timeout', 'too slow');
      return outage.kind === undefined ? response : { ...response, status: outage.kind };
    },
  };
  const options = { http: counted, log: createRecordingLog(), now: () => clock.ms };
  return { asked, clock, outage, artwork: createArtwork({ ...options, ...(waitMs !== undefined && { waitMs }) }) };
}

describe('artwork', () => {
  it('is a small JPEG of the shape asked for, fetched once', async () => {
    const { artwork, asked } = await open(60_000);
    const [first, again] = await Promise.all([artwork.load(COVER, SHAPE), artwork.load(COVER, SHAPE)]);
    expect(again).toBe(first);
    expect(await artwork.load(COVER, SHAPE)).toBe(first);
    expect(asked).toEqual([COVER]);
    const [head, body = ''] = first?.split(',') ?? [];
    expect(head).toBe('data:image/jpeg;base64');
    expect(await sharp(Buffer.from(body, 'base64')).metadata()).toMatchObject({ format: 'jpeg', ...SHAPE });
    expect(body.length).toBeLessThan(40_000);
  });

  it('is absent for what is not there, and remembers that', async () => {
    const { artwork, asked, clock } = await open(60_000);
    const missing = COVER.replace('900001', '900013');
    expect(await artwork.load(missing, SHAPE)).toBeUndefined();
    clock.ms += 9 * 60_000;
    expect(await artwork.load(missing, SHAPE)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it.each([503, 429, 'timeout'] as const)('is asked for again soon after %s, but not at once', async kind => {
    const { artwork, asked, clock, outage } = await open(60_000);
    outage.kind = kind;
    expect(await artwork.load(COVER, SHAPE)).toBeUndefined();
    outage.kind = undefined;
    expect(await artwork.load(COVER, SHAPE)).toBeUndefined();
    expect(asked).toHaveLength(1);
    clock.ms += 31_000;
    expect(await artwork.load(COVER, SHAPE)).toBeDefined();
  });

  it.each([
    'https://example.com/a.jpg',
    'http://a.ppy.sh/1',
    'file:///etc/hosts',
    'https://a.ppy.sh.example.com/1',
    '',
  ])('asks no other host: %s', async url => {
    const { artwork, asked } = await open();
    expect(await artwork.load(url, SHAPE)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('that is late is there the next time', async () => {
    const { artwork } = await open(0);
    expect(await artwork.load(COVER, SHAPE)).toBeUndefined();
    await expect.poll(() => artwork.load(COVER, SHAPE), { timeout: 20_000 }).toBeDefined();
  });
});
