import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createErrorRenderer } from '../../../src/api/errors.ts';
import { AppError } from '../../../src/errors.ts';
import { createServer, type Server, type ServerOptions } from '../../../src/infra/server/server.ts';
import { createRecordingLog } from '../../fakes/log.ts';

function start(options: Partial<ServerOptions> = {}) {
  const log = createRecordingLog();
  const server = createServer({
    log,
    trustProxy: [],
    renderError: (error, status = error.code === 'internal' ? 500 : error.code === 'not_found' ? 404 : 418) => ({
      status,
      headers: { 'x-rendered': 'yes' },
      body: { status, code: error.code, params: error.params },
    }),
    ...options,
  });
  onTestFinished(() => server.stop());
  return { server, app: server.app, log };
}

async function listen(server: Server): Promise<{ origin: string; port: number }> {
  return server.listen({ host: '127.0.0.1', port: 0 });
}

/** Bytes in, everything that comes back until the connection ends. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
}

describe('errors', () => {
  it('of a route are rendered by the owner of shapes', async () => {
    const { app } = start();
    app.get('/gone', () => {
      throw new AppError('not_found', 'hidden', { params: { what: 'item' } });
    });
    const response = await app.inject('/gone');
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({ status: 404, code: 'not_found', params: { what: 'item' } });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-rendered': 'yes',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('that were not expected are internal, logged once, and never shown', async () => {
    const { app, log } = start();
    app.get('/broken', () => {
      throw new Error('password is hunter2');
    });
    const response = await app.inject('/broken?secret=1');
    expect(response.statusCode).toBe(500);
    expect(response.json().code).toBe('internal');
    expect(response.body).not.toContain('hunter2');
    expect(log.at('error')).toHaveLength(1);
    expect(log.at('error')[0]?.details).toMatchObject({ route: '/broken', code: 'internal' });
    expect(JSON.stringify(log.lines)).not.toContain('secret');
  });

  it('of the framework and of plugins keep their status', async () => {
    const { app } = start({ bodyLimit: 100 });
    app.post('/echo', request => request.body);
    app.get('/chat', () => {
      throw Object.assign(new Error('full'), { statusCode: 503 });
    });
    const post = (payload: string) =>
      app.inject({ method: 'POST', url: '/echo', headers: { 'content-type': 'application/json' }, payload });
    const answers = [await post(`"${'x'.repeat(200)}"`), await post('{broken'), await app.inject('/chat')];
    expect(answers.map(answer => [answer.statusCode, answer.json().code])).toEqual([
      [413, 'too_large'],
      [400, 'invalid_request'],
      [503, 'rate_limited'],
    ]);
  });
});

describe('unknown addresses', () => {
  it.each(['/nothing', '/nothing/', '/%zz', '/%', '/item/%E0%A4%A', '//', '/..%2f..%2fetc/passwd'])(
    '%s is 404',
    async url => {
      const { app } = start();
      app.get('/item', () => 'ok');
      const response = await app.inject(url);
      expect(response.statusCode).toBe(404);
      expect(response.json().code).toBe('not_found');
    },
  );

  it('known paths say which methods they answer', async () => {
    const { app } = start();
    app.get('/item/:id', () => 'ok');
    app.post('/item/:id', () => 'ok');
    const response = await app.inject({ method: 'DELETE', url: '/item/7?x=1' });
    expect(response.statusCode).toBe(405);
    expect(response.json()).toMatchObject({ status: 405, code: 'invalid_request' });
    expect(String(response.headers.allow).split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    expect((await app.inject({ method: 'DELETE', url: '/item/7/more' })).statusCode).toBe(404);
    expect((await app.inject({ method: 'HEAD', url: '/item/7' })).statusCode).toBe(200);
  });

  it('a body that cannot be read does not hide that the method or the path is wrong', async () => {
    const { app } = start({ bodyLimit: 1_000 });
    app.get('/item', () => 'ok');
    const headers = { 'content-type': 'application/json' };
    for (const payload of ['', '{', `"${'a'.repeat(1_000)}"`]) {
      const response = await app.inject({ method: 'POST', url: '/item', headers, payload });
      expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
      expect((await app.inject({ method: 'POST', url: '/nothing', headers, payload })).statusCode).toBe(404);
    }
  });

  it('shows a page, where there is one, to a browser that opens the address', async () => {
    const { app } = start({ renderError: createErrorRenderer('Tester') });
    const open = (headers: Record<string, string>, url = '/nothing') => app.inject({ method: 'GET', url, headers });
    const visited = await open({ 'sec-fetch-dest': 'document' });
    expect(visited.statusCode).toBe(404);
    expect(visited.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(visited.headers['content-security-policy']).toContain("default-src 'none'");
    expect(visited.body).toContain('<h1>There is nothing here</h1>');
    for (const headers of [{}, { 'sec-fetch-dest': 'empty' }])
      expect((await open(headers)).json()).toMatchObject({ error: { code: 'not_found' } });
    const ofApi = await open({ 'sec-fetch-dest': 'document' }, '/api/nothing');
    expect(ofApi.json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('a path parameter longer than any real one is 404', async () => {
    const { app } = start({ maxParamLength: 50 });
    app.get('/item/:id', () => 'ok');
    expect((await app.inject(`/item/${'a'.repeat(51)}`)).json().code).toBe('not_found');
  });
});

describe('what is no readable HTTP', () => {
  it('oversized headers get 431 in JSON', async () => {
    const { server } = start({ maxHeaderSize: 8 * 1024 });
    const { port } = await listen(server);
    const answer = await exchange(port, `GET / HTTP/1.1\r\nhost: x\r\nx-big: ${'a'.repeat(9_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer.toLowerCase()).toContain('content-type: application/json; charset=utf-8');
    expect(bodyOf(answer)).toMatchObject({ status: 431, code: 'too_large' });
  });

  it('a link of 8 KB, percent-encoded in full, is no oversized header', async () => {
    const { server, app } = start();
    app.get('/link', request => Reflect.get(Object(request.query), 'url').length);
    const { origin } = await listen(server);
    const answer = await fetch(`${origin}/link?url=${'%2F'.repeat(8_192)}`);
    expect(await answer.text()).toBe('8192');
  });

  it('garbage gets 400 in JSON, and the next client is served', async () => {
    const { server, app } = start();
    app.get('/', () => 'fine');
    const { port, origin } = await listen(server);
    const answer = await exchange(port, 'HELLO?\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(bodyOf(answer)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await (await fetch(origin)).text()).toBe('fine');
  });

  it('a request that names no host is refused in JSON, and one with an unknown expectation is answered', async () => {
    const { server, app } = start();
    app.get('/', () => 'fine');
    const { port } = await listen(server);
    const answer = await exchange(port, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(bodyOf(answer)).toMatchObject({ code: 'invalid_request', params: { what: 'request' } });
    expect(await exchange(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/ 200 .*fine$/s);
    const expecting = 'GET / HTTP/1.1\r\nhost: x\r\nexpect: a-lot\r\nconnection: close\r\n\r\n';
    expect(await exchange(port, expecting)).toMatch(/ 200 .*fine$/s);
  });
});

describe('listen', () => {
  it('returns the real port', async () => {
    const { server } = start();
    const address = await server.listen({ host: '127.0.0.1', port: 0 });
    expect(address.port).toBeGreaterThan(0);
    expect(address.origin).toBe(`http://127.0.0.1:${address.port}`);
    expect((await fetch(address.origin)).status).toBe(404);
  });

  it('says so when the port is taken', async () => {
    const { port } = await listen(start().server);
    const second = start().server;
    await expect(second.listen({ host: '127.0.0.1', port })).rejects.toThrow(
      `127.0.0.1:${port} is already in use. Stop the program that listens there, or set PORT to another port.`,
    );
  });
});

describe('stop', () => {
  /** One request on a keep-alive connection of its own. */
  function ask(port: number, path: string, agent: Agent) {
    return new Promise<{ status: number; body: string; connection: string | undefined }>((resolve, reject) => {
      httpRequest({ port, host: '127.0.0.1', path, agent }, response => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', chunk => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body, connection: response.headers.connection }),
        );
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  }

  function keepAlive(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    return agent;
  }

  it('lets what runs finish, takes nothing new, and does not wait for idle connections', async () => {
    const { server, app } = start({ drainMs: 50_000 });
    let isAsked = false;
    app.get('/slow', async () => {
      isAsked = true;
      await pause(300);
      return 'done';
    });
    app.get('/quick', () => 'quick');
    const { port, origin } = await listen(server);
    const [idle, busy] = [keepAlive(), keepAlive()];
    await ask(port, '/quick', idle);
    const running = ask(port, '/slow', busy);
    await expect.poll(() => isAsked, { interval: 5 }).toBe(true);
    const startedAt = Date.now();
    const stopping = server.stop();
    expect(server.state).toBe('stopping');
    await expect(fetch(origin)).rejects.toThrow();
    expect(await running).toMatchObject({ status: 200, body: 'done' });
    await stopping;
    expect(Date.now() - startedAt).toBeLessThan(30_000);
  });

  it('cuts what does not end in time', async () => {
    const { server, app, log } = start({ drainMs: 100 });
    let isAsked = false;
    app.get('/never', () => {
      isAsked = true;
      return new Promise(() => {});
    });
    const { port } = await listen(server);
    const hanging = ask(port, '/never', keepAlive());
    hanging.catch(() => {});
    await expect.poll(() => isAsked).toBe(true);
    await server.stop();
    await expect(hanging).rejects.toThrow();
    expect(log.at('warn')).toHaveLength(1);
  });

  it('can be called twice, and before listening', async () => {
    const { server } = start();
    await Promise.all([server.stop(), server.stop()]);
    expect(server.state).toBe('stopping');
  });
});
