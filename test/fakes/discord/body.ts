import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { createFileKeeper } from '../kept-files.ts';
import type { ReceivedFile } from './records.ts';

export interface ReceivedBody {
  readonly body: unknown;
  readonly files: readonly ReceivedFile[];
  /** Of the whole request, framing included. */
  readonly bytes: number;
  /** What is wrong with the form itself. */
  readonly problems: readonly string[];
}

/** Reads a JSON or multipart request; files are hashed as they pass. */
export async function readBody(request: IncomingMessage): Promise<ReceivedBody> {
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data')) return readForm(request, contentType);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) return { body: undefined, files: [], bytes: 0, problems: [] };
  const parsed = parseJson(bytes.toString());
  const problems = [...parsed.problems];
  if (!contentType.startsWith('application/json')) problems.push(`a body of type "${contentType}"`);
  return { body: parsed.value, files: [], bytes: bytes.length, problems };
}

async function readForm(request: IncomingMessage, contentType: string): Promise<ReceivedBody> {
  const files: (ReceivedFile | undefined)[] = [];
  const problems: string[] = [];
  let body: unknown;
  let bytes = 0;
  const form = new Busboy({ headers: { ...request.headers, 'content-type': contentType } });
  form.on('field', (name, value) => {
    if (name !== 'payload_json') {
      problems.push(`a form field "${name}"`);
      return;
    }
    const parsed = parseJson(value);
    body = parsed.value;
    problems.push(...parsed.problems);
  });
  form.on('file', (field, stream, name, _encoding, mime) => {
    const place = files.push(undefined) - 1;
    const hash = createHash('sha256');
    let size = 0;
    const keeper = createFileKeeper();
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      hash.update(chunk);
      keeper.add(chunk);
    });
    stream.on('end', () => {
      const sha256 = hash.digest('hex');
      keeper.end(sha256);
      files[place] = { field, name, contentType: mime, bytes: size, sha256 };
    });
  });
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await pipeline(request, form);
  return { body, files: files.filter(file => file !== undefined), bytes, problems };
}

function parseJson(text: string): { readonly value: unknown; readonly problems: readonly string[] } {
  try {
    const value: unknown = JSON.parse(text);
    return { value, problems: [] };
  } catch {
    return { value: undefined, problems: ['a body that is not JSON'] };
  }
}
