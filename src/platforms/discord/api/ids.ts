import { createHash } from 'node:crypto';

/** In the form of a message's id, the same for the same words: in place of one, for nonces and for what belongs to an answer. */
export function stableId(words: string): string {
  // As few bits as leave a nonce room for its tag.
  return (createHash('sha256').update(words).digest().readBigUInt64BE() >> 2n).toString();
}
