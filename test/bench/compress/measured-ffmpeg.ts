import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ffmpeg, findFfmpeg } from '../../../src/media/transcode/ffmpeg.ts';

/** An ffmpeg whose processor time is counted, every process of it. */
export interface MeasuredFfmpeg {
  readonly ffmpeg: Ffmpeg;
  /** Seconds of processor time, user and system, of ffmpeg and of this process while `work` runs. */
  cpuSecondsOf(work: () => Promise<unknown>): Promise<number>;
}

/** Puts a script called ffmpeg in `folder`, which runs the real one and writes down what it took. */
export async function measureFfmpeg(folder: string): Promise<MeasuredFfmpeg | undefined> {
  const real = await findFfmpeg({ searchPath: process.env.PATH ?? '' });
  if (real === undefined) return undefined;
  const log = join(folder, 'times.txt');
  const script = join(folder, 'ffmpeg');
  await writeFile(script, `#!/bin/sh\n"${real.program}" "$@"\nend=$?\ntimes >> "${log}"\nexit $end\n`);
  await chmod(script, 0o755);
  const ffmpeg = await findFfmpeg({ searchPath: `${folder}:/usr/bin:/bin` });
  if (ffmpeg?.program !== script) throw new Error('the counted ffmpeg is not found');
  return {
    ffmpeg,
    async cpuSecondsOf(work) {
      await rm(log, { force: true });
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      return sumOf(await readFile(log, 'utf8')) + (user + system) / 1e6;
    },
  };
}

/** `times` prints `0m1.50s 0m0.10s`, a line for the shell and one for what it ran. */
function sumOf(log: string): number {
  const all = [...log.matchAll(/(\d+)m([\d.]+)s/g)];
  return all.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}
