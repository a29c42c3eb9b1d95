/** What a TLS client says of itself before anything is encrypted (RFC 8446, 4.1.2). */
export interface ClientHello {
  readonly ciphers: readonly number[];
  /** Types, in the order they were sent. */
  readonly extensions: readonly number[];
  readonly serverName: string | undefined;
  /** Protocols offered, such as `h2`. */
  readonly alpn: readonly string[];
}

export const EXTENSION = { serverName: 0, alpn: 16, ech: 0xfe0d, alps: 0x44cd } as const;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER_BYTES = 5;

/** Whether the value is one of those that a browser scatters so that servers tolerate what they do not know (RFC 8701). */
export function isGrease(value: number): boolean {
  return (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);
}

/** The message in the bytes a client sent first; undefined while it is not whole. */
export function parseClientHello(sent: Buffer): ClientHello | undefined {
  const message = joinRecords(sent);
  if (message === undefined) return undefined;
  const reader = new ByteReader(message);
  if (reader.number(1) !== CLIENT_HELLO) throw new Error('the first message is no ClientHello');
  // Its length, the version and the random bytes.
  reader.skip(3 + 2 + 32);
  reader.block(1);
  const ciphers = readNumbers(reader.block(2));
  reader.block(1);
  const blocks = new ByteReader(reader.block(2));
  const extensions: number[] = [];
  let serverName: string | undefined;
  let alpn: string[] = [];
  while (!blocks.isAtEnd()) {
    const type = blocks.number(2);
    const content = new ByteReader(blocks.block(2));
    extensions.push(type);
    if (type === EXTENSION.serverName) serverName = readServerName(content);
    if (type === EXTENSION.alpn) alpn = readProtocols(content);
  }
  return { ciphers, extensions, serverName, alpn };
}

/** The handshake message may lie in several records. */
function joinRecords(sent: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let at = 0; at + RECORD_HEADER_BYTES <= sent.length; ) {
    if (sent[at] !== HANDSHAKE_RECORD) throw new Error('the first record is no handshake');
    const start = at + RECORD_HEADER_BYTES;
    const end = start + sent.readUInt16BE(at + 3);
    const part = sent.subarray(start, end);
    parts.push(part);
    bytes += part.length;
    at = end;
  }
  const message = Buffer.concat(parts);
  return bytes >= 4 && bytes >= 4 + message.readUIntBE(1, 3) ? message : undefined;
}

function readServerName(content: ByteReader): string {
  const names = new ByteReader(content.block(2));
  names.skip(1);
  return names.block(2).toString('latin1');
}

function readProtocols(content: ByteReader): string[] {
  const list = new ByteReader(content.block(2));
  const protocols: string[] = [];
  while (!list.isAtEnd()) protocols.push(list.block(1).toString('latin1'));
  return protocols;
}

function readNumbers(bytes: Buffer): number[] {
  const reader = new ByteReader(bytes);
  const numbers: number[] = [];
  while (!reader.isAtEnd()) numbers.push(reader.number(2));
  return numbers;
}

class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  skip(count: number): void {
    this.#at += count;
  }

  number(size: number): number {
    const value = this.#bytes.readUIntBE(this.#at, size);
    this.#at += size;
    return value;
  }

  /** Bytes behind their length, which takes `size` bytes itself. */
  block(size: number): Buffer {
    const length = this.number(size);
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }
}
