/** A source whose posts are read from pages that anyone may ask for: its endpoints, each asked by several callers. */
import { CookieJar } from 'tough-cookie';
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
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import type { Post } from '../../post.ts';
import { navigationHeaders } from './browser-headers.ts';
import type { AnswerKind } from './draft.ts';
import { type AnswerReader, readSiteAnswer } from './page-thread.ts';
import { followRedirects, followShortLink } from './redirects.ts';
import { failureOfPlace, redirectOf, weakNotFound } from './refusal.ts';
import { createSource } from './source.ts';

export interface PageSite<Endpoint extends AnswerKind>
  extends Pick<MediaSource, 'id' | 'match' | 'refOf' | 'mediaHosts' | 'examples'> {
  readonly hosts: HostList;
  readonly maxBytes: number;
  /** Address of a post by endpoint. */
  readonly endpoints: Readonly<Record<Endpoint, (ref: PostRef) => string>>;
  /** By strategy. One that does not say what it accepts navigates as a browser does. */
  readonly profiles: { readonly [strategy: string]: RequestProfile; readonly 'short-link': RequestProfile };
  readonly read: AnswerReader;
  /** Paths of its login and of other pages that refused visitors are sent to. */
  readonly wall: RegExp;
  /** The address that the page of a short link names, where it does not redirect. */
  readonly namedBy?: (answer: HttpResponse) => string | null;
  /** Files may want what the site set in the cookies, or may have to be asked for. */
  readonly finish?: (post: Post, asked: { cookies: CookieJar; signal: AbortSignal }) => Post | Promise<Post>;
}

const MAX_HOPS = 3;

export function createPageSource<Endpoint extends AnswerKind>(
  options: SourceOptions,
  { hosts, maxBytes, endpoints, profiles, read, wall, namedBy, finish, ...site }: PageSite<Endpoint>,
): MediaSource {
  const { http, extraStrategies = [], now = Date.now } = options;

  /** A request is made once: the chain asks elsewhere where another client would try again. */
  function ask(url: string | URL, profile: RequestProfile, signal: AbortSignal, cookies = new CookieJar()) {
    const request = profileRequest(profile, profile.headers.accept === undefined ? navigationHeaders(profile) : {});
    return http.request({ ...request, url, hosts, cookies, maxBytes, maxRedirects: 0, retries: 0, signal });
  }

  /** Null for a redirect off the site, or to a page that is no post's. */
  function nextPage(head: HttpHead): URL | null {
    const target = redirectOf(head);
    if (target?.protocol !== 'https:' || site.match(target) === undefined) return null;
    return failureOfPlace({ status: 200, headers: {}, url: target.href }, now(), wall) === null ? target : null;
  }

  function strategy(endpoint: Endpoint, name: string, profile: RequestProfile): Strategy {
    const run = async (ref: PostRef, signal: AbortSignal) => {
      const cookies = new CookieJar();
      const askAt = (at: string | URL) => ask(at, profile, signal, cookies);
      const answer = await followRedirects(endpoints[endpoint](ref), askAt, nextPage, MAX_HOPS);
      const context = { ref, kind: endpoint, strategy: name, now: now() };
      const post = await readSiteAnswer(read, answer, context);
      return finish === undefined ? post : finish(post, { cookies, signal });
    };
    return { name, profile, timeoutMs: profile.timeoutMs, isAvailable: () => isUsable(profile, http), run };
  }

  async function shortStep(url: string, signal: AbortSignal) {
    const answer = await ask(url, profiles['short-link'], signal);
    const named = redirectOf(answer)?.href ?? namedBy?.(answer) ?? '';
    if (!URL.canParse(named)) {
      throw failureOfPlace(answer, now(), wall) ?? new AppError('upstream_changed', 'a short link that names no post');
    }
    const match = site.match(new URL(named));
    if (match?.kind === 'short') return { next: match.url };
    if (match === undefined) {
      throw new AppError('unsupported_link', 'a short link that leads off the site', { params: { what: 'site' } });
    }
    if (match.kind === 'unsupported' && new URL(named).pathname === '/') {
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
    ...site,
    resolveShort: (link, { signal }) => followShortLink(link, url => shortStep(url, signal)),
    strategies: [...strategies, ...extraStrategies],
    canFetchStories: false,
  });
}
