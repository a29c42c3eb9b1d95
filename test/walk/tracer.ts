/** Runs inside the traced program, which calls `walk` at the head of every function. The parent process says when a trace begins and ends. */
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** A request is over when nothing has been called for this long after its answer. */
const QUIET_MS = 150;

let calls: number[] | undefined;

export function walk(id: number): void {
  calls?.push(id);
}

async function endTrace(traced: readonly number[]): Promise<void> {
  for (let before = -1; before !== traced.length; await pause(QUIET_MS)) before = traced.length;
  calls = undefined;
  process.send?.(traced);
}

if (isMainThread) {
  process.on('message', message => {
    if (message === 'end') return endTrace(calls ?? []);
    calls = [];
    return process.send?.('begun');
  });
}
