import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { isDefinitive, isWeak } from '../../extract/refusal.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import type { SourceDescriptor, SourceOptions } from '../../extract/source-descriptor.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import type { AnswerKind } from '../kit/draft.ts';
import { createAccountStrategies, createSource, createStrategy, isUsable } from '../kit/source.ts';
import { createInstagramClient, type InstagramClient, resolveShareLink } from './client.ts';
import { createInstagramConstants, INSTAGRAM_EXAMPLES, type ProfileName } from './constants.ts';
import { instagramLinkOf, instagramRefOf, matchInstagramLink } from './link.ts';
import { readInstagramAnswer } from './parse.ts';

export const instagram: SourceDescriptor = {
  id: 'instagram',
  name: 'Instagram',
  colour: '#e1306c',
  hosts: ['www.instagram.com', 'instagram.com', 'm.instagram.com', 'instagr.am'],
  cdnHosts: META_MEDIA_HOSTS,
  example: INSTAGRAM_EXAMPLES[0],
  onInGroups: true,
  authorPage: ['https://www.instagram.com/NAME/', /^[\w.]{1,30}$/, 'username'],
  sessionCookie: 'sessionid',
  create: createInstagramSource,
};

type Ask = (ref: PostRef, name: ProfileName, signal: AbortSignal) => Promise<HttpResponse>;
type Endpoint = (name: ProfileName, kind: AnswerKind, ask: Ask) => Strategy;

/** Says whether the page's other address (`/reel/` instead of `/p/`) would only fail in the same way. */
function isFinal(error: unknown): error is AppError {
  if (!(error instanceof AppError) || isWeak(error)) return false;
  return isDefinitive(error) || ['timeout', 'upstream_rate_limited', 'login_required'].includes(error.code);
}

/** Only the query by media id can tell a removed post (no result) from a restricted one. */
function createQueries(client: InstagramClient, endpoint: Endpoint) {
  /**
   * Posts that a query called removed or restricted. Each call of `fetch` has its own `PostRef` object, which is the
   * key here, so nothing is remembered after that call.
   */
  const exceptions = new WeakSet<PostRef>();
  return (by: 'shortcode' | 'mediaId', name: ProfileName): Strategy => {
    const strategy = endpoint(name, 'query', (...asked) => client.query(by, ...asked));
    const run: Strategy['run'] = (ref, signal) =>
      strategy.run(ref, signal).catch(error => {
        const { exception, empty } = error instanceof AppError ? error.params : {};
        if (exception === 1) exceptions.add(ref);
        const isGone = by === 'mediaId' && empty === 1 && exceptions.has(ref);
        throw isGone ? new AppError('not_found', 'no query knows the post', { cause: error }) : error;
      });
    return { ...strategy, run };
  };
}

/** `/p/` is tried first, because the site may redirect it to the right form. Sometimes only `/reel/` is answered. */
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

function createInstagramSource(options: SourceOptions): MediaSource {
  const { http, log, accounts, extraStrategies = [], now = Date.now } = options;
  const constants = createInstagramConstants(options.upstreamConstants);
  const ofPage = constants.profiles['page/browser'];
  // Pages answer a browser's navigation headers even over plain TLS (2026-10); queries do not.
  const pageProfile = isUsable(ofPage, http) ? ofPage : ({ ...ofPage, transport: 'plain' } as const);
  const profiles = { ...constants.profiles, 'page/browser': pageProfile };
  const client = createInstagramClient({ http, log, constants, now });
  const asking = { http, read: readInstagramAnswer, now };
  const endpoint: Endpoint = (name, kind, ask) =>
    createStrategy(asking, {
      name,
      kind,
      profile: profiles[name],
      ask: (ref, signal) => ask(ref, name, signal),
    });
  const query = createQueries(client, endpoint);
  // The operator's accounts are used for stories, and as a last resort for posts.
  const byAccount = createAccountStrategies({ ...asking, accounts, site: 'instagram.com' }, [
    {
      ...{ name: 'media-info', profile: profiles['media-info'], kind: 'query', isLastResort: true, byAccount: true },
      fits: ({ form }) => form !== 'story' && accounts?.isReady() === true,
      ask: client.mediaInfo,
    },
    {
      ...{ name: 'stories', profile: profiles.stories, kind: 'story' },
      fits: ({ form }) => form === 'story',
      ask: client.stories,
    },
  ]);
  const strategies: readonly Strategy[] = [
    query('shortcode', 'shortcode-query/plain'),
    query('mediaId', 'media-id-query/browser'),
    pageStrategy(client, endpoint, 'page/browser'),
    pageStrategy(client, endpoint, 'page/crawler'),
    endpoint('embed/crawler', 'embed', ({ id }, ...asked) => client.page(`/p/${id}/embed/captioned/`, ...asked)),
    query('shortcode', 'shortcode-query/browser'),
    ...byAccount,
    ...extraStrategies.map(one => ({ ...one, isLastResort: true })),
    { ...endpoint('oembed', 'card', client.oembed), isLastResort: true, explains: true },
  ];

  return createSource(options, {
    id: 'instagram',
    match: matchInstagramLink,
    refOf: instagramRefOf,
    linkOf: instagramLinkOf,
    resolveShort: (url, { signal }) => resolveShareLink({ http, constants, now }, url, signal),
    strategies,
    examples: INSTAGRAM_EXAMPLES,
    mediaHosts: META_MEDIA_HOSTS,
    canFetchStories: accounts?.isEmpty === false,
    /** Asks two endpoints at once why there is no post; throws the first certain reason and logs other failures. */
    async diagnose(ref, signal) {
      if (ref.form === 'story') return;
      const questions = [client.askRoutes(ref, signal), client.askRuling(ref, signal)];
      for (const answer of await Promise.allSettled(questions)) {
        if (answer.status === 'fulfilled') continue;
        if (answer.reason instanceof AppError && isDefinitive(answer.reason)) throw answer.reason;
        log.debug({ source: 'instagram', id: ref.id, err: answer.reason }, 'a question about the post failed');
      }
    },
  });
}
