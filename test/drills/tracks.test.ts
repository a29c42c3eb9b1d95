import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealTunnelFile } from '../../src/media/tunnel/tunnel-token.ts';
import { type Program, startProgram } from '../end-to-end/program.ts';
import { ffmpeg, ffmpegMissing, ffmpegNote, makeSharedFolder, picture, QUICK_H264, tone } from '../ffmpeg.ts';

const HOST = 'scontent.cdninstagram.com';
const MB = 1024 * 1024;
const KEY = randomBytes(32);

/** The kernel's own mark of the largest resident memory: a sample that comes late on a busy machine would miss it. */
function peakBytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Sets that mark to what is resident now. */
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** A file may be removed while the folder is read. */
function sizeOf(path: string): number {
  const entry = statSync(path, { throwIfNoEntry: false });
  return entry?.isFile() === true ? entry.size : 0;
}

describe.skipIf(ffmpegMissing)(`large tracks through the program${ffmpegNote}`, () => {
  let folder: Awaited<ReturnType<typeof makeSharedFolder>>;
  let cdn: Server;
  let medley: Program;
  let address = '';
  let asked = 0;

  beforeAll(async () => {
    folder = await makeSharedFolder();
    const [short, video, audio] = ['short.mp4', 'video.mp4', 'audio.m4a'].map(name => join(folder.path, name));
    const fragments = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof'];
    const rate = ['-b:v', '24M', '-maxrate', '24M', '-bufsize', '24M', '-g', '30'];
    await ffmpeg(...picture('1080x1920', 3), ...QUICK_H264, ...rate, '-f', 'mp4', `${short}`);
    await ffmpeg('-stream_loop', '6', '-i', `${short}`, '-c', 'copy', ...fragments, `${video}`);
    await ffmpeg(...tone(21), '-c:a', 'aac', ...fragments, '-f', 'mp4', `${audio}`);
    cdn = createServer((request, response) => {
      asked += 1;
      const isVideo = request.url?.includes('video') === true;
      const path = join(folder.path, isVideo ? 'video.mp4' : 'audio.m4a');
      response.writeHead(200, {
        'content-type': isVideo ? 'video/mp4' : 'audio/mp4',
        'content-length': statSync(path).size,
      });
      createReadStream(path).pipe(response);
    });
    await new Promise<void>(resolve => cdn.listen(0, '127.0.0.1', resolve));
    const at = cdn.address();
    const port = typeof at === 'object' && at !== null ? at.port : 0;
    medley = await startProgram({
      ...{ UPSTREAM_OVERRIDES: `${HOST}=http://127.0.0.1:${port}`, MEDIA_KEY: KEY.toString('hex') },
      ...{ PATH: '', MEDIA_CACHE_MB: '0', DATA_DIR: join(folder.path, 'data') },
    });
    address = await medley.ready;
  });

  afterAll(async () => {
    await medley?.kill();
    cdn?.closeAllConnections();
    cdn?.close();
    await folder?.remove();
  });

  function urlOf(post: string): string {
    const tracks = { video: `https://${HOST}/video-${post}.mp4`, audio: `https://${HOST}/audio-${post}.m4a` };
    const token = sealTunnelFile(KEY, {
      ...{ post: { source: 'instagram', id: post }, index: 0, url: tracks.video, tracks },
      ...{ mime: 'video/mp4', fileName: 'a.mp4', expiresAt: Date.now() + 600_000 },
    });
    return `${address}media/${token}`;
  }

  /** Reads all of it, and says when the first byte came and how many there were. */
  async function read(post: string): Promise<{ readonly firstByteMs: number; readonly bytes: number }> {
    const startedAt = performance.now();
    const response = await fetch(urlOf(post), { headers: { range: 'bytes=0-' } });
    expect(response.status).toBe(206);
    let firstByteMs = 0;
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      firstByteMs ||= performance.now() - startedAt;
      bytes += chunk.length;
    }
    expect(bytes).toBe(Number(response.headers.get('content-length')));
    return { firstByteMs, bytes };
  }

  /** The largest resident memory of the program while something runs. */
  async function peakDuring(work: () => Promise<unknown>): Promise<number> {
    const { pid = 0 } = medley.child;
    resetPeak(pid);
    await work();
    return peakBytes(pid);
  }

  const onDisk = (path = join(folder.path, 'data', 'spool', 'streams')): number =>
    readdirSync(path, { recursive: true, encoding: 'utf8' }).reduce(
      (total, name) => total + sizeOf(join(path, name)),
      0,
    );

  it('takes no more memory for ten of them than for one, nor for four at once, and no more disk than it may', async () => {
    let reading = { firstByteMs: 0, bytes: 0 };
    const one = await peakDuring(async () => {
      reading = await read('first');
    });
    const peaks = [];
    for (let post = 0; post < 10; post += 1) peaks.push(await peakDuring(() => read(`post${post}`)));
    const together = await peakDuring(() => Promise.all(['a', 'b', 'c', 'd'].map(read)));
    const mega = (bytes: number) => Math.round(bytes / MB);
    const figures = [
      `${mega(reading.bytes)} MB`,
      `first byte after ${Math.round(reading.firstByteMs)} ms`,
      `peaks of RSS in MB: the first ${mega(one)}, then ${peaks.map(mega).join(' ')}, four at once ${mega(together)}`,
      `on the disk ${mega(onDisk())}`,
    ];
    process.stdout.write(`${figures.join('; ')}\n`);
    expect(reading.bytes).toBeGreaterThan(40 * MB);
    const settled = Math.max(...peaks.slice(0, 5));
    // Less than one file in five more: the allocator keeps what it was given for a while.
    expect(Math.max(...peaks.slice(5)) - settled).toBeLessThan(60 * MB);
    expect(together - settled).toBeLessThan(120 * MB);
    await expect.poll(onDisk).toBeLessThanOrEqual(256 * MB);
  }, 600_000);

  it('puts them together once for ten readers at once', async () => {
    asked = 0;
    const readings = await Promise.all(Array.from({ length: 10 }, () => read('shared')));
    expect(new Set(readings.map(({ bytes }) => bytes)).size).toBe(1);
    // A track that is larger than what was thought of is asked for again with room for it.
    expect(asked).toBeLessThanOrEqual(3);
  });

  it('leaves nothing behind for readers who leave, and ends with SIGTERM while others read', async () => {
    const before = onDisk();
    asked = 0;
    const left = get(urlOf('left'), { agent: false });
    left.on('error', () => undefined);
    // The files of the last readers may go meanwhile.
    await expect.poll(() => asked > 0 && onDisk() !== before, { interval: 5 }).toBe(true);
    left.destroy();
    await expect.poll(onDisk).toBeLessThanOrEqual(before);
    const [slow] = await once(get(urlOf('slow'), { agent: false }), 'response');
    medley.child.kill('SIGTERM');
    expect((await buffer(slow)).length).toBeGreaterThan(40 * MB);
    expect(await medley.ended).toBe(0);
    expect(onDisk()).toBe(0);
  });
});
