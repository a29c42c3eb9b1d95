import { writeFile } from 'node:fs/promises';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { startProgram } from '../end-to-end/program.ts';
import { createCertificate } from '../fakes/certificate.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { ask, compare, sample } from './bystander.ts';
import type { Drill } from './drill.ts';

const LINKS = 990;
/** As far away as a site is. */
const SITE_MS = 150;
const ATTACKER = '127.0.0.2';

/** Joins two connections, for as long as both live. */
function join2(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  for (const [socket, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    socket.on('error', () => peer.destroy());
    socket.on('close', () => peer.destroy());
  }
}

function listen(server: Server): Promise<number> {
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** A proxy by which every site is the sandbox: unlike overridden hosts, these are asked at the pace of real ones. */
async function openProxy(sandboxOrigin: string) {
  const { key, cert } = createCertificate(['www.instagram.com', '*.instagram.com', '*.cdninstagram.com']);
  const sandboxPort = Number(new URL(sandboxOrigin).port);
  const tls = createTlsServer({ key, cert }, socket => join2(socket, connect(sandboxPort, '127.0.0.1')));
  tls.on('tlsClientError', () => undefined);
  const tlsPort = await listen(tls);
  const proxy = createTcpServer(socket => {
    socket.once('data', () => {
      const site = connect(tlsPort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        join2(socket, site);
      });
    });
    socket.on('error', () => undefined);
  });
  const port = await listen(proxy);
  const certPath = join(tmpdir(), `medley-drill-${process.pid}.pem`);
  await writeFile(certPath, cert);
  return { url: `http://127.0.0.1:${port}`, certPath, close: () => [tls.close(), proxy.close()] };
}

/** Made up: the sandbox has a reel for every one of them. */
function linkOf(prefix: string, number: number): string {
  return encodeURIComponent(
    `https://www.instagram.com/reel/${prefix}${String(number).padStart(11 - prefix.length, '0')}/`,
  );
}

export const sitesDrill: Drill = {
  name: 'sites',
  about: `one address asks for ${LINKS} posts at once, at the pace that sites tolerate`,
  async run(say) {
    const sandbox = await createSandbox({ generate: true });
    sandbox.faults.set('instagram.*', `delay:${SITE_MS}`);
    const proxy = await openProxy(sandbox.origin);
    const program = await startProgram({
      UPSTREAM_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: proxy.certPath,
      LOG_LEVEL: 'warn',
    });
    try {
      const origin = (await program.ready).replace(/\/$/, '');
      let asked = 0;
      const post = () => ask(`${origin}/api/post?url=${linkOf('By', asked++)}`);
      await sample(5, post, 300);
      const before = await sample(40, post, 200);
      const attack = Array.from({ length: LINKS }, (_, i) =>
        ask(`${origin}/api/post?url=${linkOf('At', i)}`, ATTACKER),
      );
      const during = await sample(40, post, 200);
      const isFine = compare(say, 'a post for another address', before, during);
      const answers = await Promise.all(attack);
      const brought = answers.filter(({ status }) => status === 200).length;
      say(`the attacker got ${brought} of ${LINKS}`);
      const after = await sample(5, post, 300);
      say(`afterwards: p95 ${after.p95.toFixed(0)} ms, failed ${after.failed} of ${after.count}`);
      return isFine && after.failed === 0;
    } finally {
      await program.kill();
      await sandbox.close();
      proxy.close();
    }
  },
};
