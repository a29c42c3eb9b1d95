/** osu.ppy.sh: the token endpoint and the API v2. */
import { type Answer, type Ask, html, json } from './answer.ts';
import { searchSets } from './beatmap-search.ts';
import type { BeatmapWorld, SandboxPlayer, SandboxSet } from './beatmap-world.ts';
import { answerAttributes, ratedBySandbox } from './osu-attributes.ts';
import { osuFile } from './osu-file.ts';
import { answerMapScores, answerOwnScores, answerRanking, answerUsers } from './osu-plays.ts';
import { compactSet, MODE_NAMES, mapShape, playerShape, scoreShape, setShape, wholeSet } from './osu-shapes.ts';
import { answerAuthorize, answerCode, answerMe, answerRevoke } from './osu-sign-in.ts';

export type OsuEndpoint =
  | 'osu.token'
  | 'osu.authorize'
  | 'osu.me'
  | 'osu.revoke'
  | 'osu.search'
  | 'osu.set'
  | 'osu.map'
  | 'osu.user'
  | 'osu.scores'
  | 'osu.score'
  | 'osu.map-scores'
  | 'osu.own-scores'
  | 'osu.users'
  | 'osu.ranking'
  | 'osu.user-beatmaps'
  | 'osu.attributes'
  | 'osu.file';

export const OSU_ENDPOINTS = [
  'osu.token',
  'osu.authorize',
  'osu.me',
  'osu.revoke',
  'osu.search',
  'osu.set',
  'osu.map',
  'osu.user',
  'osu.scores',
  'osu.score',
  'osu.map-scores',
  'osu.own-scores',
  'osu.users',
  'osu.ranking',
  'osu.user-beatmaps',
  'osu.attributes',
  'osu.file',
] as const satisfies readonly OsuEndpoint[];

/** What the sandbox takes for an application's credentials. */
export const SANDBOX_OSU = { clientId: 4_321, clientSecret: 'SandboxSecretOfAnApplication' } as const;

const TOKEN = 'sandbox.osu.token';
const PAGE = 50;

const ROUTES: readonly (readonly [OsuEndpoint, RegExp])[] = [
  ['osu.file', /^\/osu\/\d+$/],
  ['osu.token', /^\/oauth\/token$/],
  ['osu.authorize', /^\/oauth\/authorize$/],
  ['osu.me', /^\/api\/v2\/me$/],
  ['osu.revoke', /^\/api\/v2\/oauth\/tokens\/current$/],
  ['osu.search', /^\/api\/v2\/beatmapsets\/search$/],
  ['osu.set', /^\/api\/v2\/beatmapsets\/(?:lookup|\d+)$/],
  ['osu.attributes', /^\/api\/v2\/beatmaps\/\d+\/attributes$/],
  ['osu.map', /^\/api\/v2\/beatmaps\/\d+$/],
  ['osu.scores', /^\/api\/v2\/users\/\d+\/scores\/\w+$/],
  ['osu.map-scores', /^\/api\/v2\/beatmaps\/\d+\/scores$/],
  ['osu.own-scores', /^\/api\/v2\/beatmaps\/\d+\/scores\/users\/\d+\/all$/],
  ['osu.users', /^\/api\/v2\/users$/],
  ['osu.ranking', /^\/api\/v2\/rankings\/\w+\/performance$/],
  ['osu.score', /^\/api\/v2\/scores\/(?:\w+\/)?\d+$/],
  ['osu.user-beatmaps', /^\/api\/v2\/users\/\d+\/beatmapsets\/\w+$/],
  ['osu.user', /^\/api\/v2\/users\/[^/]+(?:\/\w+)?$/],
];

export function osuEndpoint({ url }: Ask): OsuEndpoint | undefined {
  return ROUTES.find(([, path]) => path.test(url.pathname))?.[0];
}

function missing(what: string | null): Answer {
  return json({ error: what }, 404);
}

function answerToken({ form, method }: Ask, world: BeatmapWorld): Answer {
  const isKnown =
    form.get('client_id') === String(SANDBOX_OSU.clientId) && form.get('client_secret') === SANDBOX_OSU.clientSecret;
  const grant = form.get('grant_type') ?? '';
  if (method !== 'POST' || !['client_credentials', 'authorization_code'].includes(grant)) {
    return json({ error: 'unsupported_grant_type', message: 'The authorization grant type is not supported.' }, 400);
  }
  if (!isKnown) return json({ error: 'invalid_client', message: 'Client authentication failed' }, 401);
  if (grant === 'authorization_code') return answerCode(form, world);
  return json({ token_type: 'Bearer', expires_in: 86_400, access_token: TOKEN });
}

const STATUS_WORDS: Readonly<Record<string, readonly number[]>> = {
  any: [-2, -1, 0, 1, 2, 3, 4],
  ranked: [1, 2],
  qualified: [3],
  loved: [4],
  pending: [0],
  wip: [-1],
  graveyard: [-2],
};

