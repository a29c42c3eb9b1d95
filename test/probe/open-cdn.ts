import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createOverrides } from '../../src/infra/http/host-list.ts';
import { createHttpClient } from '../../src/infra/http/http-client.ts';

export interface CdnAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly body?: Buffer;
}

/** The beginning of an MP4, and more of it than is ever asked for. */
const MP4 = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42', 'latin1'), Buffer.alloc(200_000)]);

/** A CDN that answers every file alike, an MP4 unless another is given, and an HTTP client for which it is `*.cdninstagram.com`. */
export async function openCdn(answer: CdnAnswer = {}) {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const { status = 200, type = 'video/mp4', body = MP4 } = answer;
    asked.push(request.headers);
    const range = /^bytes=0-(\d+)$/.exec(request.headers.range ?? '')?.[1];
    const isPart = status === 206 && range !== undefined;
    const sent = isPart ? body.subarray(0, Number(range) + 1) : body;
    const total = isPart ? { 'content-range': `bytes 0-${sent.length - 1}/${body.length}` } : {};
    response.writeHead(status, { 'content-type': type, 'content-length': sent.length, ...total }).end(sent);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens nowhere');
  const origin = `http://127.0.0.1:${address.port}`;
  const http = createHttpClient({ overrides: createOverrides([{ host: '*.cdninstagram.com', origin }]) });
  onTestFinished(async () => {
    await http.close();
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  return { http, asked };
}
