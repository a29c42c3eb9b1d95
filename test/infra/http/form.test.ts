import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { describe, expect, it } from 'vitest';
import { type EncodedForm, encodeForm } from '../../../src/infra/http/poster.ts';

async function read(form: EncodedForm) {
  const parser = new Busboy({ headers: { 'content-type': form.contentType } });
  const found: [string, string, string?][] = [];
  const done = new Promise<void>((resolve, reject) => {
    parser.on('field', (name, value) => found.push([name, value]));
    parser.on('file', (name, stream, fileName) => {
      let text = '';
      stream.on('data', chunk => (text += String(chunk)));
      stream.on('end', () => found.push([name, text, fileName]));
    });
    parser.on('finish', resolve);
    parser.on('error', reject);
  });
  let bytes = 0;
  const counted = Readable.from(form.body()).on('data', (chunk: Uint8Array) => (bytes += chunk.length));
  counted.pipe(parser);
  await done;
  return { found, bytes };
}

describe('a form', () => {
  it('is as long as it says, and holds what was put into it', async () => {
    const form = encodeForm(
      [
        ['chat_id', '-100'],
        ['caption', 'ein Käse 🌊\r\n--boundary'],
      ],
      [
        { name: 'video', fileName: 'sea.mp4', bytes: 6, open: () => [Buffer.from('abc'), Buffer.from('def')] },
        { name: 'file1', fileName: 'a "quoted"\r\nname.jpg', bytes: 0, open: () => [] },
      ],
    );
    const { found, bytes } = await read(form);
    expect(bytes).toBe(form.contentLength);
    expect(found).toEqual([
      ['chat_id', '-100'],
      ['caption', 'ein Käse 🌊\r\n--boundary'],
      ['video', 'abcdef', 'sea.mp4'],
      ['file1', '', 'a %22quoted%22%0D%0Aname.jpg'],
    ]);
  });

  it('opens a file when its turn comes, and lets go of it when it is left', async () => {
    const steps: string[] = [];
    function file(name: string) {
      return {
        ...{ name, fileName: name, bytes: 2 },
        async *open() {
          steps.push(`${name} opened`);
          try {
            yield Buffer.from('x');
            yield Buffer.from('y');
          } finally {
            steps.push(`${name} closed`);
          }
        },
      };
    }
    for await (const piece of encodeForm([], [file('one'), file('two')]).body()) {
      if (String(piece) === 'y') break;
    }
    expect(steps).toEqual(['one opened', 'one closed']);
  });
});