function readCursor(url: URL): number {
  const page = Number(url.searchParams.get('page') ?? 1);
  const cursor = url.searchParams.get('cursor_string');
  if (cursor === null) return (page - 1) * PAGE;
  const [, offset] = /"from":(\d+)/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return Number(offset ?? 0);
}

function answerSearch({ url }: Ask, { sets }: BeatmapWorld): Answer {
  const mode = url.searchParams.get('m');
  const sort = url.searchParams.get('sort') ?? 'relevance_desc';
  const found = searchSets(sets, {
    text: url.searchParams.get('q') ?? '',
    mode: mode === null ? null : Number(mode),
    statuses: STATUS_WORDS[url.searchParams.get('s') ?? ''] ?? [],
    sort,
  })
    .filter(set => url.searchParams.get('nsfw') === 'true' || !set.nsfw)
    .filter(set => set.spotlight || !(url.searchParams.get('c') ?? '').split('.').includes('spotlights'));
  const from = readCursor(url);
  const page = found.slice(from, from + PAGE);
  const hasMore = from + PAGE < found.length;
  return json({
    beatmapsets: page.map(setShape),
    search: { sort },
    recommended_difficulty: null,
    error: null,
    total: Math.min(found.length, 10_000),
    cursor: hasMore ? { from: from + PAGE } : null,
    cursor_string: hasMore ? Buffer.from(JSON.stringify({ from: from + PAGE })).toString('base64url') : null,
  });
}

function findMap(sets: readonly SandboxSet[], id: number) {
  for (const set of sets) for (const map of set.maps) if (map.id === id) return { set, map };
  return undefined;
}

function answerSet({ url }: Ask, { sets }: BeatmapWorld): Answer {
  const last = url.pathname.split('/').at(-1) ?? '';
  const mapId = Number(url.searchParams.get('beatmap_id'));
  const set = last === 'lookup' ? findMap(sets, mapId)?.set : sets.find(({ id }) => id === Number(last));
  return set === undefined ? missing("Specified beatmap couldn't be found.") : json(wholeSet(set));
}

function answerMap(ask: Ask, world: BeatmapWorld, endpoint: OsuEndpoint): Answer {
  const found = findMap(world.sets, Number(ask.url.pathname.split('/')[4]));
  if (found === undefined) return missing("Specified beatmap difficulty couldn't be found.");
  const { set, map } = found;
  if (endpoint === 'osu.map-scores') return answerMapScores(ask, set, map, world);
  if (endpoint === 'osu.own-scores') return answerOwnScores(ask, set, map, world);
  const { beatmaps: _, ...shallow } = setShape(set);
  const owners = [{ id: set.creatorId, username: set.creator }];
  return json({ ...mapShape(set, map), owners, failtimes: { fail: [], exit: [] }, beatmapset: shallow });
}

function findPlayer({ players }: BeatmapWorld, key: string): SandboxPlayer | undefined {
  const name = key.startsWith('@') ? key.slice(1).toLowerCase() : undefined;
  const isIt = ({ id, username }: SandboxPlayer) =>
    name === undefined ? String(id) === key : username.toLowerCase() === name;
  return players.find(player => isIt(player) && !player.restricted);
}

/** Every third map that gives pp is still to be played: nothing could be recommended to a player who knows them all. */
function playsOf({ sets }: BeatmapWorld, player: SandboxPlayer, mode: string | undefined, isNew: boolean) {
  const maps = sets.flatMap(set => set.maps.map(map => ({ set, map })));
  const own = maps
    .filter(({ set, map }) => (set.status === 1 || set.status === 2) && MODE_NAMES[map.mode] === mode)
    .flatMap(({ set, map }, index) => (index % 3 === 2 ? [] : [scoreShape(player, set, map, index, isNew)]));
  const converts = maps
    .filter(({ map }) => MODE_NAMES[player.playmode] === mode && player.converts?.includes(map.id) === true)
    .map(({ set, map }, index) => {
      const converted = { ...map, mode: player.playmode, stars: ratedBySandbox(map, [], player.playmode) };
      const play = scoreShape(player, set, converted, 900 + index, isNew);
      return { ...play, beatmap: { ...play.beatmap, convert: true } };
    });
  return [...own, ...converts];
}

/** Worth most first, each with its share of the total. */
function bestOf(plays: ReturnType<typeof playsOf>) {
  return plays
    .toSorted((a, b) => b.pp - a.pp)
    .map((play, place) => ({
      ...play,
      weight: { percentage: 100 * 0.95 ** place, pp: play.pp * 0.95 ** place },
    }));
}

function isNewShape({ headers }: Ask): boolean {
  return Number(headers['x-api-version'] ?? 0) >= 20_220_705;
}

