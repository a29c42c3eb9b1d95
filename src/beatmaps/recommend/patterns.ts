import type { MapDifficulty } from '../difficulty/difficulty.ts';

/** What the library found a map to be made of, by name, each from 0 to 1. */
export type Patterns = Readonly<Record<string, number>>;

/** How far apart two maps are in something that players would call another kind of map. */
const FAR = 0.12;
/** Nothing is so far off that it could not be made up for. */
const MAX_DISTANCE = 3;

export function patternsOf({ aim, speed, patterns = {} }: Pick<MapDifficulty, 'aim' | 'speed' | 'patterns'>): Patterns {
  if (aim === undefined || speed === undefined || aim + speed <= 0) return patterns;
  return { ...patterns, aim: aim / (aim + speed) };
}

/** The middle of several maps' patterns. */
export function usualPatterns(maps: readonly Patterns[]): Patterns {
  const names = new Set(maps.flatMap(map => Object.keys(map)));
  return Object.fromEntries(
    [...names].map(name => {
      const values = maps.flatMap(map => map[name] ?? []).toSorted((a, b) => a - b);
      return [name, values[Math.floor(values.length / 2)] ?? 0];
    }),
  );
}

/** 0 for the same kind of map; 1 for one that is far off in a single thing. Things that only one of them has do not count. */
export function patternDistance(map: Patterns, usual: Patterns): number {
  const shared = Object.keys(map).filter(name => Object.hasOwn(usual, name));
  const distances = shared.map(name => Math.min(MAX_DISTANCE, Math.abs((map[name] ?? 0) - (usual[name] ?? 0)) / FAR));
  return Math.sqrt(distances.reduce((sum, distance) => sum + distance ** 2, 0));
}
