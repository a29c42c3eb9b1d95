import { describe, expect, it } from 'vitest';
import { playlistPieces, playlistVariants } from '../../../src/media/parse/playlist.ts';
import { PLAYLIST_MIME } from '../../../src/media/post.ts';

const url = 'https://video.toy.test/watch/abc/playlist.m3u8?session=1';
const hosts = ['toy.test'];
const variants = (...lines: readonly string[]) => playlistVariants(['#EXTM3U', ...lines].join('\n'), { url, hosts });
const pieces = (...lines: readonly string[]) => playlistPieces(['#EXTM3U', ...lines].join('\r\n'), url);
const stream = { code: 'upstream_unavailable', params: { what: 'stream' } };

describe('renditions of a stream', () => {
  it('gives each as a variant, the largest first', () => {
    expect(
      variants(
        '#EXT-X-VERSION:3',
        '#EXT-X-STREAM-INF:BANDWIDTH=655600,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=360x640',
        '360p/video.m3u8?session_id=s',
        '#EXT-X-STREAM-INF:BANDWIDTH=3440800,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=720x1280',
        '720p/video.m3u8?session_id=s',
      ),
    ).toEqual([
      {
        ...{ url: 'https://video.toy.test/watch/abc/720p/video.m3u8?session_id=s', mime: PLAYLIST_MIME },
        ...{ width: 720, height: 1280, bitrate: 2_000_000, bytes: null, codecs: 'avc1.64001f, mp4a.40.2' },
        ...{ hasAudio: true, hasVideo: true, adaptive: false, expiresAt: null },
      },
      expect.objectContaining({ width: 360, height: 640, bitrate: 655_600 }),
    ]);
  });

  it('makes audio that is kept apart a track of its own, the default one of its group', () => {
    const [video, audio, ...rest] = variants(
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch, kommentiert",URI="audio/de.m3u8"',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",DEFAULT=YES,URI="audio/en.m3u8"',
      '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",URI="en.m3u8"',
      '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,URI="iframes.m3u8"',
      '#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="mp4a.40.2,avc1.64001e",RESOLUTION=640x360,AUDIO="a",SUBTITLES="s"',
      '# a comment',
      'video.m3u8',
    );
    expect(rest).toEqual([]);
    expect(video).toMatchObject({
      hasAudio: false,
      hasVideo: true,
      adaptive: true,
      codecs: 'avc1.64001e',
      height: 360,
    });
    expect(audio).toMatchObject({
      hasAudio: true,
      hasVideo: false,
      adaptive: true,
      codecs: 'mp4a.40.2',
      bitrate: null,
    });
    expect(audio?.url).toBe('https://video.toy.test/watch/abc/audio/en.m3u8');
  });

  it('leaves out what lies elsewhere, and takes audio without an address for part of the video', () => {
    const found = variants(
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="main"',
      '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"',
      'https://elsewhere.test/video.m3u8',
      '#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"',
      'http://video.toy.test/plain.m3u8',
      '#EXT-X-STREAM-INF:BANDWIDTH=3,AUDIO="a",CODECS="avc1.64001e,mp4a.40.2"',
      '/top.m3u8',
      '#EXT-X-STREAM-INF:BANDWIDTH=4,CODECS="mp4a.40.2"',
      'sound.m3u8',
      '#EXT-X-STREAM-INF:BANDWIDTH=5',
    );
    expect(found).toEqual([
      expect.objectContaining({ url: 'https://video.toy.test/top.m3u8', hasAudio: true, adaptive: false }),
      expect.objectContaining({ hasVideo: false, hasAudio: true, adaptive: true }),
    ]);
  });

  it('gives a media playlist as its own only rendition, and nothing of another text', () => {
    expect(variants('#EXTINF:4.0,', 'a.ts', '#EXT-X-ENDLIST')).toEqual([
      expect.objectContaining({ url, mime: PLAYLIST_MIME, hasAudio: null, bitrate: null, adaptive: false }),
    ]);
    expect(playlistVariants('<!doctype html>', { url, hosts })).toEqual([]);
  });

  it('takes no longer for thousands of renditions without an address', () => {
    const startedAt = performance.now();
    expect(variants(...Array.from({ length: 20_000 }, () => '#EXT-X-STREAM-INF:BANDWIDTH=1'))).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('pieces of a stream', () => {
  it('lists them with the beginning they need', () => {
    expect(
      pieces(
        '#EXT-X-TARGETDURATION:6',
        '#EXT-X-MAP:URI="init.mp4"',
        '#EXTINF:6,',
        'a.m4s',
        '#EXTINF:1.5,x',
        '/b.m4s',
        '#EXT-X-ENDLIST',
      ),
    ).toEqual([
      { url: 'https://video.toy.test/watch/abc/init.mp4', range: undefined, durationMs: 0 },
      { url: 'https://video.toy.test/watch/abc/a.m4s', range: undefined, durationMs: 6_000 },
      { url: 'https://video.toy.test/b.m4s', range: undefined, durationMs: 1_500 },
    ]);
  });

  it('reads parts of files, said or following', () => {
    const listed = pieces(
      '#EXT-X-PLAYLIST-TYPE:VOD',
      '#EXT-X-MAP:URI="all.mp4",BYTERANGE="700@0"',
      '#EXTINF:2,',
      '#EXT-X-BYTERANGE:1000@700',
      'all.mp4',
      '#EXT-X-BYTERANGE:500',
      '#EXTINF:2,',
      'all.mp4',
    );
    expect(listed.map(({ range }) => range)).toEqual([
      { first: 0, length: 700 },
      { first: 700, length: 1_000 },
      { first: 1_700, length: 500 },
    ]);
    expect(() => pieces('#EXTINF:2,', '#EXT-X-BYTERANGE:500', 'all.mp4', '#EXT-X-ENDLIST')).toThrow(
      expect.objectContaining({ code: 'upstream_changed' }),
    );
  });

  it.each([
    ['live', ['#EXTINF:2,', 'a.ts']],
    ['encrypted', ['#EXT-X-KEY:METHOD=AES-128,URI="key"', '#EXTINF:2,', 'a.ts', '#EXT-X-ENDLIST']],
    [
      'of other tracks on the way',
      ['#EXTINF:2,', 'a.ts', '#EXT-X-DISCONTINUITY', '#EXTINF:2,', 'b.ts', '#EXT-X-ENDLIST'],
    ],
    [
      'of two beginnings',
      ['#EXT-X-MAP:URI="1"', '#EXTINF:2,', 'a', '#EXT-X-MAP:URI="2"', '#EXTINF:2,', 'b', '#EXT-X-ENDLIST'],
    ],
    ['of too many pieces', [...Array(3_001).fill('#EXTINF:2,\na.ts'), '#EXT-X-ENDLIST']],
  ])('refuses a stream that is %s', (_, lines) => {
    expect(() => pieces(...lines)).toThrow(expect.objectContaining(stream));
  });

  it('refuses a master, and what is no playlist', () => {
    const changed = expect.objectContaining({ code: 'upstream_changed' });
    expect(() => pieces('#EXT-X-STREAM-INF:BANDWIDTH=1', 'a.m3u8')).toThrow(changed);
    expect(() => playlistPieces('{"error":"gone"}', url)).toThrow(changed);
  });

  it('takes a stream that says it is not encrypted', () => {
    expect(
      pieces('#EXT-X-KEY:METHOD=NONE', '#EXT-X-DISCONTINUITY', '#EXTINF:2,', 'a.ts', '#EXT-X-ENDLIST'),
    ).toHaveLength(1);
  });
});
