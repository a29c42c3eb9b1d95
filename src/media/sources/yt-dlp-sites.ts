/**
 * Sites that are only read by an installed yt-dlp, if the operator configures their hosts. The program gets an address
 * that is built from a checked id, so no other text of a person reaches it.
 */
import { AppError, type ErrorCode } from '../../errors.ts';
import type { LinkMatch, MediaSource, PostRef } from '../extract/source.ts';
import type { SourceDescriptor, SourceOptions } from '../extract/source-descriptor.ts';
import { isOn } from '../parse/json.ts';
import { sourceDescriptors } from './index.ts';
import { PAGE } from './kit/link-match.ts';
import { createSource } from './kit/source.ts';

/** Codes that mean that a video is too long or a live broadcast. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['too_large', 'unsupported_link']);

interface Site extends Pick<SourceDescriptor, 'id' | 'name' | 'colour' | 'hosts' | 'cdnHosts' | 'example'> {
  /**
   * `video`: yt-dlp's output must repeat the id of the link, which proves that it describes the right video. `page`: it
   * need not, because the id is only the path of an address.
   */
  readonly form: 'video' | 'page';
  readonly idPattern: RegExp;
  idOf(address: URL): string | null | undefined;
  urlOf(id: string): string;
}

/** The longest video. Longer ones take minutes to fetch and fit into no chat. */
const MAX_DURATION_MS = 20 * 60_000;
/** The time for yt-dlp to start, read a page and run the player's script. */
const TIMEOUT_MS = 18_000;

const YOUTUBE: Site = {
  id: 'youtube',
  name: 'YouTube',
  colour: '#ff0033',
  hosts: ['youtube.com', 'youtu.be'],
  cdnHosts: ['googlevideo.com', 'ytimg.com'],
  example: 'https://www.youtube.com/watch?v=jNQXAC9IVRw',
  form: 'video',
  idPattern: /^[\w-]{11}$/,
  idOf({ hostname, pathname, searchParams }) {
    if (hostname.endsWith('youtu.be')) return pathname.slice(1);
    return pathname === '/watch' ? searchParams.get('v') : /^\/(?:shorts|embed|v)\/([^/]+)\/?$/.exec(pathname)?.[1];
  },
  urlOf: id => `https://www.youtube.com/watch?v=${id}`,
};

/** A site of which only the host is known. Its files must be on that host, and a link's query is ignored. */
function otherSite(host: string): Site {
  return {
    id: host
      .replace(/[^a-z0-9]/g, '')
      .replace(/^\d+/, 'n')
      .slice(0, 31),
    name: host,
    colour: '#6b7280',
    hosts: [host],
    cdnHosts: [host],
    example: `https://${host}/`,
    form: 'page',
    idPattern: /^\w[\w.~-]{0,79}(?:\/\w[\w.~-]{0,79}){0,5}$/,
    idOf: ({ pathname }) => pathname.replace(/^\/|\/$/g, ''),
    urlOf: id => `https://${host}/${id}`,
  };
}

/** The descriptors of all sources; those that use yt-dlp come last. */
export function sitesWith(ytDlpHosts: readonly string[]): readonly [SourceDescriptor, ...SourceDescriptor[]] {
  return [...sourceDescriptors, ...ytDlpSites(ytDlpHosts)];
}

/** Descriptors for the sites with these hosts. Hosts must be in lower case and without `www.`. */
export function ytDlpSites(hosts: readonly string[]): readonly SourceDescriptor[] {
  const [first, ...rest] = YOUTUBE.hosts.filter(host => hosts.includes(host));
  const known: readonly Site[] = first === undefined ? [] : [{ ...YOUTUBE, hosts: [first, ...rest] }];
  const others = hosts.filter(host => !YOUTUBE.hosts.includes(host)).map(otherSite);
  return [...known, ...others].map(({ form, idPattern, idOf, urlOf, ...descriptor }) => ({
    ...descriptor,
    create: options => createYtDlpSource({ form, idPattern, idOf, urlOf, ...descriptor }, options),
  }));
}

function createYtDlpSource(site: Site, { extraStrategies = [], ...options }: SourceOptions): MediaSource {
  const { id: source, hosts, cdnHosts, example, form } = site;
  const refOf = (id: string): PostRef | undefined =>
    site.idPattern.test(id) ? { source, id, form, url: site.urlOf(id), itemIndex: null, parts: {} } : undefined;
  const match = (address: URL): LinkMatch | undefined => {
    if (!isOn(address.hostname, hosts)) return undefined;
    const ref = refOf(site.idOf(address) ?? '');
    return ref === undefined ? PAGE : { kind: 'post', ref };
  };
  const [program] = extraStrategies;
  /**
   * Why a video that yt-dlp described is not shown. Each call of `fetch` has its own `PostRef` object, which is the key
   * here, so nothing is remembered after that call.
   */
  const refused = new WeakMap<PostRef, AppError>();
  return createSource(options, {
    ...{ id: source, match, refOf, mediaHosts: cdnHosts, canFetchStories: false },
    examples: site.form === 'video' ? [example] : [],
    explain: (ref, failure) => refused.get(ref) ?? failure,
    resolveShort: () => Promise.reject(new AppError('unsupported_link', 'it has no short links')),
    strategies: [
      {
        name: 'yt-dlp',
        timeoutMs: TIMEOUT_MS,
        isAvailable: () => true,
        async run(ref, signal) {
          if (program === undefined) throw new AppError('upstream_unavailable', 'yt-dlp is not installed');
          try {
            const post = await program.run(ref, signal);
            if (post.items.every(({ durationMs }) => (durationMs ?? 0) <= MAX_DURATION_MS)) return post;
            throw new AppError('too_large', 'a video longer than is fetched by yt-dlp');
          } catch (error) {
            if (error instanceof AppError && REFUSALS.has(error.code)) refused.set(ref, error);
            throw error;
          }
        },
      },
    ],
  });
}
