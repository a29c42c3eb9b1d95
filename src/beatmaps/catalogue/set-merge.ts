import type { Beatmap, Beatmapset } from '../model/beatmapset.ts';

/** What the fresh one does not say is taken from the known one. */
export function mergeSets(known: Beatmapset, fresh: Beatmapset): Beatmapset {
  const maps = new Map(known.beatmaps.map(beatmap => [beatmap.id, beatmap]));
  return {
    ...fillNulls(known, fresh),
    source: fresh.source || known.source,
    tags: fresh.tags || known.tags,
    beatmaps: fresh.beatmaps.map(beatmap => mergeBeatmaps(maps.get(beatmap.id), beatmap)),
  };
}

function mergeBeatmaps(known: Beatmap | undefined, fresh: Beatmap): Beatmap {
  if (known === undefined) return fresh;
  return { ...fillNulls(known, fresh), owners: fresh.owners.length > 0 ? fresh.owners : known.owners };
}

function fillNulls<T extends object>(known: T, fresh: T): T {
  const given = Object.fromEntries(Object.entries(fresh).filter(([, value]) => value !== null));
  return { ...fresh, ...known, ...given };
}
