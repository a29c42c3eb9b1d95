import { connect } from 'node:net';
import { type Loopback, serveTcp } from './loopback.ts';

export interface ConnectProxy extends Loopback {
  /** `host:port` of every CONNECT, in order. */
  readonly targets: readonly string[];
  /** The `proxy-authorization` of the last CONNECT. */
  authorization(): string | undefined;
}

/** A proxy that tunnels every CONNECT to one place, or answers it with a status of its own. */
export async function serveConnectProxy(
  answer: { readonly tunnelTo: number } | { readonly status: number },
): Promise<ConnectProxy> {
  const targets: string[] = [];
  let authorization: string | undefined;
  const server = await serveTcp(socket => {
    socket.once('data', data => {
      const head = data.toString('latin1');
      targets.push(/^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1] ?? `not a CONNECT: ${head.slice(0, 40)}`);
      authorization = /\r\nproxy-authorization: ([^\r]+)/i.exec(head)?.[1];
      if ('status' in answer) {
        socket.end(`HTTP/1.1 ${answer.status} No\r\ncontent-length: 0\r\n\r\n`);
        return;
      }
      const upstream = connect(answer.tunnelTo, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
    });
  });
  return { ...server, targets, authorization: () => authorization };
}
