/** The worlds of all rulesets, made before anything is measured, two at a time. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Beatmapset, Ruleset } from '../../../src/beatmaps/model/beatmapset.ts';
import type { LibraryPlayer } from './library-player.ts';

export interface Prepared {
  readonly sets: readonly Beatmapset[];
  /** By how many plays are known of them. */
  readonly players: ReadonlyMap<number, readonly LibraryPlayer[]>;
}

export interface WorldSize {
  /** Of a ruleset. */
  readonly sets: number;
  readonly players: number;
  readonly plays: readonly number[];
}

const AT_ONCE = 2;

const CHILD = fileURLToPath(new URL('./library-child.ts', import.meta.url));

async function prepare(ruleset: Ruleset, size: WorldSize): Promise<Prepared> {
  const child = fork(CHILD, [JSON.stringify({ ruleset, ...size })], { serialization: 'advanced' });
  try {
    const [prepared] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`the world of ${ruleset} ended with ${code}`))),
    ]);
    return prepared;
  } finally {
    child.kill();
  }
}

export async function prepareWorlds(
  rulesets: readonly Ruleset[],
  size: WorldSize,
): Promise<ReadonlyMap<Ruleset, Prepared>> {
  const worlds = new Map<Ruleset, Prepared>();
  const waiting = rulesets.values();
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (const ruleset of waiting) worlds.set(ruleset, await prepare(ruleset, size));
  });
  await Promise.all(lanes);
  return worlds;
}
