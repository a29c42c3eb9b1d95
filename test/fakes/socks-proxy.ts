import { connect, type Socket } from 'node:net';
import { type Loopback, serveTcp } from './loopback.ts';

export interface SocksProxy extends Loopback {
  /** `host:port` of every connection asked for, in order. */
  readonly targets: readonly string[];
  /** `user:password` of the last one who named themselves. */
  account(): string | undefined;
}

/** Bytes as they come, a message at a time. */
function createReader(socket: Socket): (bytes: number) => Promise<Buffer> {
  let held = Buffer.alloc(0);
  let wake = () => {};
  socket.on('data', chunk => {
    held = Buffer.concat([held, Buffer.from(chunk)]);
    wake();
  });
  return async bytes => {
    while (held.length < bytes) await new Promise<void>(resolve => (wake = resolve));
    const taken = held.subarray(0, bytes);
    held = held.subarray(bytes);
    return taken;
  };
}

/** A SOCKS5 proxy (RFC 1928, 1929) that leads every connection to one place, or refuses it with a reply of its own. */
export async function serveSocksProxy(
  answer: { readonly tunnelTo: number; readonly wantsAccount?: boolean } | { readonly reply: number },
): Promise<SocksProxy> {
  const targets: string[] = [];
  let account: string | undefined;

  async function readText(read: (bytes: number) => Promise<Buffer>): Promise<string> {
    const [length = 0] = await read(1);
    return (await read(length)).toString('latin1');
  }

  async function serve(socket: Socket): Promise<void> {
    const read = createReader(socket);
    const [version, methods = 0] = await read(2);
    if (version !== 5) return void socket.destroy();
    await read(methods);
    const wantsAccount = 'wantsAccount' in answer && answer.wantsAccount === true;
    socket.write(Buffer.from([5, wantsAccount ? 2 : 0]));
    if (wantsAccount) {
      await read(1);
      account = `${await readText(read)}:${await readText(read)}`;
      socket.write(Buffer.from([1, 0]));
    }
    const [, , , kind] = await read(4);
    const host = kind === 3 ? await readText(read) : [...(await read(kind === 1 ? 4 : 16))].join('.');
    targets.push(`${host}:${(await read(2)).readUInt16BE()}`);
    const reply = (code: number) => socket.write(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]));
    if ('reply' in answer) {
      reply(answer.reply);
      return void socket.end();
    }
    const upstream = connect(answer.tunnelTo, '127.0.0.1', () => {
      socket.removeAllListeners('data');
      reply(0);
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  }

  const server = await serveTcp(socket => void serve(socket));
  return { ...server, origin: server.origin.replace('http:', 'socks5:'), targets, account: () => account };
}
