/** How the played sites search: enough of the real ones' language to distinguish a kept promise from a broken one. */
import type { SandboxMap, SandboxSet } from './beatmap-world.ts';

export interface Wanted {
  readonly text: string;
  readonly mode: number | null;
  /** Numbers of statuses; empty for those with a leaderboard. */
  readonly statuses: readonly number[];
  /** `field_asc`, `field_desc` with osu!'s words for fields. */
  readonly sort: string;
}

type Test = (set: SandboxSet, map: SandboxMap) => boolean;

const VALUES: Readonly<Record<string, (set: SandboxSet, map: SandboxMap) => number>> = {
  stars: (_, map) => map.stars,
  ar: (_, map) => map.ar,
  od: (_, map) => map.od,
  cs: (_, map) => map.cs,
  hp: (_, map) => map.hp,
  keys: (_, map) => (map.mode === 3 ? map.cs : -1),
  bpm: set => set.bpm,
  length: (_, map) => map.length,
  favourites: set => set.favourites,
  // Whole years are enough; `osu-shapes.ts` writes the same day.
  ranked: set => new Date((set.submitted + 30 * 86_400) * 1_000).getUTCFullYear(),
};

function compare(operator: string, value: number, bound: number): boolean {
  if (operator === '>') return value > bound;
  if (operator === '>=') return value >= bound;
  if (operator === '<') return value < bound;
  return operator === '<=' ? value <= bound : Math.abs(value - bound) < 0.06;
}

function filterOf(token: string): Test | undefined {
  const [, key = '', operator = '', value = ''] = /^([a-z]+)(>=|<=|[=:<>])"?([^"]*)"?$/i.exec(token) ?? [];
  const read = VALUES[key];
  const bound = Number.parseFloat(value);
  if (read !== undefined && !Number.isNaN(bound)) return (set, map) => compare(operator, read(set, map), bound);
  const lower = value.toLowerCase();
  if (key === 'creator') return set => set.creator.toLowerCase().includes(lower);
  if (key === 'artist') return set => set.artist.toLowerCase().includes(lower);
  if (key === 'title') return set => set.title.toLowerCase().includes(lower);
  return undefined;
}

const haystacks = new WeakMap<SandboxSet, string>();

function haystackOf(set: SandboxSet): string {
  const known = haystacks.get(set);
  if (known !== undefined) return known;
  const { id, artist, artistUnicode, title, titleUnicode, creator, tags } = set;
  const made = [id, artist, artistUnicode, title, titleUnicode, creator, tags].join(' ').toLowerCase();
  haystacks.set(set, made);
  return made;
}

const SORTS: Readonly<Record<string, (set: SandboxSet) => number | string>> = {
  artist: set => set.artist,
  title: set => set.title,
  creator: set => set.creator,
  plays: set => set.plays,
  favourites: set => set.favourites,
  ranked: set => set.submitted,
  updated: set => set.submitted,
  difficulty: set => Math.max(...set.maps.map(map => map.stars)),
};

const latest = new WeakMap<readonly SandboxSet[], { readonly key: string; readonly found: readonly SandboxSet[] }>();

/** What was found last is remembered: long lists are asked for page after page. */
export function searchSets(sets: readonly SandboxSet[], wanted: Wanted): readonly SandboxSet[] {
  const key = JSON.stringify(wanted);
  const known = latest.get(sets);
  if (known?.key === key) return known.found;
  const found = findSets(sets, wanted);
  latest.set(sets, { key, found });
  return found;
}

function findSets(sets: readonly SandboxSet[], { text, mode, statuses, sort }: Wanted): readonly SandboxSet[] {
  const tokens = text.toLowerCase().match(/[a-z]+(?:>=|<=|[=:<>])"[^"]*"|\S+/g) ?? [];
  const filters = tokens.flatMap(token => filterOf(token) ?? []);
  const words = tokens.filter(token => filterOf(token) === undefined).map(word => word.replaceAll('"', ''));
  const allowed = statuses.length === 0 ? [1, 2, 4] : statuses;
  const found = sets.filter(
    set =>
      allowed.includes(set.status) &&
      words.every(word => haystackOf(set).includes(word)) &&
      set.maps.some(map => (mode === null || map.mode === mode) && filters.every(test => test(set, map))),
  );
  const [field = '', order] = sort.split('_');
  const read = SORTS[field] ?? (set => set.plays);
  const sign = order === 'asc' ? 1 : -1;
  return found.sort((a, b) => {
    const [x, y] = [read(a), read(b)];
    return (x < y ? -1 : x > y ? 1 : a.id - b.id) * sign;
  });
}
