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

/** In megabytes. */
export function readResident(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ (\d+) *(.*)$/m;

/** From the text of `/proc/PID/smaps`. */
function parseMappings(
  smaps: string,
): Pick<MemoryFigures, 'resident' | 'mainArena' | 'otherArenas' | 'files' | 'anonymous'> {
  const sums = { mainArena: 0, otherArenas: 0, files: 0, anonymous: 0 };
  const mappings = smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).flatMap(text => readMapping(text) ?? []);
  for (const [place, mapping] of mappings.entries()) sums[kindOf(mapping, mappings[place + 1])] += mapping.resident;
  return { ...sums, resident: sums.mainArena + sums.otherArenas + sums.files + sums.anonymous };
}

interface Mapping {
  readonly start: number;
  readonly end: number;
  readonly mode: string;
  readonly isFile: boolean;
  readonly name: string;
  readonly resident: number;
}

function readMapping(text: string): Mapping | undefined {
  const [, from = '', to = '', mode = '', inode = '', name = ''] = MAPPING.exec(text) ?? [];
  if (from === '') return undefined;
  const resident = Number(/^Rss: +(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1024;
  return {
    start: Number.parseInt(from, 16),
    end: Number.parseInt(to, 16),
    mode,
    isFile: inode !== '0',
    name,
    resident,
  };
}

function kindOf({ start, end, mode, isFile, name }: Mapping, next: Mapping | undefined) {
  if (isFile) return 'files';
  if (name === '[heap]') return 'mainArena';
  // What an arena does not use yet is reserved behind it.
  const isReserved = next?.start === end && next.mode === '---p' && next.end === start + ARENA_BYTES;
  return mode === 'rw-p' && start % ARENA_BYTES === 0 && isReserved ? 'otherArenas' : 'anonymous';
}
