import { createServer } from 'node:http';
import { sealTunnelFile } from '../../src/media/tunnel/tunnel-token.ts';
import { type Program, startProgram } from '../end-to-end/program.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../sandbox/sandbox.ts';

/** The built program over the sandbox, and a CDN of files as large as they are asked for. */
export interface Scene {
  readonly sandbox: Sandbox;
  readonly program: Program;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** The path of a media file of so many bytes. */
  media(bytes: number): string;
  close(): Promise<void>;
}

const KEY = Buffer.alloc(32, 7);
const CDN_HOST = 'drill.cdninstagram.com';
const CHUNK = Buffer.alloc(64 * 1024, 7);

/** Listens on every address of loopback, so that attackers and bystanders have addresses of their own. */
export async function openScene(
  environment: Readonly<Record<string, string>> = {},
  sandboxOptions: SandboxOptions = {},
): Promise<Scene> {
  const sandbox = await createSandbox(sandboxOptions);
  const cdn = await serveFiles();
  const program = await startProgram({
    HOST: '127.0.0.1',
    MEDIA_KEY: KEY.toString('hex'),
    UPSTREAM_OVERRIDES: `${CDN_HOST}=${cdn.origin},${sandbox.overrides}`,
    LOG_LEVEL: 'warn',
    ...environment,
  });
  const address = await program.ready;
  return {
    sandbox,
    program,
    origin: address.replace(/\/$/, ''),
    media(bytes) {
      const file = { url: `https://${CDN_HOST}/${bytes}.mp4`, mime: 'video/mp4', fileName: 'a.mp4' };
      const post = { source: 'instagram', id: 'C9TestReef01' };
      return `/media/${sealTunnelFile(KEY, { ...file, post, index: 0, expiresAt: Date.now() + 3_600_000 })}`;
    },
    async close() {
      await program.kill();
      await Promise.all([sandbox.close(), cdn.close()]);
    },
  };
}

async function serveFiles() {
  const server = createServer((request, response) => {
    let left = Number(/\/(\d+)\.mp4$/.exec(request.url ?? '')?.[1] ?? 0);
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': left });
    const flow = (): void => {
      while (left > 0) {
        const chunk = left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left);
        left -= chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', flow);
          return;
        }
      }
      response.end();
    };
    flow();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
