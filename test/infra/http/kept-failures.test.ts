import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { collectGarbage } from '../../collect-garbage.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';

const MEGABYTE = 1024 * 1024;
const BOMB = gzipSync(Buffer.alloc(64 * MEGABYTE));
const FAILURES = 12;

/** Megabytes of buffers once what nobody holds is gone. */
async function heldMegabytes(): Promise<number> {
  for (let round = 0; round < 5; round += 1) {
    collectGarbage();
    await pause(20);
  }
  return process.memoryUsage().arrayBuffers / MEGABYTE;
}

it('failures that are kept do not keep the bodies they are about', async () => {
  const { origin } = await serveHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(BOMB);
  });
  const http = createTestClient({ 'www.instagram.com': origin });
  const before = await heldMegabytes();
  const kept: unknown[] = [];
  for (let asked = 0; asked < FAILURES; asked += 1) {
    const request = {
      url: 'https://www.instagram.com/p/x/',
      hosts: ['www.instagram.com'],
      maxBytes: 8 * MEGABYTE,
      retries: 0,
    };
    kept.push(await http.request(request).catch((error: unknown) => error));
  }
  expect(kept.every(error => error instanceof AppError && error.code === 'too_large')).toBe(true);
  expect((await heldMegabytes()) - before).toBeLessThan(16);
});
