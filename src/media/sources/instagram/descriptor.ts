import type { CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import type { Accounts } from '../../extract/accounts.ts';
import { isDefinitive, isOfCaller, isWeak } from '../../extract/refusal.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import type { SourceDescriptor, SourceOptions } from '../../extract/source-descriptor.ts';
import { parseJson } from '../../parse/json-fields.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import type { AnswerKind } from '../kit/draft.ts';
import { type Asking, createAccountStrategies, createSource, createStrategy, type Way } from '../kit/source.ts';
import { readInstagramAnswer } from './answer.ts';
import { createInstagramClient, HOME, type InstagramClient } from './client.ts';
import {
  createInstagramConstants,
  INSTAGRAM_EXAMPLES,
  type InstagramConstants,
  type ProfileName,
} from './constants.ts';
import { failureOfRuling, namesPrivatePost } from './failures.ts';
import { instagramRefOf, matchInstagramLink } from './link.ts';
import { userIdOf } from './media.ts';

export const instagram: SourceDescriptor = {
  id: 'instagram',
  name: 'Instagram',
  colour: '#e1306c',
  hosts: ['www.instagram.com', 'instagram.com', 'm.instagram.com', 'instagr.am'],
  cdnHosts: META_MEDIA_HOSTS,
  example: INSTAGRAM_EXAMPLES[0],
  onInGroups: true,
  profileUrl: ({ username }) =>
    username !== null && /^[\w.]{1,30}$/.test(username) ? `https://www.instagram.com/${username}/` : undefined,
  sessionCookie: 'sessionid',
  create: createInstagramSource,
};

type Ask = (ref: PostRef, name: ProfileName, signal: AbortSignal) => Promise<HttpResponse>;
type Endpoint = (name: ProfileName, kind: AnswerKind, ask: Ask) => Strategy;

/** True for a failure that the page's other address would only repeat. */
function isFinal(error: unknown): error is AppError {
  if (!(error instanceof AppError) || isWeak(error)) return false;
  return isDefinitive(error) || ['timeout', 'upstream_rate_limited'].includes(error.code) || isOfCaller(error);
}

/** Only the query by id tells a removed post (no result) from a restricted one; the query by code does not. */
function createQueries(client: InstagramClient, endpoint: Endpoint) {
  /** Posts that a query called removed or restricted; the key is the reference object of one call. */
  const exceptions = new WeakSet<PostRef>();
  return (by: 'shortcode' | 'mediaId', name: ProfileName): Strategy => {
    const strategy = endpoint(name, 'query', (...asked) => client.query(by, ...asked));
    const explain = (error: unknown, ref: PostRef) => {
      const { exception, empty } = error instanceof AppError ? error.params : {};
      if (exception === 1) exceptions.add(ref);
      const isGone = by === 'mediaId' && empty === 1 && exceptions.has(ref);
      return isGone ? new AppError('not_found', 'no query knows the post', { cause: error }) : error;
    };
    const run: Strategy['run'] = async (ref, signal) =>
      strategy.run(ref, signal).catch(error => {
        throw explain(error, ref);
      });
    return { ...strategy, run };
  };
}

/** `/p/` is tried first, since the site may redirect it to the right form; sometimes only `/reel/` is answered. */
function pageStrategy(client: InstagramClient, endpoint: Endpoint, name: ProfileName): Strategy {
  const byForm = (form: 'p' | 'reel') =>
    endpoint(name, 'page', ({ id }, ...asked) => client.page(`/${form}/${id}/`, ...asked));
  const [first, second] = [byForm('p'), byForm('reel')];
  const run: Strategy['run'] = async (ref, signal) => {
    try {
      return await first.run(ref, signal);
    } catch (error) {
      if (!(error instanceof AppError) || isFinal(error) || signal.aborted) throw error;
      return await second.run(ref, signal).catch(other => {
        throw isFinal(other) ? other : error;
      });
    }
  };
  return { ...first, run };
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

function createInstagramSource(options: SourceOptions): MediaSource {
  const { http, log, accounts, extraStrategies = [], now = Date.now } = options;
  const constants = createInstagramConstants(options.upstreamConstants);
  const { profiles } = constants;
  const client = createInstagramClient({ http, log, constants, now });
  const asking = { http, read: readInstagramAnswer, now };
  const endpoint: Endpoint = (name, kind, ask) =>
    createStrategy(asking, {
      name,
      kind,
      profile: profiles[name],
      fits: ({ form }) => form !== 'story',
      ask: (ref, signal) => ask(ref, name, signal),
    });
  const oembed = endpoint('oembed', 'card', (ref, _, signal) => client.oembed(ref, signal));
  const query = createQueries(client, endpoint);
  const strategies: readonly Strategy[] = [
    query('shortcode', 'shortcode-query/plain'),
    query('mediaId', 'media-id-query/browser'),
    pageStrategy(client, endpoint, 'page/browser'),
    pageStrategy(client, endpoint, 'page/crawler'),
    endpoint('embed/crawler', 'embed', ({ id }, ...asked) => client.page(`/p/${id}/embed/captioned/`, ...asked)),
    query('shortcode', 'shortcode-query/browser'),
    ...(accounts === undefined ? [] : instagramAccounts(asking, accounts, client, profiles)),
    ...extraStrategies.map(one => ({ ...one, isLastResort: true })),
    { ...oembed, isLastResort: true, explains: true },
  ];

  return createSource(options, {
    id: 'instagram',
    match: matchInstagramLink,
    refOf: instagramRefOf,
    resolveShort: (url, { signal }) => client.resolveShort(url, signal),
    strategies,
    examples: INSTAGRAM_EXAMPLES,
    mediaHosts: META_MEDIA_HOSTS,
    canFetchStories: accounts?.isEmpty === false,
    /** Asks two questions at once; the first certain failure is thrown, a failed question is only logged. */
    async diagnose(ref, signal) {
      if (ref.form === 'story') return;
      const questions = [askRoutes(client, ref, signal), askRuling(client, ref, signal)];
      for (const answer of await Promise.allSettled(questions)) {
        if (answer.status === 'fulfilled') continue;
        if (answer.reason instanceof AppError && isDefinitive(answer.reason)) throw answer.reason;
        log.debug({ source: 'instagram', id: ref.id, err: answer.reason }, 'a question about the post failed');
      }
    },
  });
}

// Requests with the operator's accounts: for stories, and as a last resort for posts.

function instagramAccounts(
  asking: Asking,
  accounts: Accounts,
  client: InstagramClient,
  profiles: InstagramConstants['profiles'],
): readonly Strategy[] {
  function askForMedia({ parts }: PostRef, signal: AbortSignal, jar: CookieJar): Promise<HttpResponse> {
    return client.script(`/api/v1/media/${parts.mediaId ?? ''}/info/`, HOME, 'media-info', signal, jar);
  }

  const askForStory: Way['ask'] = async (ref, signal, jar) => {
    const { highlightId, mediaId, username = '' } = ref.parts;
    const askStories = (path: string, query: Readonly<Record<string, string>>, referer: string) =>
      client.script(`/api/v1/${path}/?${new URLSearchParams(query)}`, referer, 'stories', signal, jar);
    const reels = (id: string) => askStories('feed/reels_media', { reel_ids: id }, `${HOME}stories/`);
    if (highlightId !== undefined) return reels(`highlight:${highlightId}`);
    if (mediaId !== undefined) return askForMedia(ref, signal, jar);
    const profile = await askStories('users/web_profile_info', { username }, `${HOME}${username}/`);
    const userId = userIdOf(profile.text);
    // An answer without the user's id says why there is no story.
    return userId === null ? profile : reels(userId);
  };

  return createAccountStrategies({ ...asking, accounts, site: 'instagram.com' }, [
    {
      name: 'media-info',
      profile: profiles['media-info'],
      kind: 'query',
      isLastResort: true,
      byAccount: true,
      fits: ({ form }) => form !== 'story' && accounts.isReady(),
      ask: askForMedia,
    },
    {
      name: 'stories',
      profile: profiles.stories,
      kind: 'story',
      fits: ({ form }) => form === 'story',
      ask: askForStory,
    },
  ]);
}
