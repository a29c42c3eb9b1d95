import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFfmpeg, inputArguments, inspectFfmpeg, outputArguments } from '../../../src/media/transcode/ffmpeg.ts';
import {
  FFMPEG_PATH,
  ffmpegMissing,
  ffmpegNote,
  makeFolder,
  picture,
  processesNaming,
  QUICK_H264,
  ffmpeg as runReal,
} from '../../ffmpeg.ts';

const never = new AbortController().signal;

/** A folder with a program called ffmpeg that is a shell script. */
async function install(script: string): Promise<string> {
  const folder = await makeFolder();
  await writeFile(join(folder, 'ffmpeg'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'ffmpeg'), 0o755);
  return folder;
}

const TALKS = 'case "$*" in *-version*) echo "ffmpeg version 9.9-made-up Copyright";; *-encoders*)';

describe('looking for ffmpeg', () => {
  it('finds none where there is none', async () => {
    expect(await inspectFfmpeg('/nowhere:relative')).toEqual({ state: 'missing' });
    expect(await findFfmpeg({ searchPath: '' })).toBeUndefined();
  });

  it.each([
    ['does not run', 'exit 1', /exit 1/],
    ['is another program', 'echo hello', /does not say/],
    ['lacks H.264', `${TALKS} echo " A....D aac   AAC";; esac`, /lacks libx264/],
    ['lacks AAC', `${TALKS} echo " V....D libx264   H.264";; esac`, /lacks aac/],
  ])('says why one is of no use that %s', async (_, script, why) => {
    const folder = await install(script);
    const finding = await inspectFfmpeg(folder);
    expect(finding).toMatchObject({ state: 'unusable', program: join(folder, 'ffmpeg') });
    expect(finding.state === 'unusable' && finding.why).toMatch(why);
    expect(await findFfmpeg({ searchPath: folder })).toBeUndefined();
  });

  it('passes over one that is of no use for one that works', async () => {
    const useless = await install('exit 1');
    const good = await install(`${TALKS} echo " V....D libx264 x"; echo " A....D aac x";; esac`);
    const found = await findFfmpeg({ searchPath: `${useless}:${good}` });
    expect(found).toMatchObject({ program: join(good, 'ffmpeg'), version: '9.9-made-up', hasMp3: false });
  });
});

describe('running it', () => {
  const talking = `${TALKS} echo " V....D libx264 x"; echo " A....D aac x";; `;

  async function fake(script: string) {
    const folder = await install(`${talking} *) ${script};; esac`);
    const ffmpeg = await findFfmpeg({ searchPath: `${folder}:/usr/bin:/bin` });
    if (ffmpeg === undefined) throw new Error('not found');
    return { folder, ffmpeg };
  }

  it('has no more at work than there are cores, and lets who waits give up', async () => {
    const { folder, ffmpeg } = await fake('echo + >> "$0.log"; sleep 0.4; echo - >> "$0.log"');
    const cores = availableParallelism();
    const all = Array.from({ length: cores + 2 }, () => ffmpeg.run([], { signal: never, deadlineMs: 20_000 }));
    const leaving = new AbortController();
    const waiting = ffmpeg.run([], { signal: leaving.signal, deadlineMs: 20_000 });
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'timeout' });
    await Promise.all(all);
    const marks = (await readFile(join(folder, 'ffmpeg.log'), 'utf8')).trim().split('\n');
    expect(marks).toHaveLength(2 * (cores + 2));
    let atWork = 0;
    for (const mark of marks) {
      atWork += mark === '+' ? 1 : -1;
      expect(atWork).toBeLessThanOrEqual(cores);
    }
  });

  it('reports its last words when it fails', async () => {
    const { ffmpeg } = await fake('echo "moov atom not found" >&2; exit 183');
    const failure = {
      code: 'internal',
      message: 'ffmpeg failed (exit 183)',
      cause: { message: 'moov atom not found' },
    };
    await expect(ffmpeg.run(['x'], { signal: never, deadlineMs: 5_000 })).rejects.toMatchObject(failure);
  });

  it('says when another process killed it', async () => {
    const { ffmpeg } = await fake('kill -9 $$');
    const run = ffmpeg.run(['x'], { signal: never, deadlineMs: 5_000 });
    await expect(run).rejects.toMatchObject({ code: 'internal', message: 'ffmpeg failed (killed by SIGKILL)' });
  });

  it('ends it when it hangs', async () => {
    const { folder, ffmpeg } = await fake('sleep 60');
    await expect(ffmpeg.run(['x'], { signal: never, deadlineMs: 200 })).rejects.toMatchObject({ code: 'timeout' });
    expect(processesNaming(folder)).toEqual([]);
  });
});

describe.skipIf(ffmpegMissing)(`the real ffmpeg${ffmpegNote}`, () => {
  it('is found', async () => {
    expect(await findFfmpeg({ searchPath: FFMPEG_PATH })).toMatchObject({ program: '/usr/bin/ffmpeg', hasMp3: true });
  });

  it('reads videos and no file that a file names', async () => {
    const ffmpeg = await findFfmpeg({ searchPath: FFMPEG_PATH });
    const folder = await makeFolder();
    const video = join(folder, 'a b%d.mp4');
    const outputPath = join(folder, 'out.mp4');
    await runReal(...picture('64x64', 1), ...QUICK_H264, `file:${video}`);
    const convert = (path: string) =>
      ffmpeg?.run([...inputArguments(path), '-c', 'copy', ...outputArguments(outputPath, 'mp4')], {
        signal: never,
        deadlineMs: 20_000,
      });
    await convert(video);
    expect((await stat(outputPath)).size).toBeGreaterThan(500);
    const playlist = join(folder, 'list.mp4');
    await writeFile(playlist, `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:${video}\n#EXT-X-ENDLIST\n`);
    await expect(convert(playlist)).rejects.toMatchObject({ code: 'internal' });
    await writeFile(playlist, `ffconcat version 1.0\nfile '${video}'\n`);
    await expect(convert(playlist)).rejects.toMatchObject({ code: 'internal' });
  });
});
