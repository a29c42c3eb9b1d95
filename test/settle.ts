import { setTimeout as pause } from 'node:timers/promises';

const TURNS = 10;

/**
 * Lets what is under way come to its end, as far as it shows by then. In turns, since a process that stood still wakes to its
 * timers before it reads what was sent to it.
 */
export async function settle(ms = 200): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await pause(ms / TURNS);
}
