/** Builds sources that read posts from public endpoints, as a browser, a crawler or another client. */
import { CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import { hostsBelow } from '../../../infra/http/host-list.ts';
import type { HostList, HttpClient, HttpHead, HttpRequest, HttpResponse } from '../../../infra/http/http-client.ts';
import { endpointOf, type PostRef, profileRequest, type RequestProfile } from '../../extract/source.ts';
import type { SourceDescriptor, SourceOptions } from '../../extract/source-descriptor.ts';
import { MAX_PLAYLIST_BYTES, type PlaylistPlace, playlistVariants } from '../../parse/playlist.ts';
import type { MediaItem, Variant } from '../../post.ts';
import { type Constants, type ConstantsTable, navigationHeaders, readConstants } from './constants.ts';
import { ANSWER_KINDS, withCompleted } from './draft.ts';
import { failureOfPlace, redirectOf } from './failures.ts';
import { type AnswerReader, createSource, createStrategy, type SourceParts, type Way } from './source.ts';

/**
 * A site and how to ask it. Its profiles have the names of its strategies (`ENDPOINT/CALLER` or `ENDPOINT`), and
 * `short-link` is the profile for the site's short links, if it has any. A profile without an `accept` header gets the
 * headers of a browser that opens a page, unless `addsNoHeaders` is true.
 */
export interface PageSite<Ids extends object, Name extends string>
  extends ConstantsTable<Ids, Name>,
    Omit<SourceDescriptor, 'id' | 'example' | 'create'>,
    Pick<SourceParts, 'match' | 'refOf' | 'linkOf'> {
  /** Known public posts, months or years old, one of each kind. */
  readonly examples: readonly [string, ...string[]];
  /** Hosts to which requests go. Default: the hosts of the site's links. */
  readonly askedHosts?: HostList;
  readonly maxBytes: number;
  /** Milliseconds for a post with all its requests. Default: the time of the strategy's profile. */
  readonly postMs?: number;
  /** True: requests have only the headers of their profile, and those that the browser transport adds. */
  readonly addsNoHeaders?: true;
  /** For each endpoint, how it is asked; undefined if Medley's settings lack what the endpoint needs. */
  readonly endpoints: (
    options: SourceOptions,
    constants: Constants<Ids, Name>,
  ) => Readonly<Record<string, AskEndpoint | undefined>>;
  /** Says whether an endpoint can show a post. Default: every endpoint shows every post. */
  readonly fits?: (endpoint: string, ref: PostRef) => boolean;
  readonly read: AnswerReader;
  /** Paths of the site's login and of other pages that refused visitors get. */
  readonly wall?: RegExp;
  /** Reads the target of a short link from its page, if the link does not redirect. */
  readonly namedBy?: (answer: HttpResponse) => string | null;
  /** Completes items whose files need cookies of the site or further requests. */
  readonly completer?: (options: SourceOptions, constants: Constants<Ids, Name>) => CompleteItem;
  /** Code that only this site needs. Its `strategies` are asked after all others. */
  readonly own?: (
    options: SourceOptions,
    constants: Constants<Ids, Name>,
    askerOf: AskerOf,
  ) => Partial<Pick<SourceParts, 'strategies' | 'resolveShort' | 'diagnose' | 'explain'>>;
}

/** Makes a request with the profile of the strategy that runs. */
export type Ask = (
  url: string | URL,
  request?: Partial<Pick<HttpRequest, 'hosts' | 'method' | 'headers' | 'body' | 'signal'>>,
) => Promise<HttpResponse>;

export type AskerOf = (profile: RequestProfile, signal: AbortSignal, cookies?: CookieJar) => Ask;

/** The address that shows a post at an endpoint. An endpoint that needs several requests gives its answer instead. */
export type AskEndpoint = (ref: PostRef, ask: Ask, signal: AbortSignal) => string | Promise<HttpResponse>;

/** @param profile the profile with which the item was found */
export type CompleteItem = (
  item: MediaItem,
  signal: AbortSignal,
  cookies: CookieJar,
  profile: RequestProfile,
) => MediaItem | Promise<MediaItem>;

const MAX_HOPS = 3;

export function definePageSite<Ids extends object, Name extends string>(
  site: PageSite<Ids, Name>,
): SourceDescriptor & Pick<PageSite<Ids, Name>, 'examples'> {
  return { ...site, example: site.examples[0], create: options => createPageSource(options, site) };
}

function createPageSource<Ids extends object, Name extends string>(options: SourceOptions, site: PageSite<Ids, Name>) {
  const { id, match, refOf, linkOf, examples, cdnHosts: mediaHosts, maxBytes, read, wall = /^$/, namedBy } = site;
  const { http, extraStrategies = [], now = Date.now } = options;
  const hosts = site.askedHosts ?? site.hosts;
  const constants = readConstants(site, options.upstreamConstants);
  const profiles: Readonly<Record<string, RequestProfile>> = constants.profiles;
  const endpoints = site.endpoints(options, constants);
  const complete = site.completer?.(options, constants);

  /** Makes a request without retries: after a failure the next strategy runs, which is more useful. */
  const askerOf: AskerOf = (profile, signal, cookies = new CookieJar()) => {
    const bounds = { hosts, cookies, maxBytes, maxRedirects: 0, retries: 0, signal };
    const isComplete = site.addsNoHeaders || profile.headers.accept !== undefined;
    const navigation = isComplete ? {} : navigationHeaders(profile);
    return (url, { headers = {}, ...request } = {}) =>
      http.request({ ...profileRequest(profile, { ...navigation, ...headers }), ...bounds, url, ...request });
  };

  /** The target of a redirect; null when it must not be followed: it is off the site, the home page or in `wall`. */
  function nextPage(head: HttpHead): URL | null {
    const target = redirectOf(head);
    if (target?.protocol !== 'https:' || match(target) === undefined) return null;
    return failureOfPlace({ status: 200, headers: {}, url: target.href }, now(), wall) === null ? target : null;
  }

  const strategies = Object.entries(profiles).flatMap(([name, profile]) => {
    const place = endpointOf({ name });
    const endpoint = endpoints[place];
    if (endpoint === undefined || profile.session === 'account') return [];
    const way: Way = {
      ...{ name, profile, timeoutMs: site.postMs ?? profile.timeoutMs },
      kind: ANSWER_KINDS.find(kind => kind === place) ?? 'page',
      fits: ref => site.fits?.(place, ref) !== false,
      async ask(ref, signal, cookies) {
        const ask = askerOf(profile, signal, cookies);
        const answer = endpoint(ref, ask, signal);
        return typeof answer === 'string' ? followRedirects(answer, ask, nextPage, MAX_HOPS) : answer;
      },
      ...(complete && {
        complete: (post, signal, cookies) => withCompleted(post, item => complete(item, signal, cookies, profile)),
      }),
    };
    return createStrategy({ http, read, now }, way);
  });

  async function shortStep(url: string, signal: AbortSignal) {
    const profile = profiles['short-link'];
    if (profile === undefined) throw new AppError('unsupported_link', 'the site has no short links');
    const answer = await askerOf(profile, signal)(url);
    const named = redirectOf(answer)?.href ?? namedBy?.(answer) ?? '';
    if (!URL.canParse(named)) {
      throw failureOfPlace(answer, now(), wall) ?? new AppError('upstream_changed', 'a short link that names no post');
    }
    const found = match(new URL(named));
    if (found?.kind === 'short') return { next: found.url };
    if (found === undefined) {
      throw new AppError('unsupported_link', 'a short link that leads off the site', { params: { what: 'site' } });
    }
    // The login page only counts as the target if its query contains the post. Otherwise the site refuses this caller,
    // and that failure is thrown, because the short link may work at another time.
    const led = found.kind === 'wrapper' && URL.canParse(found.target) ? match(new URL(found.target)) : found;
    const failure = failureOfPlace({ status: 200, headers: {}, url: named }, now(), wall);
    if (led?.kind !== 'post' && failure !== null) throw failure;
    return { target: named };
  }

  const own = site.own?.(options, constants, askerOf);
  return createSource(options, {
    ...{ id, match, refOf, ...(linkOf && { linkOf }), examples, mediaHosts },
    resolveShort: (link, { signal }) => followShortLink(link, url => shortStep(url, signal)),
    canFetchStories: false,
    ...own,
    strategies: [...strategies, ...extraStrategies, ...(own?.strategies ?? [])],
  });
}

/** Follows redirects until `nextOf` returns null. After `maxHops` redirects, the next one is itself the answer. */
export async function followRedirects(
  url: string,
  ask: (url: string | URL) => Promise<HttpResponse>,
  nextOf: (response: HttpResponse) => URL | null,
  maxHops: number,
): Promise<HttpResponse> {
  let response = await ask(url);
  for (let hop = 0; hop < maxHops; hop += 1) {
    const next = nextOf(response);
    if (next === null) break;
    response = await ask(next);
  }
  return response;
}

/** The result of a step: the address of the post (`target`), or the address to request next. */
export type ShortLinkStep = { readonly target: string } | { readonly next: string };

const MAX_SHORT_HOPS = 5;

/** @throws AppError whatever `step` throws; `upstream_changed` for a link that redirects too often. */
export async function followShortLink(url: string, step: (url: string) => Promise<ShortLinkStep>): Promise<string> {
  let current = url;
  for (let hop = 0; hop < MAX_SHORT_HOPS; hop += 1) {
    const found = await step(current);
    if ('target' in found) return found.target;
    if (found.next === current) break;
    current = found.next;
  }
  throw new AppError('upstream_changed', 'a short link that leads in circles');
}

type RenditionsRequest = PlaylistPlace & Partial<Pick<HttpRequest, 'headers'>> & { readonly signal: AbortSignal };

/**
 * Fetches a master or media playlist and returns the renditions of its video as variants, best first.
 * @throws AppError whatever the request throws; `upstream_changed` for an answer that is not a playlist
 */
export async function askRenditions(
  http: Pick<HttpClient, 'request'>,
  { url, hosts, headers = {}, signal }: RenditionsRequest,
): Promise<readonly Variant[]> {
  const answer = await http.request({ url, hosts: hostsBelow(hosts), headers, signal, maxBytes: MAX_PLAYLIST_BYTES });
  const variants = answer.status === 200 ? playlistVariants(answer.text, { url: answer.url, hosts }) : [];
  if (variants.length === 0) throw new AppError('upstream_changed', `no renditions in a playlist (${answer.status})`);
  return variants;
}
