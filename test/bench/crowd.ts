/** How much of the machine others took while something was measured: their processes, and the machine's neighbours (steal). */
import { readdirSync, readFileSync } from 'node:fs';

export interface Crowd {
  readonly isCrowded: boolean;
  /** E.g. `12 %, steal 0 %`, or `crowded: 40 %, steal 3 %`. */
  readonly words: string;
}

/** Of the machine's time: more than this and what is measured beside it says little. */
const MOST_SHARE = 0.15;
const MOST_STEAL = 0.02;
const REPEATS = 2;

interface Ticks {
  readonly all: number;
  readonly busy: number;
  readonly steal: number;
  /** Of this process and of all that it started. */
  readonly own: number;
}

/** Fields of /proc/PID/stat behind the program's name: parent at 1, user and system time at 11 and 12, its ended children's at 13 and 14. */
function readProcesses(): ReadonlyMap<number, { readonly parent: number; readonly ticks: number }> {
  const found = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
      found.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // It has ended since the folder was read.
    }
  }
  return found;
}

function ownTicks(): number {
  const processes = readProcesses();
  let sum = 0;
  for (const [pid, { ticks }] of processes) {
    let at = pid;
    while (at > 1 && at !== process.pid) at = processes.get(at)?.parent ?? 0;
    if (at === process.pid) sum += ticks;
  }
  return sum;
}

function readTicks(): Ticks | undefined {
  if (process.platform !== 'linux') return undefined;
  const [user = 0, nice = 0, system = 0, idle = 0, io = 0, irq = 0, soft = 0, steal = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  const busy = user + nice + system + irq + soft;
  return { all: busy + idle + io + steal, busy, steal, own: ownTicks() };
}

/** Runs it and says how crowded the machine was; undefined where the system does not say. */
export async function watchCrowd<T>(run: () => Promise<T>): Promise<{ readonly value: T; readonly crowd?: Crowd }> {
  const before = readTicks();
  const value = await run();
  const after = readTicks();
  if (before === undefined || after === undefined) return { value };
  const all = Math.max(1, after.all - before.all);
  const others = Math.max(0, after.busy - before.busy - (after.own - before.own)) / all;
  const steal = (after.steal - before.steal) / all;
  const isCrowded = others > MOST_SHARE || steal > MOST_STEAL;
  const words = `${isCrowded ? 'crowded: ' : ''}${(others * 100).toFixed(0)} %, steal ${(steal * 100).toFixed(0)} %`;
  return { value, crowd: { isCrowded, words } };
}

/** Runs it again, twice at most, while others keep the machine busy. The last run counts, with how crowded it was. */
export async function untilQuiet<T>(run: () => Promise<T>): Promise<{ readonly value: T; readonly crowd?: Crowd }> {
  for (let repeat = 0; ; repeat += 1) {
    const measured = await watchCrowd(run);
    if (measured.crowd?.isCrowded !== true || repeat === REPEATS) return measured;
  }
}
