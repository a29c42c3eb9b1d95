import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Account, Accounts } from '../../extract/accounts.ts';
import type { SiteState } from '../../extract/site-state.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import { createStrategyChain } from '../../extract/strategy-chain.ts';
import { parseJson } from '../../parse/json-search.ts';
import type { Post } from '../../post.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import type { AnswerKind } from '../kit/draft.ts';
import { weakNotFound } from '../kit/refusal.ts';
import { createInstagramClient, type InstagramClient } from './client.ts';
import { createInstagramConstants, INSTAGRAM_EXAMPLES, type InstagramConstants } from './constants.ts';
import { failureOfHead, failureOfJson, failureOfRuling, isChallenge, namesPrivatePost } from './failures.ts';
import { instagramRefOf, matchInstagramLink } from './link.ts';
import { postOf } from './parse/answer.ts';
import { parseOembed } from './parse/oembed.ts';
import { parseStories, userIdOf } from './parse/stories.ts';
import type { ProfileName } from './profiles.ts';
import { readMarked } from './read-answer.ts';
import { createShareLinkResolver } from './share-link.ts';

export interface InstagramSourceOptions {
  readonly http: HttpClient;
  readonly constants?: InstagramConstants;
  /** Asked last, and for stories. */
  readonly accounts?: Accounts | undefined;
  /** Asked after all others, e.g. yt-dlp. */
  readonly extraStrategies?: readonly Strategy[];
  /** What the site wants left alone. */
  readonly site?: SiteState | undefined;
  /** For all strategies together. */
  readonly deadlineMs?: number;
  readonly log: Logger;
  readonly now?: () => number;
  readonly onOutcome?: (strategy: string, outcome: ErrorCode | 'ok', durationMs?: number) => void;
}

function isStory(ref: PostRef): boolean {
  return ref.form === 'story';
}

