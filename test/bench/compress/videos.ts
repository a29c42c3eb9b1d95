import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Ffmpeg } from '../../../src/media/transcode/ffmpeg.ts';

/** Six kinds of 1080p video with a tone, made by ffmpeg's own sources. */
export const KINDS = ['still with text', 'slow pan', 'fast motion', 'grain', 'cuts', 'dark gradient'] as const;
export type Kind = (typeof KINDS)[number];

const DEADLINE_MS = 1_200_000;
/** A drawing read once and shown for ever. */
const HELD = 'loop=-1:1,setpts=N/30/TB,fps=30,format=yuv420p';
const FONT = createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf');
const TEXT = 'Small letters suffer first when frames get smaller 0123456789';

/** Two large drawings full of fine lines, over which the frames move. */
async function drawings(ffmpeg: Ffmpeg, folder: string, signal: AbortSignal): Promise<readonly [string, string]> {
  const fine = join(folder, 'fine.png');
  const coarse = join(folder, 'coarse.png');
  const size = 's=2880x1620:end_pts=1';
  const sources = [
    [`mandelbrot=${size}:maxiter=400:start_scale=0.02:end_scale=0.02`, fine],
    [`mandelbrot=${size}:maxiter=300:start_x=-0.74:start_y=-0.13:start_scale=0.3:end_scale=0.3`, coarse],
  ] as const;
  for (const [source, path] of sources) {
    await ffmpeg.run(['-f', 'lavfi', '-i', source, '-frames:v', '1', path], { signal, deadlineMs: DEADLINE_MS });
  }
  return [fine, coarse];
}

const letters = (size: number, y: number) =>
  `drawtext=fontfile='${FONT}':text='${TEXT}':fontsize=${size}:fontcolor=white:box=1:boxcolor=black@0.6:x=120:y=${y}`;
const frame = 'crop=1920:1080';
const scene = 'floor(t/1.5)';

/** From the fine drawing (0), the coarse one (1), test frames (2) and a gradient (3) to `[v]`. */
const FILTERS: Readonly<Record<Kind, string>> = {
  'still with text': `[0]${frame}:400:200,${letters(44, 160)},${letters(22, 760)},${letters(16, 860)}[v]`,
  'slow pan': `[0]${frame}:x='100+mod(20*t,800)':y='100+mod(9*t,400)'[v]`,
  'fast motion': `[1]${frame}:x='480+440*sin(2.1*t)':y='270+250*cos(2.9*t)',rotate='0.5*sin(t*1.3)'[v]`,
  grain: `[0]${frame}:x='100+10*t':y=200,noise=alls=18:allf=t[v]`,
  cuts: [
    `[0]${frame}:x='mod(${scene}*331,900)+20*mod(t,1.5)':y='mod(${scene}*137,500)'[a]`,
    `[1]${frame}:x='mod(${scene}*277,900)':y='mod(${scene}*91,400)+20*mod(t,1.5)'[b]`,
    `[a][b]overlay=enable='mod(${scene},2)'[c]`,
    `[c][2]overlay=enable='eq(mod(${scene},5),4)'[v]`,
  ].join(';'),
  'dark gradient': '[3]noise=alls=3:allf=t[v]',
};

const GRADIENT = 'gradients=s=1920x1080:r=30:c0=0x050810:c1=0x202838:c2=0x100a18:nb_colors=3:speed=0.006';

/** Makes them, as a platform would send them: H.264 of at most 12 Mbit/s with a key frame every three seconds. */
export async function makeVideos(ffmpeg: Ffmpeg, folder: string, seconds: number): Promise<ReadonlyMap<Kind, string>> {
  const { signal } = new AbortController();
  const stills = (await drawings(ffmpeg, folder, signal)).flatMap(path => ['-i', path]);
  const made = ['testsrc2=s=1920x1080:r=30', GRADIENT, 'sine=f=440'].flatMap(source => ['-f', 'lavfi', '-i', source]);
  const coded = [
    ...['-c:v', 'libx264', '-preset', 'superfast', '-crf', '22', '-maxrate', '12M', '-bufsize', '24M', '-g', '90'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '128k', '-t', String(seconds)],
  ];
  const videos = new Map<Kind, string>();
  for (const kind of KINDS) {
    const path = join(folder, `${kind.replaceAll(' ', '-')}.mp4`);
    const filter = [
      '-filter_complex',
      FILTERS[kind].replace(/\[([01])\]/g, `[$1]${HELD},`),
      '-map',
      '[v]',
      '-map',
      '4:a',
    ];
    await ffmpeg.run([...stills, ...made, ...filter, ...coded, path], { signal, deadlineMs: DEADLINE_MS });
    videos.set(kind, path);
  }
  return videos;
}
