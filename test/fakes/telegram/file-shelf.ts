import { createHash, randomBytes } from 'node:crypto';
import { badRequest } from './answer.ts';
import type { UploadedFile } from './multipart.ts';
import type { FetchAddress } from './remote-file.ts';
import type { FileKind } from './shapes.ts';

/** A file Telegram holds for the bot. */
export interface HeldFile {
  readonly kind: FileKind;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly name: string;
  /** The address it was fetched from; undefined when it was uploaded. */
  readonly address: string | undefined;
}

export interface Stored extends HeldFile {
  readonly fileId: string;
}

const PREFIXES: Readonly<Record<FileKind, string>> = {
  photo: 'AgACAgIAAx',
  video: 'BAACAgIAAx',
  animation: 'CgACAgIAAx',
  document: 'BQACAgIAAx',
  audio: 'CQACAgIAAx',
};

export interface FileShelf {
  readonly files: ReadonlyMap<string, HeldFile>;
  /** Puts a file there as if the bot had sent it once. */
  add(file: {
    readonly kind: FileKind;
    readonly bytes: number;
    readonly sha256?: string;
    readonly name?: string;
  }): string;
  /** Every id given out so far, or one of them, is unknown from now on. */
  forget(fileId?: string): void;
  /** @throws ApiRefusal when the value names nothing that can be sent as this kind. */
  take(source: MediaSource): Promise<Stored>;
}

export interface MediaSource {
  readonly kind: FileKind;
  /** What the parameter said: an id, an address or `attach://name`; undefined when the field itself was the file. */
  readonly value: string | undefined;
  /** The parameter's name. */
  readonly field: string;
  readonly uploads: readonly UploadedFile[];
  /** Albums keep a silent video a video. */
  readonly keepKind?: boolean;
}

export interface FileShelfOptions {
  readonly fetchAddress: FetchAddress;
  /** Silent videos become animations. */
  readonly isSilent: (file: { readonly name: string; readonly sha256: string }) => boolean;
  readonly problem: (what: string) => void;
}

export function createFileShelf({ fetchAddress, isSilent, problem }: FileShelfOptions): FileShelf {
  const files = new Map<string, HeldFile>();

  function hold(file: HeldFile): Stored {
    const fileId = PREFIXES[file.kind] + randomBytes(24).toString('base64url');
    files.set(fileId, file);
    return { ...file, fileId };
  }

  function turn(kind: FileKind, file: { readonly name: string; readonly sha256: string }, keep = false): FileKind {
    if (kind !== 'video' || keep) return kind;
    return isSilent(file) ? 'animation' : 'video';
  }

  return {
    files,
    add: ({ kind, bytes, name = `${kind}.mp4`, sha256 = createHash('sha256').update(name).digest('hex') }) =>
      hold({ kind, bytes, name, sha256, address: undefined }).fileId,
    forget: fileId => {
      if (fileId === undefined) files.clear();
      else files.delete(fileId);
    },
    take: async ({ kind, value, field, uploads, keepKind }) => {
      const attached = value?.startsWith('attach://') === true ? value.slice('attach://'.length) : undefined;
      if (value === undefined || attached !== undefined) {
        const upload = uploads.find(file => file.field === (attached ?? field));
        if (upload === undefined) throw badRequest(`there is no ${field} in the request`);
        if (upload.bytes === 0) throw badRequest('file must be non-empty');
        const { name, bytes, sha256 } = upload;
        return hold({ kind: turn(kind, upload, keepKind), name, bytes, sha256, address: undefined });
      }
      if (/^https?:\/\//i.test(value)) {
        const file = await fetchAddress(value, kind);
        return hold({ kind: turn(kind, file, keepKind), ...file, address: value });
      }
      const held = files.get(value);
      if (held === undefined) throw badRequest('wrong file identifier/HTTP URL specified');
      if (held.kind !== kind) {
        problem(`a file of kind ${held.kind} is sent as ${kind}`);
        throw badRequest(`can't use file of type ${titled(held.kind)} as ${titled(kind)}`);
      }
      return { ...held, fileId: value };
    },
  };
}

/** Of one and the same file also under several ids. */
export function uniqueIdOf(file: HeldFile): string {
  return `Ag${file.sha256.slice(0, 12)}`;
}

function titled(kind: FileKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}
