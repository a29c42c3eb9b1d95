import { connect } from 'node:net';
import { ask, compare, sample } from './bystander.ts';
import type { Drill } from './drill.ts';
import { openScene } from './scene.ts';

const ATTACKERS = 6;
const STREAMS_EACH = 40;
const MB = 1024 * 1024;

/** Asks for a large file and takes a byte of it a second; begins again when it is cut off. */
function creep(port: number, path: string, from: string): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  let next: (() => void) | undefined;
  socket.on('error', () => undefined);
  socket.on('connect', () => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    timer = setInterval(() => socket.read(1), 1_000);
  });
  socket.on('readable', () => undefined);
  socket.on('close', () => {
    clearInterval(timer);
    if (isOver) return;
    const again = setTimeout(() => {
      next = creep(port, path, from);
    }, 1_000);
    next = () => clearTimeout(again);
  });
  return () => {
    isOver = true;
    next?.();
    socket.destroy();
  };
}

export const streamsDrill: Drill = {
  name: 'streams',
  about: `${ATTACKERS} addresses hold ${STREAMS_EACH} streams each and read a byte a second`,
  async run(say) {
    const scene = await openScene();
    const stops: (() => void)[] = [];
    try {
      const port = Number(new URL(scene.origin).port);
      const file = () => ask(scene.origin + scene.media(MB));
      const link = encodeURIComponent('https://www.instagram.com/p/DXtramshed1/');
      const post = () => ask(`${scene.origin}/api/post?url=${link}`);
      await sample(10, file);
      const before = { file: await sample(40, file), post: await sample(40, post) };
      const large = scene.media(500 * MB);
      for (let i = 0; i < ATTACKERS * STREAMS_EACH; i += 1)
        stops.push(creep(port, large, `127.0.0.${2 + (i % ATTACKERS)}`));
      await new Promise(resolve => setTimeout(resolve, 3_000));
      const metrics = await ask(`${scene.origin}/metrics`, '127.0.0.1');
      say(`streams held by the program: ${/^medley_streams (\d+)$/m.exec(metrics.body)?.[1] ?? 'unknown'}`);
      const during = { file: await sample(40, file), post: await sample(40, post) };
      const isFine = compare(say, 'a file of 1 MB from the same CDN', before.file, during.file);
      return compare(say, 'a post by the API', before.post, during.post) && isFine;
    } finally {
      for (const stop of stops) stop();
      await scene.close();
    }
  },
};
