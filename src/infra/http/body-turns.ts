/** Its data can be held back in the system's own buffers. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/**
 * Large bodies that arrive at the same time, taken up one more at each turn of the event loop. Read side by side, all of them would be
 * whole only when the last one is, and in memory as long. Where there is little to do turns are short, and nothing waits.
 */
export interface BodyTurns {
  /** Pauses the body until its turn. */
  wait(body: Pausable): void;
}

export function createBodyTurns(): BodyTurns {
  const waiting: Pausable[] = [];
  let isScheduled = false;

  function schedule(): void {
    isScheduled = true;
    setImmediate(() => {
      waiting.shift()?.resume();
      if (waiting.length > 0) schedule();
      else isScheduled = false;
    });
  }

  return {
    wait(body) {
      body.pause();
      waiting.push(body);
      if (!isScheduled) schedule();
    },
  };
}
