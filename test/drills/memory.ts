import { readFileSync } from 'node:fs';
import { ask } from './bystander.ts';

/** Where a process's resident memory is, in megabytes. */
export interface MemoryFigures {
  readonly resident: number;
  /** V8's heap of the main thread: what is used, which is only right just after a collection, and what is taken from the system. */
  readonly heapUsed: number;
  readonly heapTotal: number;
  /** What objects of the main thread hold outside that heap. */
  readonly external: number;
  /** What the allocator of C has in use or keeps: its main heap, and the arenas of other threads. */
  readonly mainArena: number;
  readonly otherArenas: number;
  /** Programs and libraries, and files that are mapped. */
  readonly files: number;
  /** Other anonymous memory: V8's heaps of all threads, large blocks, stacks. */
  readonly anonymous: number;
}

const MEGABYTE = 1024 * 1024;
/** An arena of glibc begins at a multiple of this and reserves as much. */
const ARENA_BYTES = 64 * MEGABYTE;

export async function readMemory(pid: number | undefined, origin: string, apiKey: string): Promise<MemoryFigures> {
  const { body } = await ask(`${origin}/metrics`, '127.0.0.52', { 'x-api-key': apiKey });
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1] ?? Number.NaN) / MEGABYTE;
  return {
    ...parseMappings(readFileSync(`/proc/${pid}/smaps`, 'utf8')),
    heapUsed: metric('nodejs_heap_size_used_bytes'),
    heapTotal: metric('nodejs_heap_size_total_bytes'),
    external: metric('nodejs_external_memory_bytes'),
  };
}

const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ (\d+) *(.*)$/;

/** From the text of `/proc/PID/smaps`. */
export function parseMappings(
  smaps: string,
): Pick<MemoryFigures, 'resident' | 'mainArena' | 'otherArenas' | 'files' | 'anonymous'> {
  const sums = { mainArena: 0, otherArenas: 0, files: 0, anonymous: 0 };
  let kind: keyof typeof sums = 'anonymous';
  let arenaEnd = 0;
  for (const line of smaps.split('\n')) {
    const [, from = '', to = '', mode = '', inode = '0', name = ''] = MAPPING.exec(line) ?? [];
    if (from !== '') {
      const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
      if (inode !== '0') kind = 'files';
      else if (name === '[heap]') kind = 'mainArena';
      else if (mode === 'rw-p' && name === '' && start % ARENA_BYTES === 0 && end - start <= ARENA_BYTES) {
        kind = 'otherArenas';
        arenaEnd = start + ARENA_BYTES;
      } else kind = start < arenaEnd ? 'otherArenas' : 'anonymous';
    }
    const kilobytes = /^Rss: +(\d+) kB$/.exec(line)?.[1];
    if (kilobytes !== undefined) sums[kind] += Number(kilobytes) / 1024;
  }
  return { ...sums, resident: sums.mainArena + sums.otherArenas + sums.files + sums.anonymous };
}
