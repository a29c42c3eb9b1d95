/** Collected bodies that are longer take turns. */
const MAX_HASTY_BYTES = 64 * 1024;

/**
 * Large bodies that arrive at the same time, taken up one more at each turn of the event loop. Read side by side, all of them would be
 * whole only when the last one is, and in memory as long; and nothing else would be done until all of them were looked through.
 * Where there is little to do turns are short, and nothing waits.
 */
export interface BodyTurns {
  /** Whether a body that has grown from one length to the other has now to wait for its turn. */
  isDue(bytesBefore: number, bytes: number): boolean;
  /** Calls back when it is its turn. */
  wait(goOn: () => void): void;
}

export function createBodyTurns(): BodyTurns {
  const waiting: (() => void)[] = [];
  let isScheduled = false;

  function schedule(): void {
    isScheduled = true;
    setImmediate(() => {
      waiting.shift()?.();
      if (waiting.length > 0) schedule();
      else isScheduled = false;
    });
  }

  return {
    isDue: (bytesBefore, bytes) => bytesBefore <= MAX_HASTY_BYTES && bytes > MAX_HASTY_BYTES,
    wait(goOn) {
      waiting.push(goOn);
      if (!isScheduled) schedule();
    },
  };
}
