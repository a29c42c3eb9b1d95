/** Checks that the mirrors of osu! answer. */
import { parseQuery } from '../beatmaps/query/query.ts';
import type { Search } from '../beatmaps/query/search.ts';
import type { Mirror } from '../beatmaps/upstreams/mirror.ts';
import type { Finding } from '../platforms/platform.ts';
import { trouble } from './upstream-trouble.ts';

const LISTING: Search = { query: parseQuery(''), status: 'leaderboard', sort: { field: 'plays', order: 'desc' } };

/** Each is asked for a list. One that fails is a note while another stands in for it. */
export async function checkMirrors(mirrors: readonly Pick<Mirror, 'id' | 'search'>[]): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    mirrors.map(async ({ id, search }): Promise<Finding> => {
      try {
        await search(LISTING, undefined);
        return { state: 'ok', what: `${id} answers` };
      } catch (error) {
        return trouble(id, error);
      }
    }),
  );
  const isOneThere = findings.some(({ state }) => state === 'ok');
  return findings.map(finding => (finding.state === 'wrong' && isOneThere ? { ...finding, state: 'note' } : finding));
}
