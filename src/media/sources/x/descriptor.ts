import * as z from 'zod';
import { AppError, toAppError } from '../../../errors.ts';
import { createMemoryCache } from '../../../infra/cache/cache.ts';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import { workContext } from '../../../infra/concurrency/running-work.ts';
import { askEndpoint, createCooldowns } from '../../extract/cooldowns.ts';
import { headerValue, type PostRef, profileRequest, type Strategy, textLike } from '../../extract/source.ts';
import type { SourceDescriptor, SourceOptions } from '../../extract/source-descriptor.ts';
import { siteAnswer } from '../../parse/body.ts';
import { child, parseJson } from '../../parse/json.ts';
import { CHROME, ENGLISH, PLAIN, readConstants } from '../kit/constants.ts';
import { failureOfStatus, redirectOf } from '../kit/failures.ts';
import type { Ask } from '../kit/page-site.ts';
import { createSource, isUsable } from '../kit/source.ts';
import { matchXLink, xRefOf } from './link.ts';
import { failureOfHead, readXAnswer } from './parse.ts';
import { X_MEDIA_HOSTS } from './post.ts';

/** Public posts that have existed for years: a photo and a video. */
const EXAMPLES: readonly [string, ...string[]] = [
  'https://x.com/TheEllenShow/status/440322224407314432',
  'https://x.com/starwars/status/665052190608723968',
];

export const x: SourceDescriptor = {
  id: 'x',
  name: 'X',
  colour: '#1d9bf0',
  hosts: ['x.com', 'twitter.com', 'mobile.twitter.com', 't.co', 'cdn.syndication.twimg.com'],
  cdnHosts: X_MEDIA_HOSTS,
  example: EXAMPLES[0],
  authorPage: ['https://x.com/NAME', /^\w{1,15}$/, 'username'],
  create: createXSource,
};

/** Names of flags that every request of the query must contain, all switched on (2026-11). */
const FEATURES =
  'articles_preview_enabled,c9s_tweet_anatomy_moderator_badge_enabled,communities_web_enable_tweet_community_results_fetch,creator_subscriptions_quote_tweet_preview_enabled,creator_subscriptions_tweet_preview_api_enabled,freedom_of_speech_not_reach_fetch_enabled,graphql_is_translatable_rweb_tweet_is_translatable_enabled,longform_notetweets_consumption_enabled,longform_notetweets_inline_media_enabled,longform_notetweets_rich_text_read_enabled,premium_content_api_read_enabled,profile_label_improvements_pcf_label_in_post_enabled,responsive_web_edit_tweet_api_enabled,responsive_web_enhance_cards_enabled,responsive_web_graphql_exclude_directive_enabled,responsive_web_graphql_skip_user_profile_image_extensions_enabled,responsive_web_graphql_timeline_navigation_enabled,responsive_web_media_download_video_enabled,responsive_web_twitter_article_tweet_consumption_enabled,rweb_tipjar_consumption_enabled,rweb_video_timestamps_enabled,standardized_nudges_misinfo,tweet_awards_web_tipping_enabled,tweet_with_visibility_results_prefer_gql_limited_actions_policy_enabled,tweetypie_unmention_optimization_enabled,verified_phone_label_enabled,view_counts_everywhere_api_enabled';

/** The ids that X changes now and then; each can be overridden by its key (`x.queryId`). */
export const X_IDS = z.strictObject({
  queryId: textLike(/^[\w-]{10,40}$/).default('2ICDjqPd81tulZcYrtpTuQ'),
  /** The key of the site's own web page. It is the same for every visitor and no secret. */
  bearer: headerValue.default(
    'AAAAAAAAAAAAAAAAAAAAANRILgAAAAAAnNwIzUejRCOuH5E6I8xnZz4puTs%3D1Zv7ttfk8LF81IUq16cHjhLTvJu4FA33AGWWjCpTnA',
  ),
  /** The names of the flags, separated by commas. */
  features: textLike(/^[\w,]{1,4000}$/).default(FEATURES),
});

type Ids = z.infer<typeof X_IDS>;

function xProfiles({ bearer }: Ids) {
  const language = { 'accept-language': ENGLISH };
  const ofPage = { ...language, origin: 'https://x.com', referer: 'https://x.com/', 'x-twitter-active-user': 'yes' };
  const headers = { ...ofPage, authorization: `Bearer ${bearer}`, 'x-twitter-client-language': 'en' };
  return {
    /** This endpoint answered any caller in 2026-10. */
    syndication: { ...PLAIN, userAgent: 'Mozilla/5.0', headers: language, timeoutMs: 6_000 },
    'guest-query': { ...PLAIN, userAgent: CHROME, headers, timeoutMs: 6_000 },
    /** The site answers a browser with a page for a short link, and other programs with a redirect. */
    'short-link': { ...PLAIN, userAgent: 'curl/8.14.1', timeoutMs: 5_000 },
  };
}

const API = 'https://api.x.com';
const HOSTS = ['api.x.com', 'cdn.syndication.twimg.com', 't.co'];

