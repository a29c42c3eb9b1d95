/** Three mirrors of osu!, each with its own spelling of questions and its own slips in answers. */
import { type Answer, type Ask, json, plain } from './answer.ts';
import { searchSets } from './beatmap-search.ts';
import type { BeatmapWorld, SandboxSet } from './beatmap-world.ts';
import { osuFile } from './osu-file.ts';
import { mapShape, setShape } from './osu-shapes.ts';

const MIRRORS = { 'osu-direct': 'osu.direct', hinai: 'mirror.hinamizawa.ai', catboy: 'catboy.best' } as const;
type MirrorName = keyof typeof MIRRORS;
export type MirrorEndpoint = `${MirrorName}.${'search' | 'set' | 'map'}` | 'osu-direct.file' | 'catboy.file';

export const MIRROR_ENDPOINTS = [
  'osu-direct.search',
  'osu-direct.set',
  'osu-direct.map',
  'osu-direct.file',
  'hinai.search',
  'hinai.set',
  'hinai.map',
  'catboy.search',
  'catboy.set',
  'catboy.map',
  'catboy.file',
] as const satisfies readonly MirrorEndpoint[];

export const MIRROR_HOSTS: readonly string[] = Object.values(MIRRORS);

const ROUTES: readonly (readonly [MirrorEndpoint, RegExp])[] = [
  ['osu-direct.search', /^\/api\/v2\/search$/],
  ['osu-direct.set', /^\/api\/v2\/s\/\d+$/],
  ['osu-direct.map', /^\/api\/v2\/b\/\d+$/],
  ['osu-direct.file', /^\/api\/osu\/\d+$/],
  ['hinai.search', /^\/v3\/osu\/beatmaps\/search\/v2$/],
  ['hinai.set', /^\/v3\/osu\/beatmaps\/s\/\d+$/],
  ['hinai.map', /^\/api\/v2\/beatmaps$/],
  ['catboy.search', /^\/api\/v2\/search$/],
  ['catboy.set', /^\/api\/v2\/s\/\d+$/],
  ['catboy.map', /^\/api\/v2\/b\/\d+$/],
  ['catboy.file', /^\/osu\/\d+$/],
];

function nameOf(endpoint: MirrorEndpoint): MirrorName {
  return endpoint.startsWith('hinai') ? 'hinai' : endpoint.startsWith('catboy') ? 'catboy' : 'osu-direct';
}

export function mirrorEndpoint({ host, url }: Ask): MirrorEndpoint | undefined {
  return ROUTES.find(([endpoint, path]) => MIRRORS[nameOf(endpoint)] === host && path.test(url.pathname))?.[0];
}

/** What each leaves out or writes in another way. */
function rowOf(name: MirrorName, set: SandboxSet): object {
  const { covers, pack_tags: _, ...shape } = setShape(set);
  if (name === 'osu-direct') return { ...shape, covers, artist_unicode: null, title_unicode: null };
  if (name === 'hinai') return { ...shape, bpm: String(set.bpm), nsfw: set.nsfw ? 1 : 0 };
  return { ...shape, last_updated: set.submitted + 86_400, last_checked: '2026-11-01T00:00:00Z', set: null };
}

const MINO_SORTS: Readonly<Record<string, string>> = {
  artist: 'artist',
  title: 'title',
  'beatmaps.difficulty_rating': 'difficulty',
  favourite_count: 'favourites',
  play_count: 'plays',
  ranked_date: 'ranked',
  last_updated: 'updated',
};

const WORDS: Readonly<Record<string, readonly number[]>> = {
  ranked: [1, 2],
  qualified: [3],
  loved: [4],
  pending: [0],
  graveyard: [-2],
};

