import { createHash } from 'node:crypto';
import type { Request } from '../../../bot/contract/request.ts';

/** Hashes text into a number like a Discord id, for answers to an edited message and messages that answer none. */
export function stableId(words: string): string {
  // In base 36, 62 bits take at most twelve characters, which leaves the nonce space for the message's tag.
  return (createHash('sha256').update(words).digest().readBigUInt64BE() >> 2n).toString();
}

/** Reads the application's id from the beginning of a token; undefined for text that is not a token. */
export function applicationIdOf(token: string): string | undefined {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1');
  return /^\d{17,20}$/.test(id) ? id : undefined;
}

/** The id of the message or interaction from which a request came. */
export function eventIdOf({ id, platform }: Pick<Request, 'id' | 'platform'>): string {
  return id.slice(platform.length + 1);
}