/** Outcomes of one address of a page that the other address cannot better. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'private',
  'age_restricted',
  'region_blocked',
  'timeout',
  'upstream_rate_limited',
]);

function isFinal(error: AppError): boolean {
  return (FINAL.has(error.code) || error.params.refused === 1) && !error.params.weak;
}

export function createInstagramSource(options: InstagramSourceOptions): MediaSource {
  const { http, constants = createInstagramConstants(), accounts, log, now = Date.now } = options;
  const client = createInstagramClient({ http, constants, log, now });
  const resolveShareLink = createShareLinkResolver({ http, constants, now });
  const hasAccount = accounts?.isEmpty === false;
  /** Each account has cookies of its own, which the site renews. */
  const accountClients = new Map<string, InstagramClient>();

  function postStrategy(name: ProfileName, run: Strategy['run']): Strategy {
    return { name, profile: constants.profiles[name], isAvailable: ref => !isStory(ref) && client.canAsk(name), run };
  }

  /** An endpoint that is asked once. */
  function endpointStrategy(
    name: ProfileName,
    kind: AnswerKind,
    ask: (ref: PostRef, caller: ProfileName, signal: AbortSignal) => Promise<HttpResponse>,
  ): Strategy {
    return postStrategy(name, async (ref, signal) =>
      readMarked(await ask(ref, name, signal), { ref, kind, strategy: name, now: now() }),
    );
  }

  /** Posts of which the query by code said no more than that they are gone or gated, by the reference of one call. */
  const exceptions = new WeakSet<PostRef>();

  /** The query by id tells apart what the query by code does not: it has nothing of a post that is gone, and the gate of one that is gated. */
  const byMediaId = endpointStrategy('media-id-query/browser', 'query', client.queryByMediaId);
  const mediaIdQuery: Strategy = {
    ...byMediaId,
    async run(ref, signal) {
      return byMediaId.run(ref, signal).catch(error => {
        const isGone = error instanceof AppError && error.params.empty === 1 && exceptions.has(ref);
        throw isGone ? new AppError('not_found', 'no query knows the post', { cause: error }) : error;
      });
    },
  };

  function shortcodeQuery(name: ProfileName): Strategy {
    const byShortcode = endpointStrategy(name, 'query', client.queryByShortcode);
    return {
      ...byShortcode,
      async run(ref, signal) {
        return byShortcode.run(ref, signal).catch(error => {
          if (error instanceof AppError && error.params.exception === 1) exceptions.add(ref);
          throw error;
        });
      },
    };
  }

  /** `/p/` first: it redirects to the right form when the site likes; `/reel/` is answered at times when `/p/` is not. */
  function pageStrategy(name: ProfileName): Strategy {
    return postStrategy(name, async (ref, signal) => {
      const read = async (form: 'p' | 'reel') =>
        readMarked(await client.postPage(ref, form, name, signal), { ref, kind: 'page', strategy: name, now: now() });
      try {
        return await read('p');
      } catch (error) {
        if (!(error instanceof AppError) || isFinal(error) || signal.aborted) throw error;
        return await read('reel').catch(second => {
          throw second instanceof AppError && isFinal(second) ? second : error;
        });
      }
    });
  }

  const oembed: Strategy = {
    ...postStrategy('oembed', async (ref, signal) =>
      parseOembed(await client.oembed(ref, signal), { ref, strategy: 'oembed', now: now() }),
    ),
    isLastResort: true,
    explains: true,
  };

  function clientOf({ name, cookies }: Account): InstagramClient {
    const own = accountClients.get(name) ?? createInstagramClient({ http, constants, cookies, log, now });
    accountClients.set(name, own);
    return own;
  }

  function accountAnswer(account: Account, response: HttpResponse): HttpResponse {
    if (isChallenge(response)) {
      account.pause('challenge');
      throw new AppError('login_required', 'the account is to prove that a person uses it');
    }
    const failure = failureOfHead(response, now());
    if (failure?.code !== 'login_required') return response;
    const stated = failureOfJson(parseJson(response.text));
    if (stated?.code === 'upstream_rate_limited') throw stated;
    account.pause('logged-out');
    throw failure;
  }

  async function askAsAccount(ask: (client: InstagramClient, account: Account) => Promise<HttpResponse>) {
    if (accounts === undefined) throw new AppError('login_required', 'no account is configured');
    return accounts.use(async account => accountAnswer(account, await ask(clientOf(account), account)));
  }

  const mediaInfo: Strategy = {
    name: 'media-info',
    profile: constants.profiles['media-info'],
    isAvailable: ref => !isStory(ref) && accounts?.isReady() === true && client.canAsk('media-info'),
    isLastResort: true,
    byAccount: true,
    async run(ref, signal) {
      const response = await askAsAccount(client => client.mediaInfo(ref.parts.mediaId ?? '', signal));
      return readMarked(response, { ref, kind: 'query', strategy: 'media-info', now: now() });
    },
  };

  async function askForStory(ref: PostRef, by: InstagramClient, account: Account, signal: AbortSignal) {
    const { highlightId, mediaId, username } = ref.parts;
    if (highlightId !== undefined) return by.reels(`highlight:${highlightId}`, signal);
    if (mediaId !== undefined) return by.mediaInfo(mediaId, signal);
    const profile = accountAnswer(account, await by.profile(username ?? '', signal));
    const userId = userIdOf(profile.text);
    if (userId === null) throw weakNotFound('the user of the story is unknown');
    return by.reels(userId, signal);
  }

  const stories: Strategy = {
    name: 'stories',
    profile: constants.profiles.stories,
    isAvailable: ref => isStory(ref) && hasAccount && client.canAsk('stories'),
    async run(ref, signal) {
      const response = await askAsAccount((by, account) => askForStory(ref, by, account, signal));
      const failure = failureOfHead(response, now());
      if (failure !== null) throw failure;
      return postOf(parseStories(response.text, ref), { ref, strategy: 'stories', now: now() });
    },
  };

  async function askRuling(ref: PostRef, signal: AbortSignal): Promise<void> {
    const response = await client.ruling(ref, signal);
    const ruled = response.status < 500 ? failureOfRuling(parseJson(response.text)) : null;
    if (ruled !== null) throw ruled;
  }

  async function askRoutes(ref: PostRef, signal: AbortSignal): Promise<void> {
    const response = await client.routes(ref, signal);
    if (namesPrivatePost(response.text)) throw new AppError('private', 'routed as a private post');
  }

  /** Both questions at once; the first definitive word counts, a failed question is only noted. */
  async function diagnose(ref: PostRef, signal: AbortSignal): Promise<void> {
    if (isStory(ref)) return;
    const answers = await Promise.allSettled([askRoutes(ref, signal), askRuling(ref, signal)]);
    const errors = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []));
    for (const error of errors) {
      if (error instanceof AppError && isFinal(error) && error.code !== 'timeout') throw error;
      log.debug({ source: 'instagram', id: ref.id, err: error }, 'a question about the post failed');
    }
  }

  const strategies: readonly Strategy[] = [
    shortcodeQuery('shortcode-query/plain'),
    mediaIdQuery,
    pageStrategy('page/browser'),
    pageStrategy('page/crawler'),
    endpointStrategy('embed/crawler', 'embed', client.captionedEmbed),
    shortcodeQuery('shortcode-query/browser'),
    mediaInfo,
    stories,
    ...(options.extraStrategies ?? []).map(one => ({ ...one, isLastResort: true })),
    oembed,
  ];
  const fetchPost = createStrategyChain({
    source: 'instagram',
    strategies,
    site: options.site,
    diagnose,
    log,
    now,
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
    ...(options.onOutcome === undefined ? {} : { onOutcome: options.onOutcome }),
  });

  return {
    id: 'instagram',
    match: matchInstagramLink,
    refOf: instagramRefOf,
    resolveShort: (url, { signal }) => resolveShareLink(url, signal),
    async fetch(ref, context): Promise<Post> {
      if (isStory(ref) && !hasAccount) throw new AppError('login_required', 'stories need an account');
      return fetchPost(ref, context);
    },
    strategies,
    examples: INSTAGRAM_EXAMPLES,
    figures: fetchPost.figures,
    learn: fetchPost.learn,
    canFetchStories: hasAccount,
    mediaHosts: META_MEDIA_HOSTS,
  };
}
