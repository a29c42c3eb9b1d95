import { connect, type Socket } from 'node:net';
import { ask, compare, sample } from './bystander.ts';
import type { Drill } from './drill.ts';
import { openScene } from './scene.ts';

const COUNT = 10_000;
const BATCH = 250;

/** Connections that asked once and stay, from one address. */
async function stand(port: number, from: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  const open = () =>
    new Promise<void>(resolve => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      sockets.push(socket);
      socket.on('error', () => resolve());
      socket.once('close', () => resolve());
      socket.once('data', () => resolve());
      socket.once('connect', () => socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'));
      socket.resume();
    });
  for (let i = 0; i < COUNT; i += BATCH) await Promise.all(Array.from({ length: BATCH }, open));
  return sockets;
}

async function attack(say: (line: string) => void, trustProxy: string, about: string): Promise<boolean> {
  const scene = await openScene(trustProxy === '' ? {} : { TRUST_PROXY: trustProxy });
  let sockets: Socket[] = [];
  try {
    const health = () => ask(`${scene.origin}/healthz`);
    await sample(10, health);
    const before = await sample(60, health, 5);
    sockets = await stand(Number(new URL(scene.origin).port), '127.0.0.2');
    const standing = sockets.filter(socket => !socket.destroyed).length;
    const during = await sample(60, health, 5);
    const own = await ask(`${scene.origin}/healthz`, '127.0.0.2');
    say(`${about}: ${COUNT} tried, ${standing} stand; the same address gets ${own.status} for /healthz`);
    return compare(say, `${about}: /healthz for another address`, before, during) && own.status === 200;
  } finally {
    for (const socket of sockets) socket.destroy();
    await scene.close();
  }
}

export const connectionsDrill: Drill = {
  name: 'connections',
  about: `${COUNT} keep-alive connections from one address`,
  async run(say) {
    const isFine = await attack(say, '', 'a stranger');
    return (await attack(say, '127.0.0.2', 'a trusted proxy')) && isFine;
  },
};
