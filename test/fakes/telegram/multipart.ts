import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { createFileKeeper } from '../kept-files.ts';

/** A file that came with a request: its bytes were counted and hashed on the way, never kept. */
export interface UploadedFile {
  readonly field: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface Multipart {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly UploadedFile[];
}

/** @throws when the form is malformed or the sender leaves in the middle of it. */
export async function readMultipart(request: IncomingMessage, contentType: string): Promise<Multipart> {
  const fields: Record<string, string> = {};
  const files: Promise<UploadedFile>[] = [];
  const form = new Busboy({
    headers: { 'content-type': contentType },
    limits: { fieldSize: 4 * 1024 * 1024, fileSize: Number.POSITIVE_INFINITY },
  });
  await new Promise<void>((resolve, reject) => {
    form.on('field', (name, value) => {
      fields[name] = value;
    });
    form.on('file', (field, stream, name, _encoding, type) => {
      files.push(hashed(stream, { field, name: name ?? '', contentType: type }));
    });
    form.once('finish', resolve);
    form.once('error', reject);
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('the sender left in the middle of a form'));
    });
    request.pipe(form);
  });
  return { fields, files: await Promise.all(files) };
}

function hashed(
  stream: BusboyFileStream,
  about: Pick<UploadedFile, 'field' | 'name' | 'contentType'>,
): Promise<UploadedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const keeper = createFileKeeper();
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
      keeper.add(chunk);
    });
    stream.once('end', () => {
      const sha256 = hash.digest('hex');
      keeper.end(sha256);
      resolve({ ...about, bytes, sha256 });
    });
    stream.once('error', reject);
  });
}
