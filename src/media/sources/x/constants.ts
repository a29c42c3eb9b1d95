/** The ids that X changes now and then and the profiles with which it is asked; each can be overridden by its key (`x.queryId`). */
import * as z from 'zod';
import { headerValue } from '../../extract/source.ts';
import { CHROME, ENGLISH } from '../kit/browser-headers.ts';
import { readConstants } from '../kit/constants.ts';

/** The query requires every request to set each of these flags; all of them are on (2026-11). */
const FEATURES =
  'articles_preview_enabled,c9s_tweet_anatomy_moderator_badge_enabled,communities_web_enable_tweet_community_results_fetch,creator_subscriptions_quote_tweet_preview_enabled,creator_subscriptions_tweet_preview_api_enabled,freedom_of_speech_not_reach_fetch_enabled,graphql_is_translatable_rweb_tweet_is_translatable_enabled,longform_notetweets_consumption_enabled,longform_notetweets_inline_media_enabled,longform_notetweets_rich_text_read_enabled,premium_content_api_read_enabled,profile_label_improvements_pcf_label_in_post_enabled,responsive_web_edit_tweet_api_enabled,responsive_web_enhance_cards_enabled,responsive_web_graphql_exclude_directive_enabled,responsive_web_graphql_skip_user_profile_image_extensions_enabled,responsive_web_graphql_timeline_navigation_enabled,responsive_web_media_download_video_enabled,responsive_web_twitter_article_tweet_consumption_enabled,rweb_tipjar_consumption_enabled,rweb_video_timestamps_enabled,standardized_nudges_misinfo,tweet_awards_web_tipping_enabled,tweet_with_visibility_results_prefer_gql_limited_actions_policy_enabled,tweetypie_unmention_optimization_enabled,verified_phone_label_enabled,view_counts_everywhere_api_enabled';

const IDS = z.strictObject({
  queryId: z
    .string()
    .regex(/^[\w-]{10,40}$/)
    .default('2ICDjqPd81tulZcYrtpTuQ'),
  /** The key that the site's own web page uses, the same for every visitor. */
  bearer: headerValue.default(
    'AAAAAAAAAAAAAAAAAAAAANRILgAAAAAAnNwIzUejRCOuH5E6I8xnZz4puTs%3D1Zv7ttfk8LF81IUq16cHjhLTvJu4FA33AGWWjCpTnA',
  ),
  /** The flags, separated by commas. */
  features: z
    .string()
    .regex(/^[\w,]{1,4000}$/)
    .default(FEATURES),
});

function xProfiles({ bearer }: z.infer<typeof IDS>) {
  const base = { session: 'none', transport: 'plain' } as const;
  const language = { 'accept-language': ENGLISH };
  const ofPage = { ...language, origin: 'https://x.com', referer: 'https://x.com/', 'x-twitter-active-user': 'yes' };
  const headers = { ...ofPage, authorization: `Bearer ${bearer}`, 'x-twitter-client-language': 'en' };
  return {
    /** This endpoint answers any caller (2026-10). */
    syndication: { ...base, userAgent: 'Mozilla/5.0', headers: language, timeoutMs: 6_000 },
    'guest-query': { ...base, userAgent: CHROME, headers, timeoutMs: 6_000 },
    /** A browser would get a page here; other programs get a redirect. */
    'short-link': { ...base, userAgent: 'curl/8.14.1', headers: {}, timeoutMs: 5_000 },
  };
}

/** Public posts that have existed for years: a photo and a video. */
export const X_EXAMPLES: readonly [string, ...string[]] = [
  'https://x.com/TheEllenShow/status/440322224407314432',
  'https://x.com/starwars/status/665052190608723968',
];

export function createXConstants(overrides?: Readonly<Record<string, string>>) {
  return readConstants({ source: 'x', schema: IDS, profiles: xProfiles, sessions: ['none'] }, overrides);
}

export type XConstants = ReturnType<typeof createXConstants>;