function answerMino(name: MirrorName, { searchParams }: URL, { sets }: BeatmapWorld): Answer {
  const [attribute = '', order = 'desc'] = searchParams.get('sort')?.split(':') ?? [];
  const sort = attribute === '' ? 'relevance' : MINO_SORTS[attribute];
  if (sort === undefined) return json({ error: `Attribute ${attribute} is not sortable` }, 500);
  const statuses = searchParams.getAll('status').map(Number);
  if (name === 'osu-direct' && statuses.some(status => Number.isNaN(status))) return json({ error: 'status' }, 403);
  const mode = searchParams.get('mode');
  const found = searchSets(sets, {
    // Each reads another of the two spellings.
    text: searchParams.get(name === 'catboy' ? 'query' : 'q') ?? '',
    mode: mode === null ? null : Number(mode),
    statuses: name === 'osu-direct' ? statuses.slice(0, 1) : statuses,
    sort: `${sort}_${order}`,
  });
  const offset = Number(searchParams.get('offset') ?? 0);
  const limit = Number(searchParams.get(name === 'catboy' ? 'limit' : 'amount') ?? 50);
  return json(found.slice(offset, offset + limit).map(set => rowOf(name, set)));
}

function answerHinai({ searchParams }: URL, { sets }: BeatmapWorld): Answer {
  const bound = (name: string, operator: string, key: string) => {
    const value = searchParams.get(name);
    return value === null ? '' : `${key}${operator}${value} `;
  };
  const bounds = ['stars', 'bpm', 'length'].map(key => bound(`min_${key}`, '>=', key) + bound(`max_${key}`, '<', key));
  const mode = searchParams.get('mode');
  const found = searchSets(sets, {
    text: `${bounds.join('')}${searchParams.get('query') ?? ''}`,
    mode: mode === null ? null : Number(mode),
    statuses: WORDS[searchParams.get('status') ?? ''] ?? [],
    sort: searchParams.get('sort') ?? 'relevance_desc',
  });
  const limit = Number(searchParams.get('limit') ?? 20);
  const from = Number(searchParams.get('page') ?? 0) * limit;
  return json({
    beatmapsets: found.slice(from, from + limit).map(set => rowOf('hinai', set)),
    total_count: found.length,
    source: 'local',
  });
}

function answerMap(name: MirrorName, { pathname, searchParams }: URL, { sets }: BeatmapWorld): Answer {
  const id = Number(searchParams.get('ids') ?? pathname.split('/').at(-1));
  const rows = sets.flatMap(set => set.maps.filter(map => map.id === id).map(map => mapShape(set, map)));
  if (name === 'hinai') return json(rows);
  return rows[0] === undefined ? json({ error: 'Beatmap not found' }, 404) : json(rows[0]);
}

function answerFile({ pathname }: URL, { sets }: BeatmapWorld): Answer {
  const id = Number(pathname.split('/').at(-1));
  const files = sets.flatMap(set => set.maps.filter(map => map.id === id).map(map => osuFile(set, map)));
  if (files[0] === undefined) return json({ error: 'Beatmap not found' }, 404);
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: files[0] };
}

export function answerMirror(endpoint: MirrorEndpoint, { url }: Ask, world: BeatmapWorld): Answer {
  const name = nameOf(endpoint);
  if (endpoint.endsWith('.search')) return name === 'hinai' ? answerHinai(url, world) : answerMino(name, url, world);
  if (endpoint.endsWith('.file')) return answerFile(url, world);
  if (endpoint.endsWith('.map')) return answerMap(name, url, world);
  const set = world.sets.find(({ id }) => id === Number(url.pathname.split('/').at(-1)));
  return set === undefined ? json({ error: 'Beatmapset not found', code: 'not_found' }, 404) : json(rowOf(name, set));
}

/** The same question without anything asked: what a mirror answers that does not know a parameter's name. */
export function withoutQuery(ask: Ask): Ask {
  const url = new URL(ask.url.pathname, ask.url);
  for (const name of ['offset', 'page', 'amount', 'limit', 'ids']) {
    const value = ask.url.searchParams.get(name);
    if (value !== null) url.searchParams.set(name, value);
  }
  return { ...ask, url };
}

export function answerOtherMirror(): Answer {
  return plain(404, 'Not Found');
}
