/** Checks that osu! accepts the configured key and that the callback address is right. */
import { parseQuery } from '../beatmaps/query/query.ts';
import type { Search } from '../beatmaps/query/search.ts';
import type { Mirror } from '../beatmaps/upstreams/mirror.ts';
import type { OsuApi } from '../beatmaps/upstreams/osu-api.ts';
import { CALLBACK_PATH } from '../bot/stores/account-links.ts';
import { AppError } from '../errors.ts';
import { type Finding, note, ok, wrong } from '../platforms/platform.ts';

/** Checks the key and the callback address. @param osu osu!'s API with the configured key; undefined without a key */
export async function checkOsu(
  osu: Pick<OsuApi, 'ranking'> | undefined,
  publicUrl: string | undefined,
): Promise<readonly Finding[]> {
  if (osu === undefined) {
    const remedy = 'Players and plays need one: see OSU_CLIENT_ID in .env.example.';
    return [note('osu!: no key', remedy)];
  }
  return [await checkKey(osu), checkLinking(publicUrl)];
}

async function checkKey(osu: Pick<OsuApi, 'ranking'>): Promise<Finding> {
  try {
    await osu.ranking('osu', { page: 1 });
    return ok('osu!: the key is taken');
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'credentials_required') return trouble('osu!', error);
    return wrong(
      `osu!: the key is refused: ${error.message}`,
      'Copy OSU_CLIENT_ID and OSU_CLIENT_SECRET once more from https://osu.ppy.sh/home/account/edit, below OAuth; a secret that was reset ends the one before.',
    );
  }
}

function checkLinking(publicUrl: string | undefined): Finding {
  if (publicUrl === undefined) {
    const remedy = 'With PUBLIC_URL, people can link their player by signing in at osu!.';
    return note('osu!: players are linked by name alone', remedy);
  }
  return ok(
    'osu!: people can link their player by signing in there',
    `The application must have this callback address, letter by letter: ${publicUrl}${CALLBACK_PATH}`,
  );
}

/** A simple request to osu!'s mirrors: the sets with a leaderboard, most played first. */
const LISTING: Search = { query: parseQuery(''), status: 'leaderboard', sort: { field: 'plays', order: 'desc' } };

/** Asks every mirror for a list of sets. A mirror that fails is only a note as long as another one answers. */
export async function checkMirrors(mirrors: readonly Pick<Mirror, 'id' | 'search'>[]): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    mirrors.map(async ({ id, search }): Promise<Finding> => {
      try {
        await search(LISTING, undefined);
        return ok(`${id} answers`);
      } catch (error) {
        return trouble(id, error);
      }
    }),
  );
  const isOneThere = findings.some(({ state }) => state === 'ok');
  return findings.map(finding => (finding.state === 'wrong' && isOneThere ? { ...finding, state: 'note' } : finding));
}

/** A finding about osu! or a mirror that failed to answer a simple request. */
function trouble(upstream: string, error: unknown): Finding {
  const reason = error instanceof AppError ? error.message : String(error);
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'upstream_rate_limited') {
    return note(`${upstream} asks this address to slow down`, 'Wait, and look again.');
  }
  const what = `${upstream} cannot be asked: ${reason}`;
  if (code === 'upstream_changed' || code === 'forbidden') {
    return wrong(what, 'Look for a newer release; a proxy or a firewall may answer in its place.');
  }
  return wrong(what, 'Check the network, DNS and UPSTREAM_PROXY; else it has trouble of its own.');
}
