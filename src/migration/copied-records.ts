import { COLLECTIONS } from './collections.ts';

export interface Copied {
  readonly found: number;
  readonly added: number;
}

/** A line for each collection that had records, in one order. @param counts by the collection's name */
export function describeRecords(counts: ReadonlyMap<string, Copied>): readonly string[] {
  const known = COLLECTIONS.flatMap(({ options, label }) => {
    const count = counts.get(options.name);
    if (count === undefined) return [];
    const { found, added } = count;
    return [`${label}: ${added} copied${found > added ? `, ${found - added} there already` : ''}`];
  });
  const names: readonly string[] = COLLECTIONS.map(({ options }) => options.name);
  const others = [...counts].filter(([name]) => !names.includes(name));
  return [...known, ...others.map(([name, { found }]) => `${name}: ${found} left, unknown to this version`)];
}
