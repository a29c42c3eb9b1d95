import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createFileSize } from '../../../src/media/delivery/download.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';

const HOST = 'scontent.cdninstagram.com';
const BYTES = 40_000;

/** The size of a file of 40,000 bytes as such a CDN says it, and what that was asked. */
async function sizeFrom(listener: RequestListener) {
  const asked: string[] = [];
  const { origin } = await serveHttp((request, response) => {
    asked.push(`${request.method} ${request.headers.range ?? ''}`.trim());
    listener(request, response);
  });
  const sizeOf = createFileSize({
    http: createTestClient({ [HOST]: origin }),
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
  });
  const variant = { url: `https://${HOST}/o1/v/reef.mp4`, mime: 'video/mp4' };
  const size = await sizeOf(variant, 'instagram', new AbortController().signal);
  return { size, asked };
}

const withHead =
  (answer: (response: Parameters<RequestListener>[1]) => void): RequestListener =>
  (request, response) => {
    if (request.method === 'HEAD') answer(response);
    else serveFile(request, response, Buffer.alloc(BYTES));
  };

describe('the size of a file', () => {
  it('is what HEAD says', async () => {
    const { size, asked } = await sizeFrom((request, response) => serveFile(request, response, Buffer.alloc(BYTES)));
    expect(size).toBe(BYTES);
    expect(asked).toEqual(['HEAD']);
  });

  it.each([
    ['is not allowed', 405],
    ['is not known', 501],
    ['says no length', 200],
  ])('comes with the first byte where HEAD %s', async (_, status) => {
    const { size, asked } = await sizeFrom(withHead(response => response.writeHead(status).end()));
    expect(size).toBe(BYTES);
    expect(asked).toEqual(['HEAD', 'GET bytes=0-0']);
  });

  it('is unknown where the range is ignored, and the file is not read', async () => {
    const { size } = await sizeFrom((request, response) => {
      if (request.method === 'HEAD') response.writeHead(405).end();
      else response.writeHead(200, { 'content-type': 'video/mp4' }).end(Buffer.alloc(BYTES));
    });
    expect(size).toBeUndefined();
  });

  it.each([403, 404, 410])('of a file that is gone (%i) is not asked for twice', async status => {
    const { size, asked } = await sizeFrom(withHead(response => response.writeHead(status).end()));
    expect(size).toBeUndefined();
    expect(asked).toEqual(['HEAD']);
  });
});
