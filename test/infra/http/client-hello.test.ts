import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/infra/http/http-client.ts';
import { type ClientHello, EXTENSION, isGrease, parseClientHello } from '../../fakes/client-hello.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveTcp } from '../../fakes/loopback.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';

const host = 'www.photos.test';

/** What the transport says first on so many connections to loopback, each of which the server then closes. */
async function greet(transport: NonNullable<HttpRequest['transport']>, count: number): Promise<ClientHello[]> {
  const hellos: ClientHello[] = [];
  const server = await serveTcp(socket => {
    let sent = Buffer.alloc(0);
    socket.on('data', chunk => {
      sent = Buffer.concat([sent, chunk]);
      const hello = parseClientHello(sent);
      if (hello === undefined) return;
      hellos.push(hello);
      socket.destroy();
    });
  });
  const client = createTestClient({ [host]: server.origin.replace('http:', 'https:') });
  for (let i = 0; i < count; i++) {
    const asked = client.request({ url: `https://${host}/`, hosts: [host], transport, retries: 0 });
    await expect(asked).rejects.toMatchObject({ code: 'upstream_unavailable' });
  }
  expect(hellos).toHaveLength(count);
  return hellos;
}

const withoutGrease = (values: readonly number[]): number[] => values.filter(value => !isGrease(value));

describe.skipIf(wreqMissing)(`the greeting of the browser transport${wreqNote}`, () => {
  it("is a browser's: GREASE, HTTP/2 first, ECH, ALPS, few ciphers and the host's name", async () => {
    const [hello] = await greet('browser', 1);
    expect(hello?.ciphers.filter(isGrease)).toHaveLength(1);
    expect(hello?.extensions.filter(isGrease)).toHaveLength(2);
    expect(hello?.ciphers.length).toBeGreaterThanOrEqual(15);
    expect(hello?.ciphers.length).toBeLessThanOrEqual(17);
    expect(hello?.alpn).toEqual(['h2', 'http/1.1']);
    expect(hello?.extensions).toContain(EXTENSION.ech);
    expect(hello?.extensions).toContain(EXTENSION.alps);
    expect(hello?.serverName).toBe(host);
  });

  it('has the same extensions in another order each time', async () => {
    const hellos = await greet('browser', 8);
    const orders = hellos.map(({ extensions }) => withoutGrease(extensions));
    const sorted = orders.map(each => [...each].sort((a, b) => a - b).join());
    expect(new Set(sorted).size).toBe(1);
    expect(new Set(orders.map(each => each.join())).size).toBeGreaterThan(1);
    expect(new Set(hellos.map(({ ciphers }) => withoutGrease(ciphers).join())).size).toBe(1);
  });
});

describe('the greeting of the plain transport', () => {
  it("is Node's: no GREASE, no ALPS, no ECH, HTTP/1.1", async () => {
    const hellos = await greet('plain', 2);
    for (const { ciphers, extensions, alpn } of hellos) {
      expect([...ciphers, ...extensions].filter(isGrease)).toEqual([]);
      expect(extensions).not.toContain(EXTENSION.alps);
      expect(extensions).not.toContain(EXTENSION.ech);
      expect(ciphers.length).toBeGreaterThan(30);
      expect(alpn).toEqual(['http/1.1']);
    }
    expect(hellos[0]?.extensions).toEqual(hellos[1]?.extensions);
  });
});
