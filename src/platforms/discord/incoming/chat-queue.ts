export interface LaneLimits {
  /** Tasks of one key at once. */
  readonly running: number;
  /** Tasks of one key that may wait. */
  readonly waiting: number;
}

/** Work side by side, where no chat takes the place of others. */
export interface Lanes {
  /** False when too much of that key waits already; the task is not run then. It owns its failures. */
  run(key: string, task: () => Promise<void>): boolean;
  /** What waits is dropped. Resolves when nothing runs any more. */
  drain(): Promise<void>;
}

interface Lane {
  running: number;
  readonly waiting: (() => Promise<void>)[];
}

export function createLanes({ running, waiting }: LaneLimits): Lanes {
  const lanes = new Map<string, Lane>();
  const tasks = new Set<Promise<void>>();
  let draining = false;

  function start(key: string, lane: Lane, task: () => Promise<void>): void {
    lane.running += 1;
    const done = task().finally(() => {
      tasks.delete(done);
      lane.running -= 1;
      const next = lane.waiting.shift();
      if (next) start(key, lane, next);
      else if (lane.running === 0) lanes.delete(key);
    });
    tasks.add(done);
  }

  return {
    run(key, task) {
      if (draining) return false;
      const lane = lanes.get(key) ?? { running: 0, waiting: [] };
      if (lane.running >= running && lane.waiting.length >= waiting) return false;
      lanes.set(key, lane);
      if (lane.running < running) start(key, lane, task);
      else lane.waiting.push(task);
      return true;
    },
    async drain() {
      draining = true;
      for (const lane of lanes.values()) lane.waiting.length = 0;
      while (tasks.size > 0) await Promise.allSettled(tasks);
    },
  };
}
