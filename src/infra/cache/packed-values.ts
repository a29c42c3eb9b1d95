import { LRUCache } from 'lru-cache';
import type { HeldValue } from './cache.ts';

/** One value costs so much beside its bytes: its buffer, its times, its key and its place in the list. */
const ENTRY_BYTES = 600;

const SCRATCH_BYTES = 64 * 1024;

export interface PackingOptions {
  /** Values that were read last and are held unpacked as well, so that what is asked for often is the same object every time. */
  readonly maxUnpacked: number;
  /** The bound of their packed forms together: objects, and what others keep about them, take several times as much. */
  readonly maxUnpackedBytes: number;
}

/**
 * Holds plain values as JSON in bytes outside the heap: an object of many parts takes several times as much, and each that lives
 * longer than a moment has to be moved by the garbage collector. Sizes are bytes.
 */
export function createPacking<V>({ maxUnpacked, maxUnpackedBytes }: PackingOptions): (value: V) => HeldValue<V> {
  const scratch = new Uint8Array(SCRATCH_BYTES);
  const encoder = new TextEncoder();
  const unpacked = new LRUCache<HeldValue<V>, { readonly value: V }>({
    max: maxUnpacked,
    maxSize: maxUnpackedBytes,
    sizeCalculation: (_, { size }) => size,
  });

  /** In a buffer of its own: in Node's pool, one small value would keep others' bytes alive. */
  function encode(text: string): Buffer {
    // A character takes three bytes at most.
    const isShort = text.length * 3 <= SCRATCH_BYTES;
    const encoded = isShort ? scratch.subarray(0, encoder.encodeInto(text, scratch).written) : Buffer.from(text);
    const bytes = Buffer.allocUnsafeSlow(encoded.length);
    bytes.set(encoded);
    return bytes;
  }

  return value => {
    const bytes = encode(JSON.stringify(value));
    const held: HeldValue<V> = {
      size: bytes.length + ENTRY_BYTES,
      read() {
        const known = unpacked.get(held);
        if (known !== undefined) return known.value;
        const parsed: V = JSON.parse(bytes.toString());
        unpacked.set(held, { value: parsed });
        return parsed;
      },
    };
    return held;
  };
}
