/** Plays on one map, and how players stand, as the API v2 gives them. */
import { type Answer, type Ask, json } from './answer.ts';
import type { BeatmapWorld, SandboxMap, SandboxPlayer, SandboxSet } from './beatmap-world.ts';
import { MODE_NAMES, playerShape, scoreShape } from './osu-shapes.ts';

/** Players that leaderboards alone know. */
const STRANGERS: readonly SandboxPlayer[] = [
  'salt shaker',
  'Window Seat',
  'nine lives',
  'hallway_echo',
  'Tin Whistle',
].map((username, index) => ({
  id: 4_500_001 + index,
  username,
  country: { code: 'NZ', name: 'New Zealand' },
  playmode: 0,
  pp: 12_000 - index * 900,
  rank: 300 + index * 250,
  restricted: false,
}));

function missing(what: string | null): Answer {
  return json({ error: what }, 404);
}

/** Without the map, which these answers leave out. */
function bareScore(player: SandboxPlayer, set: SandboxSet, map: SandboxMap, index: number) {
  const { beatmap: _, beatmapset: __, ...bare } = scoreShape(player, set, map, index, true);
  return bare;
}

/** The strangers and the players who play that ruleset, the highest score first. */
export function answerMapScores({ url }: Ask, set: SandboxSet, map: SandboxMap, { players }: BeatmapWorld): Answer {
  const mode = url.searchParams.get('mode') ?? MODE_NAMES[map.mode];
  const asked = url.searchParams.getAll('mods[]');
  const limit = Number(url.searchParams.get('limit') ?? 50);
  if (set.status <= 0) return json({ scores: [] });
  const here = players.filter(({ restricted, playmode }) => !restricted && MODE_NAMES[playmode] === mode);
  const scores = [...STRANGERS, ...here]
    .map((player, index) => ({ ...bareScore(player, set, map, index), id: 7_000_000_000 + map.id * 10 + index }))
    .filter(({ mods }) => {
      const names = (mods ?? []).map(mod => (typeof mod === 'string' ? mod : mod.acronym));
      const played = names.filter(acronym => acronym !== 'CL');
      if (asked.length === 0) return true;
      return asked.includes('NM') ? played.length === 0 : played.join() === asked.join();
    });
  return json({ score_count: scores.length, scores: scores.slice(0, limit) });
}

/** Who plays the map's ruleset has played every ranked map twice, but for those whose number ends in 9. */
export function answerOwnScores(ask: Ask, set: SandboxSet, map: SandboxMap, { players }: BeatmapWorld): Answer {
  const userId = Number(ask.url.pathname.split('/')[7]);
  const mode = ask.url.searchParams.get('ruleset') ?? MODE_NAMES[map.mode];
  const player = players.find(({ id, restricted }) => id === userId && !restricted);
  if (set.status <= 0) return missing("Specified beatmap difficulty couldn't be found.");
  const isPlayed = player !== undefined && MODE_NAMES[player.playmode] === mode && map.id % 10 !== 9;
  if (!isPlayed) return json({ scores: [] });
  const plays = [1, 4].map((index, place) => ({
    ...bareScore(player, set, map, index),
    id: 8_000_000_000 + map.id * 10 + place,
  }));
  return json({ scores: plays });
}

export function answerUsers({ url }: Ask, { players }: BeatmapWorld): Answer {
  const ids = url.searchParams.getAll('ids[]').slice(0, 50);
  const users = players
    .filter(({ id, restricted }) => ids.includes(String(id)) && !restricted)
    .map(player => {
      const { statistics } = playerShape(player, MODE_NAMES[player.playmode]);
      const { id, username, country, rank } = player;
      const other = { ...statistics, pp: player.pp / 10, global_rank: rank * 10 };
      const rulesets = MODE_NAMES.map(mode => [mode, mode === MODE_NAMES[player.playmode] ? statistics : other]);
      return { id, username, country_code: country.code, statistics_rulesets: Object.fromEntries(rulesets) };
    });
  return json({ users });
}

/** The nth of the world, or of a country, has 30 000 pp less two for every place. */
export function answerRanking({ url }: Ask): Answer {
  const page = Number(url.searchParams.get('cursor[page]') ?? 1);
  const country = url.searchParams.get('country');
  const ranking = Array.from({ length: 50 }, (_, index) => {
    const rank = (page - 1) * 50 + index + 1;
    const user = { id: 6_000_000 + rank, username: `ranked ${rank}`, country_code: country ?? 'JP' };
    return { global_rank: country === null ? rank : rank * 40, pp: 30_000 - rank * 2, hit_accuracy: 98.5, user };
  });
  return json({ cursor: { page: page + 1 }, ranking, total: 10_000 });
}
