import { randomUUID } from 'node:crypto';

export interface FormFile {
  /** Of the field. */
  readonly name: string;
  readonly fileName: string;
  readonly bytes: number;
  /** Opened when its turn comes. */
  readonly open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface EncodedForm {
  readonly contentType: string;
  readonly contentLength: number;
  /** Flows as it is read: no file is ever held. */
  readonly body: () => AsyncGenerator<Uint8Array>;
}

const LINE = '\r\n';

/** A `multipart/form-data` body. */
export function encodeForm(
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FormFile[],
): EncodedForm {
  const boundary = `medley-${randomUUID()}`;
  const texts = fields.map(([name, value]) => Buffer.from(`${head(name)}${LINE}${LINE}${value}${LINE}`));
  const heads = files.map(({ name, fileName }) =>
    Buffer.from(
      `${head(name)}; filename="${quotable(fileName)}"${LINE}content-type: application/octet-stream${LINE}${LINE}`,
    ),
  );
  const tail = Buffer.from(`--${boundary}--${LINE}`);

  function head(name: string): string {
    return `--${boundary}${LINE}content-disposition: form-data; name="${quotable(name)}"`;
  }

  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: [...texts, ...heads, tail].reduce((sum, part) => sum + part.length, 0) + sizeOf(files),
    async *body() {
      yield* texts;
      for (const [index, file] of files.entries()) {
        yield heads[index] ?? Buffer.alloc(0);
        yield* file.open();
        yield Buffer.from(LINE);
      }
      yield tail;
    },
  };
}

function sizeOf(files: readonly FormFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes + LINE.length, 0);
}

/** As browsers do it. */
function quotable(name: string): string {
  return name.replace(/[\r\n"]/g, character => encodeURIComponent(character));
}
