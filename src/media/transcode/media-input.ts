import { type FileHandle, open } from 'node:fs/promises';
import type { Input } from 'mediabunny';
import { AppError } from '../../errors.ts';
import { abortReason } from '../../infra/concurrency/abortable.ts';

/** A media file opened for reading in parts. */
export interface MediaInput {
  readonly input: Input;
  /** Facts about the boxes of an MP4; undefined for a file of another format. */
  readonly structure: Mp4Structure | undefined;
}

const MAX_CACHE_BYTES = 2 * 1024 * 1024;
/** The most bytes that are read at once. A file's index may be this large. */
const MAX_PIECE_BYTES = 32 * 1024 * 1024;

export function brokenFile(message: string, cause?: unknown): AppError {
  return new AppError('upstream_unavailable', message, { params: { what: 'broken_file' }, cause });
}

/**
 * Opens a file for `use` and closes it afterwards. The boxes of an MP4 are checked first: a malformed file could keep
 * mediabunny, the library that reads it, busy for ever.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'` when it is no media file, is cut off or cannot be
 * read; `timeout` or the signal's own AppError when it aborts; whatever `use` throws
 */
export async function withMediaInput<T>(
  path: string,
  signal: AbortSignal,
  use: (media: MediaInput) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw abortReason(signal);
  const { ADTS, CustomSource, Input, Logging, LogLevel, MATROSKA, MP3, MP4, MPEG_TS, OGG, QTFF, WAVE, WEBM } =
    await import('mediabunny');
  // The library would otherwise write warnings about odd files to the console, into Medley's log.
  Logging.level = LogLevel.Silent;
  const file = await open(path, 'r');
  let input: Input | undefined;
  try {
    const { size: bytes } = await file.stat();
    if (bytes === 0) throw brokenFile('an empty file');
    const structure = await readMp4Structure(file, bytes, signal);
    const source = new CustomSource({
      getSize: () => bytes,
      read: async (start, end) => {
        if (signal.aborted) throw abortReason(signal);
        if (end - start > MAX_PIECE_BYTES) throw new BrokenBoxes('a piece larger than any video has');
        const piece = await readExactly(file, start, end - start);
        if (piece.byteLength < end - start) throw new BrokenBoxes('the file ended while it was read');
        return new Uint8Array(piece.buffer);
      },
      maxCacheSize: MAX_CACHE_BYTES,
      prefetchProfile: 'fileSystem',
      // An error while the library reads ahead is ignored here: the next read fails with that error again and is
      // handled there.
      handleUnhandledError: () => undefined,
    });
    // Formats of playlists are left out, because these refer to other files.
    const formats = structure === undefined ? [WEBM, MATROSKA, MPEG_TS, MP3, OGG, ADTS, WAVE] : [MP4, QTFF];
    input = new Input({ source, formats });
    return await use({ input, structure });
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    if (error instanceof AppError) throw error;
    // An error with a `syscall` is one of the disk, so it says nothing about the file.
    if (error instanceof Error && 'syscall' in error)
      throw new AppError('internal', 'the disk failed', { cause: error });
    throw brokenFile('not a media file that can be read', error);
  } finally {
    input?.dispose();
    await file.close();
  }
}

/** Facts about an MP4's boxes. Counts that the file states are checked before they are used. */
type Mp4Structure = NonNullable<Awaited<ReturnType<typeof readMp4Structure>>>;

interface Box {
  readonly type: string;
  readonly start: number;
  readonly contentStart: number;
  /** The end that the box states; it may be beyond the end of the file. */
  readonly end: number;
}

const MAX_TOP_BOXES = 50_000;
/** The largest index that is read. A video with an index of 32 MiB would last for days. */
const MAX_INDEX_BYTES = 32 * 1024 * 1024;
/** The most samples of a file: 13 hours, with 60 samples of video and 47 of audio a second. */
const MAX_SAMPLES = 5_000_000;
/**
 * The most samples that are counted through, if each sample of a file is looked up. Counting a billion takes one or two
 * seconds.
 */
const MAX_STEPS = 1_000_000_000;
const MAX_DEPTH = 8;
const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'mvex', 'moof', 'traf', 'edts']);
/** Types of the first box of an MP4. A file that begins with another box is no MP4. */
const FIRST_TYPES = new Set(['ftyp', 'styp', 'moov', 'mdat', 'free', 'skip', 'wide']);
/** A file that ends inside one of these boxes cannot be played to its end. */
const ESSENTIAL = new Set(['ftyp', 'moov', 'mdat', 'moof']);

/** Thrown for a file whose boxes claim more than it contains. */
class BrokenBoxes extends Error {
  override readonly name = 'BrokenBoxes';
}

function typeAt(view: DataView, at: number): string {
  return String.fromCharCode(...[4, 5, 6, 7].map(offset => view.getUint8(at + offset)));
}

