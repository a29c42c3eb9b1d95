import type { FileHandle } from 'node:fs/promises';

/** What the box structure of an MP4 says, read without trusting any count in it. */
export interface Mp4Structure {
  /** Whether the index comes before the media, so that it plays while it loads. */
  readonly fastStart: boolean;
  readonly isFragmented: boolean;
}

interface Box {
  readonly type: string;
  readonly start: number;
  readonly contentStart: number;
  /** As the box says; may lie beyond the file. */
  readonly end: number;
}

const MAX_TOP_BOXES = 50_000;
/** An index of 32 MiB is that of a film of days. */
const MAX_INDEX_BYTES = 32 * 1024 * 1024;
/** 13 hours of 60 frames and 47 sounds a second. */
const MAX_SAMPLES = 5_000_000;
const MAX_DEPTH = 8;
const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf', 'edts']);
/** Cut off in one of these, a file does not play to its end. */
const ESSENTIAL = new Set(['ftyp', 'moov', 'mdat', 'moof']);

/** Thrown for a file that claims what it does not hold. */
export class BrokenBoxes extends Error {
  override readonly name = 'BrokenBoxes';
}

function parseBox(view: DataView, at: number, base: number, limit: number): Box {
  const size = view.getUint32(at);
  const type = String.fromCharCode(...[4, 5, 6, 7].map(offset => view.getUint8(at + offset)));
  const start = base + at;
  if (size === 1) {
    if (at + 16 > view.byteLength) throw new BrokenBoxes(`box ${type} has no length`);
    const large = Number(view.getBigUint64(at + 8));
    if (large < 16) throw new BrokenBoxes(`box ${type} is shorter than its head`);
    return { type, start, contentStart: start + 16, end: start + large };
  }
  if (size === 0) return { type, start, contentStart: start + 8, end: limit };
  if (size < 8) throw new BrokenBoxes(`box ${type} is shorter than its head`);
  return { type, start, contentStart: start + 8, end: start + size };
}

async function readExactly(file: FileHandle, start: number, bytes: number): Promise<DataView> {
  const buffer = new Uint8Array(bytes);
  let done = 0;
  while (done < bytes) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return new DataView(buffer.buffer, 0, done);
}

/** Sums what the tables of one index or fragment claim, so that nobody who trusts them counts to four thousand million. */
class SampleCount {
  #total = 0;

  add(claimed: number): void {
    this.#total += claimed;
    if (this.#total > MAX_SAMPLES) throw new BrokenBoxes('more samples than any film has');
  }
}

function countEntries(
  view: DataView,
  box: Box,
  entryBytes: number,
  count: SampleCount,
  claims: (at: number) => number,
) {
  const entries = view.getUint32(box.contentStart + 4);
  if (box.contentStart + 8 + entries * entryBytes > box.end)
    throw new BrokenBoxes(`${box.type} is shorter than its list`);
  count.add(entries);
  for (let entry = 0; entry < entries; entry += 1) count.add(claims(box.contentStart + 8 + entry * entryBytes));
}

function checkTable(view: DataView, box: Box, count: SampleCount): void {
  if (box.type === 'stts' || box.type === 'ctts') {
    countEntries(view, box, 8, count, at => view.getUint32(at));
  } else if (box.type === 'stsc') {
    // Half of what a list of chunks says is in the difference of two entries: each alone must be possible.
    countEntries(view, box, 12, count, at => {
      if (view.getUint32(at) > MAX_SAMPLES) throw new BrokenBoxes('more chunks than any film has');
      return 0;
    });
  } else if (box.type === 'stsz' || box.type === 'stz2') {
    count.add(view.getUint32(box.contentStart + 8));
  } else if (box.type === 'trun') {
    count.add(view.getUint32(box.contentStart + 4));
  }
}

function checkBoxes(view: DataView, from: number, to: number, depth: number, count: SampleCount): void {
  for (let at = from; at + 8 <= to; ) {
    const box = parseBox(view, at, 0, to);
    if (box.end > to) throw new BrokenBoxes(`box ${box.type} reaches beyond the one around it`);
    if (CONTAINERS.has(box.type)) {
      if (depth >= MAX_DEPTH) throw new BrokenBoxes('boxes within boxes without end');
      checkBoxes(view, box.contentStart, box.end, depth + 1, count);
    } else {
      checkTable(view, box, count);
    }
    at = box.end;
  }
}

async function checkIndex(file: FileHandle, box: Box, count: SampleCount): Promise<void> {
  const bytes = box.end - box.start;
  if (bytes > MAX_INDEX_BYTES) throw new BrokenBoxes('an index larger than any film needs');
  const view = await readExactly(file, box.start, bytes);
  try {
    checkBoxes(view, 0, view.byteLength, 0, count);
  } catch (error) {
    // A table that ends before its own head is read past the view.
    if (error instanceof RangeError) throw new BrokenBoxes('an index that ends in the middle', { cause: error });
    throw error;
  }
}

/**
 * Walks the boxes of an MP4 or QuickTime file of that size, reading their heads and the indexes alone. Undefined when it is
 * another kind of file.
 * @throws BrokenBoxes when it is cut off or claims more than it can hold
 */
export async function readMp4Structure(
  file: FileHandle,
  fileBytes: number,
  signal: AbortSignal,
): Promise<Mp4Structure | undefined> {
  const seen: Box[] = [];
  const count = new SampleCount();
  for (let at = 0; at + 8 <= fileBytes; ) {
    signal.throwIfAborted();
    const head = await readExactly(file, at, Math.min(16, fileBytes - at));
    const box = parseFirst(head, at, fileBytes, seen.length === 0);
    if (box === undefined) return undefined;
    if (box.end > fileBytes && ESSENTIAL.has(box.type)) throw new BrokenBoxes(`cut off within ${box.type}`);
    if (box.type === 'moov' || box.type === 'moof') await checkIndex(file, box, count);
    seen.push(box);
    if (seen.length > MAX_TOP_BOXES) throw new BrokenBoxes('more boxes than any film has');
    at = box.end;
  }
  const index = seen.findIndex(({ type }) => type === 'moov');
  const media = seen.findIndex(({ type }) => type === 'mdat');
  if (index < 0 || media < 0) throw new BrokenBoxes(index < 0 ? 'no index' : 'no media');
  return { fastStart: index < media, isFragmented: seen.some(({ type }) => type === 'moof') };
}

const FIRST_TYPES = new Set(['ftyp', 'styp', 'moov', 'mdat', 'free', 'skip', 'wide']);

/** The head of a box; the very first tells whether these are boxes at all. */
function parseFirst(head: DataView, at: number, fileBytes: number, isFirst: boolean): Box | undefined {
  const type = String.fromCharCode(...[4, 5, 6, 7].map(offset => head.getUint8(offset)));
  if (isFirst && !FIRST_TYPES.has(type)) return undefined;
  return parseBox(head, 0, at, fileBytes);
}
