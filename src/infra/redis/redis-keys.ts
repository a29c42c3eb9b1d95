import { digestOf } from '../store/record-driver.ts';

/** A number in all keys. Raising it, when values get a new meaning in their old shape, hides all older values. */
const VERSION = 1;

/** A key of fixed length. The name is hashed, so that Redis does not show who people are and what they searched for. */
export function redisKey(kind: string, name: string): string {
  return `${fixedRedisKey(kind)}:${digestOf(name)}`;
}

/** The key of a value that is the only one of its kind. */
export function fixedRedisKey(kind: string): string {
  return `medley:${VERSION}:${kind}`;
}
