import { describe, expect, it } from 'vitest';
import { askRenditions } from '../../../../src/media/sources/kit/page-site.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { serveHttp } from '../../../fakes/loopback.ts';

const { signal } = new AbortController();
const MASTER = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=500000,RESOLUTION=360x640\n360p.m3u8\n';

async function ask(status: number, body: string): Promise<readonly string[]> {
  const { origin } = await serveHttp((request, response) => {
    const isAsked = request.url === '/a/list.m3u8' && request.headers.referer === 'https://toy.test/';
    response.writeHead(isAsked ? status : 400).end(body);
  });
  const http = createTestClient({ 'video.toy.test': origin });
  const headers = { referer: 'https://toy.test/' };
  const request = { url: 'https://video.toy.test/a/list.m3u8', hosts: ['toy.test'], headers, signal };
  return (await askRenditions(http, request)).map(({ url }) => url);
}

describe('asking for renditions', () => {
  it('reads them of the playlist', async () => {
    await expect(ask(200, MASTER)).resolves.toEqual(['https://video.toy.test/a/360p.m3u8']);
  });

  it.each([
    [404, MASTER],
    [200, '{}'],
  ])('says so where there is none', async (status, body) => {
    await expect(ask(status, body)).rejects.toMatchObject({ code: 'upstream_changed' });
  });
});
