/** How long the event loop of the calling thread kept timers waiting, in milliseconds. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopDelay {
  readonly p99: number;
  readonly max: number;
}

export async function measureLoopDelay(work: () => Promise<void>): Promise<LoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  // The histogram begins to count with its own first timer.
  await new Promise(resolve => setTimeout(resolve, 5));
  histogram.reset();
  await work();
  histogram.disable();
  return { p99: histogram.percentile(99) / 1e6, max: histogram.max / 1e6 };
}

/** `MEDIAN (LEAST to MOST)` of several rounds. */
export function renderSpread(values: readonly number[], digits = 1): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [least = Number.NaN] = sorted;
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${(sorted.at(-1) ?? Number.NaN).toFixed(digits)})`;
}
