import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { createStrategyChain } from '../../extract/strategy-chain.ts';
import { parseJson } from '../../parse/json-search.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import type { AnswerKind } from '../kit/draft.ts';
import { createAccountStrategies, isStoryLink } from './account.ts';
import { InstagramClient } from './client.ts';
import {
  createInstagramConstants,
  INSTAGRAM_EXAMPLES,
  type InstagramConstants,
  type ProfileName,
} from './constants.ts';
import { failureOfRuling, namesPrivatePost } from './parse/failures.ts';
import { instagramRefOf, matchInstagramLink } from './parse/link.ts';
import { parseOembed } from './parse/oembed.ts';
import { readMarked } from './read-answer.ts';
import { resolveShareLink } from './share-link.ts';

export interface InstagramSourceOptions extends SourceOptions {
  readonly now?: () => number;
}

/** The means by which each strategy asks. */
interface Means {
  readonly client: InstagramClient;
  readonly profiles: InstagramConstants['profiles'];
  readonly now: () => number;
}

type Ask = (ref: PostRef, name: ProfileName, signal: AbortSignal) => Promise<HttpResponse>;

/** Outcomes of one address of a page that the other address cannot better. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'private',
  'age_restricted',
  'region_blocked',
  'timeout',
  'upstream_rate_limited',
]);

function isFinal(error: unknown): error is AppError {
  return error instanceof AppError && (FINAL.has(error.code) || error.params.refused === 1) && !error.params.weak;
}

function postStrategy({ client, profiles }: Means, name: ProfileName, run: Strategy['run']): Strategy {
  return { name, profile: profiles[name], isAvailable: ref => !isStoryLink(ref) && client.canAsk(name), run };
}

/** An endpoint that is asked once. */
function endpointStrategy(means: Means, name: ProfileName, kind: AnswerKind, ask: Ask): Strategy {
  return postStrategy(means, name, async (ref, signal) =>
    readMarked(await ask(ref, name, signal), { ref, kind, strategy: name, now: means.now() }),
  );
}

/** A strategy whose failures mean more by what others said. */
function onFailure(strategy: Strategy, explain: (error: unknown, ref: PostRef) => unknown): Strategy {
  const run: Strategy['run'] = async (ref, signal) =>
    strategy.run(ref, signal).catch(error => {
      throw explain(error, ref);
    });
  return { ...strategy, run };
}

/**
 * The query by id tells apart what the query by code does not: it has nothing of a post that is gone, and the gate of one that is
 * gated.
 */
function queryStrategies(means: Means): Record<'plain' | 'byMediaId' | 'browser', Strategy> {
  const { client } = means;
  /** Posts of which the query by code said no more than that they are gone or gated, by the reference of one call. */
  const exceptions = new WeakSet<PostRef>();
  const byShortcode = (name: ProfileName) =>
    onFailure(
      endpointStrategy(means, name, 'query', (...asked) => client.query('shortcode', ...asked)),
      (error, ref) => {
        if (error instanceof AppError && error.params.exception === 1) exceptions.add(ref);
        return error;
      },
    );
  const byMediaId = onFailure(
    endpointStrategy(means, 'media-id-query/browser', 'query', (...asked) => client.query('mediaId', ...asked)),
    (error, ref) => {
      const isGone = error instanceof AppError && error.params.empty === 1 && exceptions.has(ref);
      return isGone ? new AppError('not_found', 'no query knows the post', { cause: error }) : error;
    },
  );
  return { plain: byShortcode('shortcode-query/plain'), byMediaId, browser: byShortcode('shortcode-query/browser') };
}

/** `/p/` first: it redirects to the right form when the site likes; `/reel/` is answered at times when `/p/` is not. */
function pageStrategy(means: Means, name: ProfileName): Strategy {
  const byForm = (form: 'p' | 'reel') =>
    endpointStrategy(means, name, 'page', ({ id }, ...asked) => means.client.page(`/${form}/${id}/`, ...asked));
  const [first, second] = [byForm('p'), byForm('reel')];
  return postStrategy(means, name, async (ref, signal) => {
    try {
      return await first.run(ref, signal);
    } catch (error) {
      if (!(error instanceof AppError) || isFinal(error) || signal.aborted) throw error;
      return await second.run(ref, signal).catch(other => {
        throw isFinal(other) ? other : error;
      });
    }
  });
}

function oembedStrategy(means: Means): Strategy {
  const ask = postStrategy(means, 'oembed', async (ref, signal) =>
    parseOembed(await means.client.oembed(ref, signal), { ref, strategy: 'oembed', now: means.now() }),
  );
  return { ...ask, isLastResort: true, explains: true };
}

async function askRuling(client: InstagramClient, ref: PostRef, signal: AbortSignal): Promise<void> {
  const target = new URLSearchParams({ content_type: 'MEDIA', target_id: ref.parts.mediaId ?? '' });
  const response = await client.script(`/api/v1/web/get_ruling_for_content/?${target}`, ref.url, 'ruling', signal);
  const ruled = response.status < 500 ? failureOfRuling(parseJson(response.text)) : null;
  if (ruled !== null) throw ruled;
}

async function askRoutes(client: InstagramClient, ref: PostRef, signal: AbortSignal): Promise<void> {
  const response = await client.routes(ref, signal);
  if (namesPrivatePost(response.text)) throw new AppError('private', 'routed as a private post');
}

export function createInstagramSource(options: InstagramSourceOptions): MediaSource {
  const { http, log, accounts, extraStrategies = [], now = Date.now } = options;
  const constants = createInstagramConstants(options.upstreamConstants);
  const client = new InstagramClient({ http, log, constants, now });
  const means = { client, profiles: constants.profiles, now };
  const queries = queryStrategies(means);
  const strategies: readonly Strategy[] = [
    queries.plain,
    queries.byMediaId,
    pageStrategy(means, 'page/browser'),
    pageStrategy(means, 'page/crawler'),
    endpointStrategy(means, 'embed/crawler', 'embed', ({ id }, ...asked) =>
      client.page(`/p/${id}/embed/captioned/`, ...asked),
    ),
    queries.browser,
    ...createAccountStrategies({ http, log, constants, now, accounts }),
    ...extraStrategies.map(one => ({ ...one, isLastResort: true })),
    oembedStrategy(means),
  ];

  /** Asks both questions at once; the first definitive word counts, a failed question is only noted. */
  async function diagnose(ref: PostRef, signal: AbortSignal): Promise<void> {
    if (isStoryLink(ref)) return;
    const answers = await Promise.allSettled([askRoutes(client, ref, signal), askRuling(client, ref, signal)]);
    const errors = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []));
    for (const error of errors) {
      if (isFinal(error) && error.code !== 'timeout') throw error;
      log.debug({ source: 'instagram', id: ref.id, err: error }, 'a question about the post failed');
    }
  }

  const canFetchStories = accounts?.isEmpty === false;
  const fetchPost = createStrategyChain({ ...options, source: 'instagram', strategies, diagnose, now });
  return {
    id: 'instagram',
    match: matchInstagramLink,
    refOf: instagramRefOf,
    resolveShort: (url, { signal }) => resolveShareLink(http, constants.profiles['share-link'], url, { signal, now }),
    async fetch(ref, context) {
      if (isStoryLink(ref) && !canFetchStories) throw new AppError('login_required', 'stories need an account');
      return fetchPost(ref, context);
    },
    strategies,
    examples: INSTAGRAM_EXAMPLES,
    figures: fetchPost.figures,
    learn: fetchPost.learn,
    canFetchStories,
    mediaHosts: META_MEDIA_HOSTS,
  };
}
