/** The stored form of a set: its fields in a fixed order, its difficulties column by column, all of it compressed. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { type Beatmap, type Beatmapset, beatmapSchema, beatmapsetSchema } from '../model/beatmapset.ts';

const SET_FIELDS = beatmapsetSchema.omit({ beatmaps: true }).keyof().options;
const MAP_FIELDS = beatmapSchema.keyof().options;

/**
 * The compression's dictionary. The most common texts are at its end, to which the compression refers with the fewest
 * bits. A change of the dictionary would make all stored sets unreadable.
 */
const DICTIONARY = Buffer.from(
  'variousartists cover remix feat game opening ending original soundtrack instrumental electronic japanese english anime video ' +
    'featured artist collab gekkai touhou vocaloid the of a no graveyard loved pending approved qualified wip true false ' +
    '"Beginner","Cup","Salad","Platter","Rain","Overdose","Kantan","Futsuu","Muzukashii","Oni","Inner Oni","Expert","Extra",' +
    '[4,7,6,5],["mania"],["fruits"],["taiko"],["osu","taiko","mania"],[{"id":1,"username":"' +
    '[9,8.5,8,7,6,5,9.2,9.3,9.4,9.5,9.6],[4,3.5,3,4.2],[120,140,150,160,170,174,175,180,190,200,220],' +
    '[901,"","","","",77,"","",' +
    '"ranked",180,100,10000,9.1,false,false,false,10,3,"2012-11-01T00:00:00Z","2016-05-04T10:00:00Z","2021-08-20T12:30:00+00:00",' +
    '"https://b.ppy.sh/preview/901.mp3",false,null,"https://assets.ppy.sh/beatmaps/901/covers/cover.jpg?1622000000",' +
    '"https://assets.ppy.sh/beatmaps/901/covers/card.jpg?1622000000","https://assets.ppy.sh/beatmaps/901/covers/list.jpg?1622000000",' +
    '5,[9010,9011,9012,9013,9014],[901],["osu"],["ranked"],["Easy","Normal","Hard","Insane"," s Extra"],[1.5,2.3,3.4,4.6,5.9],' +
    '[180],[170],[180],[9],[8],[4],[5],[900],[400],[200],[1],[10000],[2000],[null],[[]],[77]]',
);
/** A set's text is short, so a larger compression window would only take memory. */
const PACKING = { dictionary: DICTIONARY, level: 6, windowBits: 12, memLevel: 5 };
const UNPACKING = { dictionary: DICTIONARY, windowBits: 12, maxOutputLength: 4 * 1024 * 1024 };

/** Writes a set as text, always the same text for the same set. */
export function renderBody(set: Beatmapset): string {
  const columns = MAP_FIELDS.map(field => {
    const values = set.beatmaps.map(beatmap => beatmap[field]);
    const [first] = values;
    const isOne = Array.isArray(first)
      ? values.every(value => Array.isArray(value) && value.length === 0)
      : values.every(value => value === first);
    return isOne ? [first] : values;
  });
  return JSON.stringify([...SET_FIELDS.map(field => set[field]), set.beatmaps.length, ...columns]);
}

const List = z.array(z.unknown());

/** Parses a stored set; undefined when an older version stored it in another shape. */
export function parseBody(text: string): Beatmapset | undefined {
  const values = List.parse(JSON.parse(text));
  // The stored list is the set's fields, the number of difficulties, then a list for each field of the difficulties.
  // Since older versions had fewer fields of a set, the number of difficulties is found as the value before the first
  // list.
  const count = values.findIndex(Array.isArray) - 1;
  const fields = Object.fromEntries(SET_FIELDS.slice(0, count).map((field, index) => [field, values[index]]));
  const columns = values.slice(count + 1).map(column => List.parse(column));
  const beatmaps = Array.from({ length: Number(values[count]) }, (_, row) =>
    Object.fromEntries(
      MAP_FIELDS.map((field, index) => [
        field,
        columns[index]?.length === 1 ? columns[index][0] : columns[index]?.[row],
      ]),
    ),
  );
  return beatmapsetSchema.safeParse({ ...fields, beatmaps }).data;
}

export function packBody(text: string): Uint8Array {
  return deflateRawSync(text, PACKING);
}

export function unpackBody(packed: Uint8Array): string {
  return inflateRawSync(packed, UNPACKING).toString();
}

/** The fresh set; values that it lacks are taken from the known set. */
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
