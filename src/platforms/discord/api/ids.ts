import { createHash } from 'node:crypto';
import type { Request } from '../../../bot/contract/request.ts';

/** In the form of a message's id, the same for the same words: in place of one, for nonces and for what belongs to an answer. */
export function stableId(words: string): string {
  // As few bits as leave a nonce room for its tag.
  return (createHash('sha256').update(words).digest().readBigUInt64BE() >> 2n).toString();
}

/** A token begins with the application's id; undefined for what is no token. */
export function applicationIdOf(token: string): string | undefined {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1');
  return /^\d{17,20}$/.test(id) ? id : undefined;
}

/** At most 25 characters: the id of the event takes twelve, a dash, and the tag no more than twelve. */
export function nonceOf(eventId: string, tag: string): string {
  return `${BigInt(eventId).toString(36)}-${tag}`;
}

/** The id of the message or interaction that a request was asked by. */
export function eventIdOf({ id, platform }: Pick<Request, 'id' | 'platform'>): string {
  return id.slice(platform.length + 1);
}
