import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Certificate } from './certificate.ts';

/** A server on 127.0.0.1 for the length of the running test. */
export interface Loopback {
  readonly port: number;
  readonly origin: string;
  /** Connections accepted so far. */
  connections(): number;
}

/** What a request of either version of HTTP has. */
export interface ServedRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values, alternating, as they came. */
  readonly rawHeaders: readonly string[];
  readonly socket: { destroy(): unknown };
}

/** What a response of either version of HTTP has. */
export interface ServedResponse {
  readonly destroyed: boolean;
  writeHead(
    status: number,
    headers?: Readonly<Record<string, string | number | string[]>>,
  ): { end(chunk: string | Buffer): unknown; end(): unknown };
  write(chunk: string | Buffer): boolean;
  end(chunk?: string | Buffer): unknown;
  on(event: 'drain' | 'close', listener: () => void): unknown;
}

export type ServedListener = (request: ServedRequest, response: ServedResponse) => void;

export function serveHttp(listener: RequestListener): Promise<Loopback> {
  return listen(createHttpServer(listener), 'http');
}

/** For what no HTTP server would say. */
export function serveTcp(onSocket: (socket: Socket) => void): Promise<Loopback> {
  return listen(createTcpServer(onSocket), 'http');
}

export function serveHttps(certificate: Certificate, listener: RequestListener): Promise<Loopback> {
  const http = createHttpServer(listener);
  return listen(
    createTlsServer({ key: certificate.key, cert: certificate.cert }, socket => http.emit('connection', socket)),
    'https',
  );
}

/** HTTP/2, and HTTP/1.1 for clients that know nothing else. */
export function serveHttp2(certificate: Certificate, listener: ServedListener): Promise<Loopback> {
  const options = { key: certificate.key, cert: certificate.cert, allowHTTP1: true };
  const server = createSecureServer(options, (request, response) => {
    let destroyed = false;
    response.on('close', () => {
      destroyed = true;
    });
    listener(request, {
      get destroyed() {
        return destroyed;
      },
      writeHead: (status, headers) => response.writeHead(status, headers),
      write: chunk => response.write(chunk),
      end: chunk => (chunk === undefined ? response.end() : response.end(chunk)),
      on: (event, callback) => response.on(event, callback),
    });
  });
  server.on('session', session => session.on('error', () => {}));
  return listen(server, 'https');
}

async function listen(server: Server, scheme: string): Promise<Loopback> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise(resolve => server.close(resolve));
  });
  const { port } = addressOf(server);
  return {
    port,
    origin: `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${port}`,
    connections: () => connections,
  };
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}
