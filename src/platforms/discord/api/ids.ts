import { createHash } from 'node:crypto';
import type { Request } from '../../../bot/contract/request.ts';

/** Makes an id in the form of a message's from words, the same for the same words: for nonces, and as the id of an answer. */
export function stableId(words: string): string {
  // Fewer bits than a hash has leave space for the tag of a nonce.
  return (createHash('sha256').update(words).digest().readBigUInt64BE() >> 2n).toString();
}

/** Reads the application's id, which a token begins with; undefined for a text that is no token. */
export function applicationIdOf(token: string): string | undefined {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1');
  return /^\d{17,20}$/.test(id) ? id : undefined;
}

/** The id of the message or interaction that a request was asked by. */
export function eventIdOf({ id, platform }: Pick<Request, 'id' | 'platform'>): string {
  return id.slice(platform.length + 1);
}
