import { AppError } from '../../../errors.ts';
import { isUsable } from '../../extract/request-profile.ts';
import { askEndpoint, createSiteState } from '../../extract/site-state.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { siteAnswer } from '../../parse/body.ts';
import { createSource } from '../kit/source.ts';
import { readXAnswer } from './answer.ts';
import { createXClient } from './client.ts';
import { createXConstants, X_EXAMPLES } from './constants.ts';
import { matchXLink, xRefOf } from './parse/link.ts';
import { X_MEDIA_HOSTS } from './parse/media.ts';

export function createXSource(options: SourceOptions): MediaSource {
  const { http, log, extraStrategies = [], now = Date.now } = options;
  const site = options.site ?? createSiteState({ source: 'x', log, now });
  const constants = createXConstants(options.upstreamConstants);
  const client = createXClient(http, constants, now);
  /** Posts that syndication keeps from visitors, by the reference of one call: of those the query may say that there are none. */
  const withheld = new WeakSet<PostRef>();

  function strategy(strategy: 'syndication' | 'guest-query', run: Strategy['run']): Strategy {
    const profile = constants.profiles[strategy];
    return { name: strategy, profile, isAvailable: () => isUsable(profile, http), run };
  }

  const byQuery = strategy('guest-query', async (ref, signal) => {
    try {
      const answer = siteAnswer(await client.query(ref.id, signal));
      return readXAnswer(answer, { ref, kind: 'query', strategy: 'guest-query', now: now() }).post;
    } catch (error) {
      const isKept = error instanceof AppError && error.code === 'not_found' && withheld.has(ref);
      throw isKept ? new AppError('login_required', 'kept from visitors', { cause: error }) : error;
    }
  });
  const bySyndication = strategy('syndication', async (ref, signal) => {
    const answer = siteAnswer(await client.syndication(ref.id, signal));
    try {
      const { post, isCut } = readXAnswer(answer, { ref, kind: 'embed', strategy: 'syndication', now: now() });
      if (!isCut) return post;
      return await askEndpoint(site, byQuery, ref, signal, now).catch(error => {
        log.info({ source: 'x', id: ref.id, err: error }, 'only the beginning of a long text is known');
        return post;
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'login_required') withheld.add(ref);
      throw error;
    }
  });

  return createSource(
    { ...options, site },
    {
      id: 'x',
      match: matchXLink,
      refOf: xRefOf,
      resolveShort: (url, { signal }) => client.resolveShort(url, signal),
      strategies: [bySyndication, byQuery, ...extraStrategies.map(one => ({ ...one, isLastResort: true }))],
      examples: X_EXAMPLES,
      mediaHosts: X_MEDIA_HOSTS,
      canFetchStories: false,
    },
  );
}
