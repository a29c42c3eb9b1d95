import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpClient } from '../../../infra/http/http-client.ts';
import type { Logger } from '../../../infra/log.ts';
import type { MediaSource, PostRef } from '../../extract/source.ts';
import { createStrategyChain, type Strategy } from '../../extract/strategies.ts';
import { META_MEDIA_HOSTS } from '../../parse/media-address.ts';
import { type Post, placeItems } from '../../post.ts';
import { createFacebookClient } from './client.ts';
import { createFacebookConstants, type FacebookConstants } from './constants.ts';
import { facebookRefOf, matchFacebookLink } from './link.ts';
import type { PostDraft } from './parse.ts';
import { parseFacebookAnswer } from './parse-answer.ts';

export interface FacebookSourceOptions {
  readonly http: HttpClient;
  readonly constants?: FacebookConstants;
  /** Asked after all others, e.g. yt-dlp. */
  readonly extraStrategies?: readonly Strategy[];
  /** For all strategies together. */
  readonly deadlineMs?: number;
  readonly log: Logger;
  readonly now?: () => number;
  readonly onOutcome?: (strategy: string, outcome: ErrorCode | 'ok') => void;
}

const SITE = 'https://www.facebook.com';
const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'watch', 'video']);

function isVideoRef(ref: PostRef): boolean {
  return VIDEO_FORMS.has(ref.form);
}

/** Addresses at which the site may show a post, by the strategy that asks there; null where the post has no such address. */
const PAGES: readonly (readonly [string, (ref: PostRef) => string | null])[] = [
  ['page', ref => ref.url],
  ['reel-page', ref => (isVideoRef(ref) ? `${SITE}/reel/${ref.id}` : null)],
  [
    'watch-page',
    ref => (isVideoRef(ref) || (ref.form === 'id' && /^\d+$/.test(ref.id)) ? `${SITE}/watch/?v=${ref.id}` : null),
  ],
  ['video-page', ref => (isVideoRef(ref) && ref.parts.owner ? `${SITE}/${ref.parts.owner}/videos/${ref.id}/` : null)],
  ['photo-page', ref => (ref.form === 'photo' ? `${SITE}/photo.php?fbid=${ref.id}` : null)],
  ['group-page', ref => (ref.form === 'group' ? `${SITE}/groups/${ref.parts.group}/permalink/${ref.id}/` : null)],
  ['owner-page', ref => (ref.form === 'permalink' ? `${SITE}/${ref.parts.owner}/posts/${ref.id}` : null)],
  [
    'story-page',
    ref =>
      ref.form === 'permalink' || (ref.form === 'post' && /^\d+$/.test(ref.parts.owner ?? ''))
        ? `${SITE}/story.php?story_fbid=${ref.id}&id=${ref.parts.owner}`
        : null,
  ],
  // The player for other sites: few words, but often shown where the page is walled.
  ['embed', ref => (isVideoRef(ref) ? `${SITE}/plugins/video.php?href=${encodeURIComponent(ref.url)}` : null)],
];

function toPost(draft: PostDraft, ref: PostRef, strategy: string, fetchedAt: number): Post {
  const placed = placeItems(draft.items);
  const ends = placed.items.flatMap(item => item.variants.flatMap(variant => variant.expiresAt ?? []));
  return {
    source: 'facebook',
    id: ref.id,
    url: ref.url,
    ...draft,
    ...placed,
    coverUrl: null,
    fetchedAt,
    expiresAt: ends.length === 0 ? null : Math.min(...ends),
    strategy,
  };
}

export function createFacebookSource(options: FacebookSourceOptions): MediaSource {
  const { http, constants = createFacebookConstants(), extraStrategies = [], log, now = Date.now } = options;
  const client = createFacebookClient({ http, constants, now });

  async function readAt(url: string, strategy: string, ref: PostRef, signal: AbortSignal): Promise<Post> {
    const answer = await client.page(url, signal);
    return toPost(await parseFacebookAnswer(answer, ref, now()), ref, strategy, now());
  }

  const pages: readonly Strategy[] = PAGES.map(([name, addressOf]) => ({
    name,
    isAvailable: ref => addressOf(ref) !== null && (name === 'page' || addressOf(ref) !== ref.url),
    run: (ref, signal) => readAt(addressOf(ref) ?? ref.url, name, ref, signal),
  }));

  const fetchPost = createStrategyChain({
    source: 'facebook',
    strategies: [...pages, ...extraStrategies],
    log,
    now,
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
    ...(options.onOutcome === undefined ? {} : { onOutcome: options.onOutcome }),
  });

  return {
    id: 'facebook',
    match: matchFacebookLink,
    refOf: facebookRefOf,
    resolveShort: (url, { signal }) => client.resolveShort(url, signal),
    async fetch(ref, context) {
      if (ref.form === 'story')
        throw new AppError('login_required', 'stories need an account', { params: { what: 'story' } });
      return fetchPost(ref, context);
    },
    canFetchStories: false,
    mediaHosts: META_MEDIA_HOSTS,
  };
}