function createXSource(options: SourceOptions) {
  const { http, log, extraStrategies = [], now = Date.now } = options;
  const cooldowns = options.cooldowns ?? createCooldowns({ source: 'x', log, now });
  const { profiles, ...ids } = readConstants({ id: 'x', ids: X_IDS, profiles: xProfiles }, options.upstreamConstants);
  function askerOf(name: keyof typeof profiles): Ask {
    // The longest posts have 25,000 characters, so answers are small.
    const bounds = { hosts: HOSTS, maxBytes: 384 * 1024, maxRedirects: 0, retries: 0 };
    return (url, { headers = {}, ...request } = {}) =>
      http.request({ ...profileRequest(profiles[name], headers), ...bounds, url, ...request });
  }
  const askQuery = createGuestQuery(ids, askerOf('guest-query'), now);
  /**
   * Posts that syndication hid from visitors. The query calls such a post missing, although people with a login see it.
   * Each call of `fetch` has its own `PostRef` object, which is the key here, so nothing is remembered after that call.
   */
  const withheld = new WeakSet<PostRef>();

  function strategy(name: 'syndication' | 'guest-query', run: Strategy['run']): Strategy {
    return { name, profile: profiles[name], isAvailable: () => isUsable(profiles[name], http), run };
  }

  const byQuery = strategy('guest-query', async (ref, signal) => {
    try {
      const answer = siteAnswer(await askQuery(ref.id, signal));
      return readXAnswer(answer, { ref, kind: 'query', strategy: 'guest-query', now: now() }).post;
    } catch (error) {
      const isKept = error instanceof AppError && error.code === 'not_found' && withheld.has(ref);
      throw isKept ? new AppError('login_required', 'kept from visitors', { cause: error }) : error;
    }
  });
  const bySyndication = strategy('syndication', async (ref, signal) => {
    // The site's own widgets calculate the token like this.
    const token = ((Number(ref.id) / 1e15) * Math.PI).toString(36).replace(/0+|\./g, '');
    const query = new URLSearchParams({ id: ref.id, lang: 'en', token });
    const url = `https://cdn.syndication.twimg.com/tweet-result?${query}`;
    const answer = siteAnswer(await askerOf('syndication')(url, { signal }));
    try {
      const { post, isCut } = readXAnswer(answer, { ref, kind: 'embed', strategy: 'syndication', now: now() });
      if (!isCut) return post;
      return await askEndpoint(cooldowns, byQuery, () => byQuery.run(ref, signal), now).catch(err => {
        log.info({ source: 'x', id: ref.id, err }, 'only the beginning of a long text is known');
        return post;
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'login_required') withheld.add(ref);
      throw error;
    }
  });

  const own = { ...options, cooldowns };
  return createSource(own, {
    ...{ id: 'x', match: matchXLink, refOf: xRefOf, examples: EXAMPLES, mediaHosts: X_MEDIA_HOSTS },
    strategies: [bySyndication, byQuery, ...extraStrategies],
    canFetchStories: false,
    /** Reads the target from the site's redirect. The target itself is not requested. */
    async resolveShort(url, { signal }) {
      const answer = await askerOf('short-link')(url, { signal });
      const target = redirectOf(answer);
      if (target !== null) return target.href.replace(/^http:/, 'https:');
      throw failureOfStatus(answer, now()) ?? new AppError('upstream_changed', 'the short link leads nowhere');
    },
  });
}

const GUEST_LIFE_MS = 3_600_000;
/** The shortest time between two requests for a guest token, whether they succeed or not. */
const PAUSE_MS = 60_000;
const GUEST_POLICY = {
  ttlMs: () => GUEST_LIFE_MS,
  errorTtlMs: (error: unknown) => Math.max(toAppError(error).retryAfterMs ?? 0, PAUSE_MS),
};

function createGuestQuery({ queryId, features }: Ids, ask: Ask, now: () => number) {
  /** Guest tokens by outgoing address: the site accepts a token only from the address that asked for it. */
  const guests = createMemoryCache<{ readonly token: string; readonly since: number }>({ maxEntries: 100, now });
  const flags = JSON.stringify(Object.fromEntries(features.split(',').map(name => [name, true])));

  async function activate() {
    const since = now();
    const answer = await ask(`${API}/1.1/guest/activate.json`, { method: 'POST', body: '' });
    const token = child(parseJson(answer.text), 'guest_token');
    if (typeof token === 'string' && /^\d{1,30}$/.test(token)) return { token, since };
    throw failureOfHead(siteAnswer(answer), now()) ?? new AppError('upstream_changed', 'no guest was made');
  }

  /** Runs the query. A guest token that the site refuses is replaced once. @throws AppError when there is no token */
  return async (id: string, signal: AbortSignal) => {
    const variables = { tweetId: id, withCommunity: false, includePromotedContent: false, withVoice: false };
    const query = new URLSearchParams({ variables: JSON.stringify(variables), features: flags });
    const url = `${API}/graphql/${queryId}/TweetResultByRestId?${query}`;
    const key = workContext().outgoing ?? '';
    for (;;) {
      // If this caller gives up, the request for a token goes on, for the next callers.
      const { value: guest } = await abortable(guests.wrap(key, activate, GUEST_POLICY), signal);
      const answer = await ask(url, { headers: { 'x-guest-token': guest.token }, signal });
      const isRefused = answer.status === 401 || answer.status === 403;
      if (!isRefused || now() - guest.since < PAUSE_MS) return answer;
      if (guests.peek(key) === guest) await guests.delete(key);
    }
  };
}