function parseBox(view: DataView, at: number, base: number, limit: number): Box {
  const size = view.getUint32(at);
  const type = typeAt(view, at);
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

/** Reads this many bytes. It reads fewer only at the end of the file. */
async function readExactly(file: FileHandle, start: number, bytes: number): Promise<DataView<ArrayBuffer>> {
  const buffer = new Uint8Array(bytes);
  let done = 0;
  while (done < bytes) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return new DataView(buffer.buffer, 0, done);
}

/** How many more samples the file may claim to have. */
interface SampleCount {
  left: number;
}

/** Refuses more samples than fit in the file (each takes a byte or more): no loop over samples must run too long. */
function claim(count: SampleCount, samples: number): void {
  count.left -= samples;
  if (count.left < 0) throw new BrokenBoxes('more samples than the file can hold');
}

/** Reads a list in a box. The list begins with its length. Returns the number at `offset` in each entry. */
function entriesOf(view: DataView, box: Box, entryBytes: number, offset = 0): readonly number[] {
  const first = box.contentStart + 8;
  const count = view.getUint32(box.contentStart + 4);
  if (first + count * entryBytes > box.end) throw new BrokenBoxes(`${box.type} is shorter than its list`);
  return Array.from({ length: count }, (_, index) => view.getUint32(first + index * entryBytes + offset));
}

/** Checks that no table of a track claims more samples than the track's list of sample sizes has. */
function checkTables(view: DataView, boxes: readonly Box[], count: SampleCount): void {
  const sizes = boxes.find(({ type }) => type === 'stsz' || type === 'stz2');
  const samples = sizes === undefined ? 0 : view.getUint32(sizes.contentStart + 8);
  claim(count, samples);
  for (const box of boxes) {
    if (box.type === 'stts' || box.type === 'ctts') {
      const claimed = entriesOf(view, box, 8).reduce((sum, entry) => sum + entry, 0);
      if (claimed > samples + 1) throw new BrokenBoxes(`${box.type} has more samples than there are`);
    } else if (box.type === 'stsc') {
      const chunks = entriesOf(view, box, 12);
      if (chunks.some(chunk => chunk > samples + 1)) throw new BrokenBoxes('more chunks than samples');
      // To find one sample, a reader counts through all samples of its chunk, so chunks must not be too large.
      const most = entriesOf(view, box, 12, 4).reduce((max, perChunk) => Math.max(max, perChunk), 0);
      if (most > samples + 1 || most * samples > MAX_STEPS)
        throw new BrokenBoxes('chunks of more samples than there are');
    }
  }
}

function boxesWithin(view: DataView, from: number, to: number): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    const box = parseBox(view, at, 0, to);
    if (box.end > to) throw new BrokenBoxes(`box ${box.type} reaches beyond the one around it`);
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

function checkBoxes(view: DataView, from: number, to: number, depth: number, count: SampleCount): void {
  if (depth > MAX_DEPTH) throw new BrokenBoxes('boxes within boxes without end');
  for (const box of boxesWithin(view, from, to)) {
    if (box.type === 'stbl') checkTables(view, boxesWithin(view, box.contentStart, box.end), count);
    else if (CONTAINERS.has(box.type)) checkBoxes(view, box.contentStart, box.end, depth + 1, count);
    else if (box.type === 'trun') claim(count, view.getUint32(box.contentStart + 4));
  }
}

async function checkIndex(file: FileHandle, box: Box, count: SampleCount): Promise<void> {
  const bytes = box.end - box.start;
  if (bytes > MAX_INDEX_BYTES) throw new BrokenBoxes('an index larger than any video needs');
  const view = await readExactly(file, box.start, bytes);
  try {
    checkBoxes(view, 0, view.byteLength, 0, count);
  } catch (error) {
    // If a table ends within its own header, the view throws a RangeError.
    if (error instanceof RangeError) throw new BrokenBoxes('an index that ends in the middle', { cause: error });
    throw error;
  }
}

/**
 * Reads the headers and indexes of the boxes of an MP4 or QuickTime file. Undefined for another kind of file.
 * @throws BrokenBoxes when it is cut off or claims more than it can contain
 */
async function readMp4Structure(file: FileHandle, fileBytes: number, signal: AbortSignal) {
  const seen: Box[] = [];
  const count = { left: Math.min(MAX_SAMPLES, fileBytes) };
  for (let at = 0; at + 8 <= fileBytes; ) {
    signal.throwIfAborted();
    const head = await readExactly(file, at, Math.min(16, fileBytes - at));
    if (seen.length === 0 && !FIRST_TYPES.has(typeAt(head, 0))) return undefined;
    const box = parseBox(head, 0, at, fileBytes);
    if (box.end > fileBytes && ESSENTIAL.has(box.type)) throw new BrokenBoxes(`cut off within ${box.type}`);
    if (box.type === 'moov' || box.type === 'moof') await checkIndex(file, box, count);
    seen.push(box);
    if (seen.length > MAX_TOP_BOXES) throw new BrokenBoxes('more boxes than any video has');
    at = box.end;
  }
  const index = seen.findIndex(({ type }) => type === 'moov');
  const media = seen.findIndex(({ type }) => type === 'mdat');
  if (index < 0 || media < 0) throw new BrokenBoxes(index < 0 ? 'no index' : 'no media');
  return {
    /** True when the index comes before the media, so that the file can be played while it loads. */
    fastStart: index < media,
    isFragmented: seen.some(({ type }) => type === 'moof'),
  };
}
