/**
 * Memory of bodies that are read and gone within a moment, used again for the next. Fresh memory for each is what makes the collector
 * of garbage look through the whole heap ten times a second under load.
 */
const PIECE_BYTES = 1024 * 1024;
/** Bodies that are read at the same time are few: they take turns. */
const MAX_FREE = 8;

const free: Buffer[] = [];
/** What is in use, by its memory. What is never given back is collected as any other. */
const lent = new WeakSet<ArrayBufferLike>();

/** At least so many bytes, with anything in them. */
export function takeMemory(bytes: number): Buffer {
  if (bytes > PIECE_BYTES || bytes < PIECE_BYTES / 8) return Buffer.allocUnsafe(bytes);
  const piece = free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  lent.add(piece.buffer);
  return piece;
}

/** Nobody reads it any more. Does nothing for other memory, or when it was given back already. */
export function giveBack(memory: Buffer): void {
  if (!lent.delete(memory.buffer) || free.length >= MAX_FREE) return;
  free.push(Buffer.from(memory.buffer));
}
