import { describe, expect, it, onTestFinished } from 'vitest';
import { createHostGuard, isLoopbackName } from '../../../src/infra/server/client-address.ts';
import { createServer } from '../../../src/infra/server/server.ts';
import { createRecordingLog } from '../../fakes/log.ts';

describe('with a public address', () => {
  const isForUs = createHostGuard('https://medley.example:8443');

  it.each([
    'medley.example',
    'MEDLEY.example:8443',
    'medley.example:1',
    'localhost:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
    '192.168.1.2',
    'medley:3000',
    undefined,
  ])('%s is one of ours', host => {
    expect(isForUs(host)).toBe(true);
  });

  it.each([
    'evil.example',
    'medley.example.evil.example',
    'xmedley.example',
    'localhost.evil.example:3000',
    '127.0.0.1.evil.example',
    'medley.example@evil.example',
    'medley.example, evil.example',
    '',
  ])('%j is not', host => {
    expect(isForUs(host)).toBe(false);
  });

  it('requests under a foreign name are refused, but for health', async () => {
    const server = createServer({
      log: createRecordingLog(),
      trustProxy: [],
      publicUrl: 'https://medley.example',
      renderError: error => ({ status: 403, headers: {}, body: { code: error.code } }),
    });
    onTestFinished(() => server.stop());
    for (const path of ['/healthz', '/readyz', '/chat', '/metrics']) server.app.get(path, () => ({ ok: true }));
    const ask = async (url: string, host: string) => (await server.app.inject({ url, headers: { host } })).statusCode;
    for (const path of ['/chat', '/metrics', '/nowhere']) expect(await ask(path, 'rebound.example')).toBe(403);
    for (const path of ['/healthz', '/readyz']) expect(await ask(path, 'rebound.example')).toBe(200);
    expect(await ask('/chat', 'medley.example')).toBe(200);
  });
});

describe('the names of this machine', () => {
  it('are localhost and its loopback addresses', () => {
    for (const host of ['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '127.9.9.9', '[::1]', '[::1]:3000'])
      expect(isLoopbackName(host), host).toBe(true);
    for (const host of [undefined, '', 'medley:3000', '192.168.1.2', 'localhost.evil.example', '::1', 'a@localhost'])
      expect(isLoopbackName(host), host).toBe(false);
  });
});
