/** A source whose posts are read from public pages: its endpoints, each asked with several profiles. */
import { CookieJar } from 'tough-cookie';
import type * as z from 'zod';
import { AppError } from '../../../errors.ts';
import type { HostList, HttpHead, HttpResponse } from '../../../infra/http/http-client.ts';
import {
  isUsable,
  type MediaSource,
  type PostRef,
  profileRequest,
  type RequestProfile,
  type Strategy,
} from '../../extract/source.ts';
import type { SourceDescriptor, SourceOptions } from '../../extract/source-descriptor.ts';
import type { Post } from '../../post.ts';
import { navigationHeaders } from './browser-headers.ts';
import { type Constants, readConstants } from './constants.ts';
import type { AnswerKind } from './draft.ts';
import { type AnswerReader, readSiteAnswer } from './page-thread.ts';
import { followRedirects, followShortLink } from './redirects.ts';
import { failureOfPlace, redirectOf, weakNotFound } from './refusal.ts';
import { createSource } from './source.ts';

export interface PageSite<Ids extends object, Name extends string, Endpoint extends AnswerKind>
  extends Omit<SourceDescriptor, 'example' | 'create'>,
    Pick<MediaSource, 'match' | 'refOf'> {
  /** Public posts that have existed for years or months, one of each kind. */
  readonly examples: readonly [string, ...string[]];
  /** Hosts from which its posts are fetched. Default: the hosts of its links. */
  readonly askedHosts?: HostList;
  readonly maxBytes: number;
  /** The ids that the site changes now and then, each with its default; strict. */
  readonly ids: z.ZodType<Ids>;
  /** Profiles by strategy, `ENDPOINT/CALLER`. One without an `accept` header gets the headers of a browser's navigation. */
  readonly profiles: (ids: Ids) => Readonly<Record<Name | 'short-link', RequestProfile>>;
  /** The address of a post at each endpoint. */
  readonly endpoints: Readonly<Record<Endpoint, (ref: PostRef, ids: Ids) => string>>;
  /** Strategies that ask for something else than pages. */
  readonly strategies?: (options: SourceOptions, constants: Constants<Ids, Name>) => readonly Strategy[];
  readonly read: AnswerReader;
  /** Paths of the site's login and of other pages to which refused visitors are sent. */
  readonly wall: RegExp;
  /** The target that the page of a short link names, when it does not redirect. */
  readonly namedBy?: (answer: HttpResponse) => string | null;
  /** Completes a post whose files need cookies that the site set, or have to be asked for separately. */
  readonly finish?: (post: Post, asked: FinishContext) => Post | Promise<Post>;
  /** Changes the source where its site differs from others. */
  readonly adapt?: (source: MediaSource, options: SourceOptions) => MediaSource;
}

export interface FinishContext extends Pick<SourceOptions, 'http'> {
  readonly cookies: CookieJar;
  readonly signal: AbortSignal;
}

const MAX_HOPS = 3;

export function definePageSite<Ids extends object, Name extends string, Endpoint extends AnswerKind>(
  site: PageSite<Ids, Name, Endpoint>,
): SourceDescriptor & Pick<PageSite<Ids, Name, Endpoint>, 'examples'> {
  const { adapt = source => source, ...described } = site;
  return {
    ...described,
    example: site.examples[0],
    create: options => adapt(createPageSource(options, site), options),
  };
}

function createPageSource<Ids extends object, Name extends string, Endpoint extends AnswerKind>(
  options: SourceOptions,
  site: PageSite<Ids, Name, Endpoint>,
): MediaSource {
  const { id, match, refOf, examples, cdnHosts: mediaHosts, endpoints, maxBytes, read, wall, namedBy, finish } = site;
  const { http, extraStrategies = [], now = Date.now } = options;
  const hosts = site.askedHosts ?? site.hosts;
  const table = { source: id, schema: site.ids, profiles: site.profiles, sessions: ['none'] } as const;
  const constants = readConstants<Ids, Name | 'short-link'>(table, options.upstreamConstants);
  const { profiles } = constants;

  /** Each request is made once without retries, because the chain goes on with another strategy. */
  function ask(url: string | URL, profile: RequestProfile, signal: AbortSignal, cookies = new CookieJar()) {
    const request = profileRequest(profile, profile.headers.accept === undefined ? navigationHeaders(profile) : {});
    return http.request({ ...request, url, hosts, cookies, maxBytes, maxRedirects: 0, retries: 0, signal });
  }

  /** Null for a redirect that leaves the site, or leads to a page that is not a post's. */
  function nextPage(head: HttpHead): URL | null {
    const target = redirectOf(head);
    if (target?.protocol !== 'https:' || match(target) === undefined) return null;
    return failureOfPlace({ status: 200, headers: {}, url: target.href }, now(), wall) === null ? target : null;
  }

  function strategy(endpoint: Endpoint, name: string, profile: RequestProfile): Strategy {
    const run = async (ref: PostRef, signal: AbortSignal) => {
      const cookies = new CookieJar();
      const askAt = (at: string | URL) => ask(at, profile, signal, cookies);
      const answer = await followRedirects(endpoints[endpoint](ref, constants), askAt, nextPage, MAX_HOPS);
      const context = { ref, kind: endpoint, strategy: name, now: now() };
      const post = await readSiteAnswer(read, answer, context);
      return finish === undefined ? post : finish(post, { http, cookies, signal });
    };
    return { name, profile, timeoutMs: profile.timeoutMs, isAvailable: () => isUsable(profile, http), run };
  }

  async function shortStep(url: string, signal: AbortSignal) {
    const answer = await ask(url, profiles['short-link'], signal);
    const named = redirectOf(answer)?.href ?? namedBy?.(answer) ?? '';
    if (!URL.canParse(named)) {
      throw failureOfPlace(answer, now(), wall) ?? new AppError('upstream_changed', 'a short link that names no post');
    }
    const found = match(new URL(named));
    if (found?.kind === 'short') return { next: found.url };
    if (found === undefined) {
      throw new AppError('unsupported_link', 'a short link that leads off the site', { params: { what: 'site' } });
    }
    if (found.kind === 'unsupported' && new URL(named).pathname === '/') {
      throw weakNotFound('the short link leads to the home page');
    }
    return { target: named };
  }

  const strategies = Object.entries<RequestProfile>(profiles).flatMap(([name, profile]) => {
    const endpoint = name.split('/', 1)[0] ?? '';
    return isEndpoint(endpoint) ? strategy(endpoint, name, profile) : [];
  });
  function isEndpoint(name: string): name is Endpoint {
    return Object.hasOwn(endpoints, name);
  }
  return createSource(options, {
    ...{ id, match, refOf, examples, mediaHosts },
    resolveShort: (link, { signal }) => followShortLink(link, url => shortStep(url, signal)),
    strategies: [...strategies, ...(site.strategies?.(options, constants) ?? []), ...extraStrategies],
    canFetchStories: false,
  });
}
