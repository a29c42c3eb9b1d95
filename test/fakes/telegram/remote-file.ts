import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { badRequest } from './answer.ts';
import type { FileKind } from './shapes.ts';

export interface FetchedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** @throws ApiRefusal as the Bot API words it. */
export type FetchAddress = (address: string, kind: FileKind) => Promise<FetchedFile>;

export interface RemoteFileOptions {
  /** Where on loopback the host of an address is played; undefined for hosts that do not exist. */
  readonly resolve: (url: string) => string | undefined;
  readonly maxBytes: (kind: FileKind) => number;
  /** Ends what runs. */
  readonly signal: AbortSignal;
}

const TYPES: Readonly<Record<FileKind, RegExp>> = {
  photo: /^image\/(jpeg|png|webp)/,
  video: /^(video\/mp4|application\/octet-stream)/,
  animation: /^(video\/mp4|image\/gif)/,
  document: /^(application\/|image\/gif|video\/mp4)/,
  audio: /^audio\/|^application\/octet-stream/,
};

/** Telegram's own visit to an address: no cookies, no referrer, a size it gives up at. */
export function createRemoteFiles({ resolve, maxBytes, signal }: RemoteFileOptions): FetchAddress {
  return async (address, kind) => {
    let url = address;
    for (let hop = 0; hop < 4; hop++) {
      const origin = resolve(url);
      if (origin === undefined || !URL.canParse(url)) throw badRequest('wrong file identifier/HTTP URL specified');
      const answer = await visit(new URL(url), new URL(origin), signal);
      const { statusCode = 0, headers } = answer;
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        answer.destroy();
        url = new URL(headers.location, url).href;
        continue;
      }
      if (statusCode !== 200) {
        answer.destroy();
        throw badRequest('failed to get HTTP URL content');
      }
      if (!TYPES[kind].test(headers['content-type'] ?? '')) {
        answer.destroy();
        throw badRequest('wrong type of the web page content');
      }
      return { name: new URL(url).pathname.split('/').at(-1) ?? '', ...(await measure(answer, maxBytes(kind))) };
    }
    throw badRequest('failed to get HTTP URL content');
  };
}

function visit(url: URL, origin: URL, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: origin.hostname,
      port: origin.port,
      path: url.pathname + url.search,
      headers: { host: url.host, 'user-agent': 'TelegramBot (like TwitterBot)' },
      agent: false,
      signal,
      timeout: 10_000,
    });
    sent.once('response', resolve);
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', () => reject(badRequest('failed to get HTTP URL content')));
    sent.end();
  });
}

async function measure(answer: IncomingMessage, maxBytes: number): Promise<Pick<FetchedFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > maxBytes) break;
      hash.update(part);
    }
  } catch {
    throw badRequest('failed to get HTTP URL content');
  }
  if (bytes > maxBytes || bytes === 0) throw badRequest('failed to get HTTP URL content');
  return { bytes, sha256: hash.digest('hex') };
}
