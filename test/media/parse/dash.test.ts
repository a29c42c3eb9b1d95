import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDashManifest, parseIsoDuration } from '../../../src/media/parse/markup.ts';
import { cpuMsOf } from '../../cpu-time.ts';

const MANIFEST = `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" mediaPresentationDuration="PT0H1M2.500S"><Period>
<AdaptationSet mimeType="video/mp4" codecs="avc1.64001F">
<Representation id="1" bandwidth="500000" width="540" height="960"><BaseURL>https://a.fbcdn.net/540.mp4?a=1&amp;oe=6B2F1A00</BaseURL></Representation>
<Representation id="2" bandwidth="2400000" width="1080" height="1920" codecs="vp09.00.40.08" FBContentLength="9000" FBQualityLabel="1080p"><BaseURL>https://a.fbcdn.net/1080.mp4</BaseURL><SegmentBase indexRange="1-2"/></Representation>
</AdaptationSet>
<AdaptationSet contentType="audio"><Representation mimeType="audio/mp4" bandwidth="64000" codecs="mp4a.40.5"><BaseURL>https://a.fbcdn.net/sound.mp4</BaseURL></Representation></AdaptationSet>
<AdaptationSet contentType="text"><Representation mimeType="text/vtt"><BaseURL>https://a.fbcdn.net/sub.vtt</BaseURL></Representation></AdaptationSet>
</Period></MPD>`;

describe('parseDashManifest', () => {
  it('reads each track once, video before audio, best first', () => {
    const { durationMs, variants } = parseDashManifest(MANIFEST);
    expect(durationMs).toBe(62_500);
    expect(variants.map(variant => [variant.url, variant.width, variant.hasVideo, variant.hasAudio])).toEqual([
      ['https://a.fbcdn.net/1080.mp4', 1080, true, false],
      ['https://a.fbcdn.net/540.mp4?a=1&oe=6B2F1A00', 540, true, false],
      ['https://a.fbcdn.net/sound.mp4', null, false, true],
    ]);
    expect(variants.every(variant => variant.adaptive)).toBe(true);
    expect(variants[0]).toMatchObject({ codecs: 'vp09.00.40.08', bitrate: 2_400_000, bytes: 9_000, mime: 'video/mp4' });
    expect(variants[1]).toMatchObject({ codecs: 'avc1.64001F', bitrate: 500_000 });
    expect(variants[2]).toMatchObject({ mime: 'audio/mp4', codecs: 'mp4a.40.5', height: null });
  });

  it('takes audio in the first language alone', () => {
    const track = (url: string, bandwidth: number) =>
      `<Representation mimeType="audio/mp4" bandwidth="${bandwidth}"><BaseURL>${url}</BaseURL></Representation>`;
    const { variants } = parseDashManifest(
      `<MPD><AdaptationSet lang="it">${track('a', 60_000)}${track('b', 90_000)}</AdaptationSet>` +
        `<AdaptationSet lang="en">${track('c', 120_000)}</AdaptationSet></MPD>`,
    );
    expect(variants.map(({ url }) => url)).toEqual(['b', 'a']);
  });

  it('takes the period for a manifest without a duration of its own', () => {
    expect(parseDashManifest('<MPD><Period duration="PT7.312834S"></Period></MPD>').durationMs).toBe(7_313);
  });

  it('reads entities wherever they stand, once', () => {
    const { durationMs, variants } = parseDashManifest(
      '<MPD mediaPresentationDuration="PT&#50;S"><Representation mimeType="video&#47;mp4" width="&#x39;0" codecs="a&amp;lt;b">' +
        '<BaseURL>https://a.fbcdn.net/90.mp4?a=1&#38;b=&amp;amp;c</BaseURL></Representation></MPD>',
    );
    expect(durationMs).toBe(2_000);
    expect(variants).toMatchObject([
      { url: 'https://a.fbcdn.net/90.mp4?a=1&b=&amp;c', mime: 'video/mp4', width: 90, codecs: 'a&lt;b' },
    ]);
  });

  it('keeps what came before a cut', () => {
    const { variants } = parseDashManifest(MANIFEST.slice(0, MANIFEST.indexOf('<SegmentBase')));
    expect(variants.map(variant => variant.width)).toContain(540);
  });

  it.each(['', '{}', '<MPD', '<html><body>no</body></html>', '<Representation mimeType="video/mp4"/>'])(
    'gives nothing for %j',
    xml => {
      expect(parseDashManifest(xml)).toEqual({ durationMs: null, variants: [] });
    },
  );

  it('never throws', () => {
    const pieces = [
      '<MPD>',
      '<Representation mimeType="video/mp4">',
      '<BaseURL>',
      'https://a.fbcdn.net/x',
      '</BaseURL>',
      '&amp',
      '<',
      '>',
      '"',
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string())), parts => {
        expect(Array.isArray(parseDashManifest(parts.join('')).variants)).toBe(true);
      }),
    );
  });

  it('takes a second at most for a megabyte', () => {
    for (const piece of ['<Representation mimeType="video/mp4">', '<BaseURL>', '&amp;', '<', '<MPD a="']) {
      const tookMs = cpuMsOf(() => {
        expect(parseDashManifest(piece.repeat(Math.ceil(1_000_000 / piece.length))).durationMs).toBeNull();
      });
      expect(tookMs).toBeLessThan(2_000);
    }
  });

  it.each([
    [
      'addresses in addresses',
      `<MPD><Representation width="1" height="1">${'<BaseURL>a'.repeat(450)}${'x'.repeat(400_000)}`,
    ],
    ['tracks in tracks', `<MPD>${'<Representation>'.repeat(200)}${'<a/>'.repeat(110_000)}`],
    ['elements far down', `<MPD><Representation width="1" height="1"><BaseURL>${'<a>'.repeat(100_000)}`],
  ])('takes a second at most for %s', (_, text) => {
    const tookMs = cpuMsOf(() => {
      expect(Array.isArray(parseDashManifest(text).variants)).toBe(true);
    });
    expect(tookMs).toBeLessThan(2_000);
  });
});

describe('parseIsoDuration', () => {
  it.each([
    ['PT7.312834S', 7_313],
    ['PT0H0M10.539S', 10_539],
    ['PT1H', 3_600_000],
    ['P1DT1M', 86_460_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseIsoDuration(text)).toBe(ms);
  });

  it.each([undefined, '', 'P', 'PT', '10', 'PT0S', 'P1Y', 'PT1H2', `PT${'1'.repeat(60)}S`])('%s is none', text => {
    expect(parseIsoDuration(text)).toBeNull();
  });
});