/** By its number, or by a ruleset and the number it had in it before 2022. */
function answerScore(ask: Ask, world: BeatmapWorld): Answer {
  const [first, second] = ask.url.pathname.split('/').slice(4);
  const plays = world.players
    .filter(({ playmode }) => second === undefined || MODE_NAMES[playmode] === first)
    .flatMap(player => playsOf(world, player, MODE_NAMES[player.playmode], true));
  const play = plays.find(each =>
    second === undefined
      ? each.id === Number(first)
      : 'legacy_score_id' in each && each.legacy_score_id === Number(second),
  );
  if (play === undefined) return missing(null);
  return json({ ...play, rank_global: 12 });
}

/** Ended after half of the map. */
function failedPlay(play: ReturnType<typeof playsOf>[number]) {
  const half = Math.floor(play.beatmap.count_circles / 2);
  const statistics = { great: half, ok: 6, meh: 2, miss: 11 };
  return { ...play, id: play.id + 500_000, passed: false, rank: 'F', pp: null, max_combo: half, statistics };
}

function answerScores(ask: Ask, world: BeatmapWorld, player: SandboxPlayer): Answer {
  const { searchParams } = ask.url;
  const limit = Number(searchParams.get('limit') ?? 5);
  const offset = Number(searchParams.get('offset') ?? 0);
  const mode = searchParams.get('mode') ?? MODE_NAMES[player.playmode];
  const plays = playsOf(world, player, mode, isNewShape(ask));
  const list = ask.url.pathname.endsWith('/best') ? bestOf(plays) : plays;
  if (!ask.url.pathname.endsWith('/recent')) return json(list.slice(offset, offset + limit));
  const failed = searchParams.get('include_fails') === '1' ? list.slice(3, 4).map(failedPlay) : [];
  return json([...list.slice(0, 1), ...failed, ...list.slice(1)].slice(offset, offset + limit));
}

function answerUserBeatmaps({ url }: Ask, { sets }: BeatmapWorld): Answer {
  const limit = Number(url.searchParams.get('limit') ?? 5);
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const page = sets.filter(set => set.status > 0).slice(offset, offset + limit);
  if (!url.pathname.endsWith('/most_played')) return json(page.map(setShape));
  return json(
    page.flatMap((set, index) =>
      set.maps.slice(0, 1).map(map => ({
        beatmap_id: map.id,
        count: 400 - offset - index,
        beatmap: mapShape(set, map),
        beatmapset: compactSet(set),
      })),
    ),
  );
}

/** Open to everybody. */
function answerFile({ url }: Ask, { sets }: BeatmapWorld): Answer {
  const found = findMap(sets, Number(url.pathname.split('/').at(-1)));
  if (found === undefined) return html('<!DOCTYPE html><title>page missing | osu!</title>', 404);
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: osuFile(found.set, found.map) };
}

const ON_ONE_MAP: ReadonlySet<OsuEndpoint> = new Set(['osu.map', 'osu.map-scores', 'osu.own-scores']);

export function answerOsu(endpoint: OsuEndpoint, ask: Ask, world: BeatmapWorld): Answer {
  if (endpoint === 'osu.token') return answerToken(ask, world);
  if (endpoint === 'osu.authorize') return answerAuthorize(ask, world, SANDBOX_OSU.clientId);
  if (endpoint === 'osu.me') return answerMe(ask, world);
  if (endpoint === 'osu.revoke') return answerRevoke(ask, world);
  if (endpoint === 'osu.file') return answerFile(ask, world);
  if (ask.headers.authorization !== `Bearer ${TOKEN}`) return json({ authentication: 'basic' }, 401);
  if (endpoint === 'osu.search') return answerSearch(ask, world);
  if (endpoint === 'osu.set') return answerSet(ask, world);
  if (endpoint === 'osu.attributes')
    return answerAttributes(ask, findMap(world.sets, Number(ask.url.pathname.split('/')[4]))?.map);
  if (ON_ONE_MAP.has(endpoint)) return answerMap(ask, world, endpoint);
  if (endpoint === 'osu.users') return answerUsers(ask, world);
  if (endpoint === 'osu.ranking') return answerRanking(ask);
  if (endpoint === 'osu.score') return answerScore(ask, world);
  const [key = '', mode] = ask.url.pathname.split('/').slice(4);
  const player = findPlayer(world, decodeURIComponent(key));
  if (player === undefined) return missing(null);
  if (endpoint === 'osu.scores') return answerScores(ask, world, player);
  if (endpoint === 'osu.user-beatmaps') return answerUserBeatmaps(ask, world);
  return json(playerShape(player, mode ?? MODE_NAMES[player.playmode]));
}

export function answerOtherOsu(): Answer {
  return html('<!DOCTYPE html><title>page missing | osu!</title>', 404);
}
