import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import type { SourceId } from '../post.ts';
import { findAddresses, parseAddress } from './find-addresses.ts';
import type { LinkMatch, MediaSource, PostRef } from './source.ts';

type PostMatch = Extract<LinkMatch, { kind: 'post' | 'story' }>;

/** A link's target and its source. A wrapper (`l.SITE/?u=ADDRESS`) has been replaced by the address in its query. */
export interface MatchedLink<Match = Exclude<LinkMatch, { kind: 'wrapper' }>> {
  readonly source: MediaSource;
  readonly match: Match;
}

export type PostLink = MatchedLink<PostMatch>;
export type ShortLink = MatchedLink<Extract<LinkMatch, { kind: 'short' }>>;

export type LinkReader = ReturnType<typeof createLinkReader>;

const MAX_WRAPPERS = 3;
const MAX_MATCHED = 2_000;
/** Matches of longer links are not cached: they are rare and would take memory. */
const MAX_MATCHED_CHARS = 500;

/** The key of a post wherever posts are stored: `source:id`. */
export function keyOf({ source, id }: Pick<PostRef, 'source' | 'id'>): string {
  return `${source}:${id}`;
}

/**
 * Reads what a link itself tells, without asking any site.
 * @param sources in order: a link belongs to the first source that knows the link's host
 */
export function createLinkReader(sources: readonly MediaSource[]) {
  /** A link is matched several times between the message and its post, so the result is cached. */
  const matched = createLru<string, MatchedLink>({ max: MAX_MATCHED });

  function matchLink(text: string): MatchedLink {
    const known = matched.get(text);
    if (known !== undefined) return known;
    const found = unwrapLink(text, sources);
    if (text.length <= MAX_MATCHED_CHARS) matched.set(text, found);
    // Later steps use the canonical form of the link, so the match is cached under that form in addition to the link as
    // it was typed.
    if (found.match.kind === 'post') matched.set(linkOf(found.source, found.match.ref), found);
    return found;
  }

  /** Says whether a source knows the host of an address. Only such addresses count towards a text's limit of 20. */
  function isKnown(address: URL): boolean {
    return matchAddress(address.protocol === 'https:' ? new URL('/', address) : address, sources) !== undefined;
  }

  function matchOrNone(link: string): MatchedLink | undefined {
    try {
      return matchLink(link);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  return {
    /** @throws AppError `invalid_request`, or `unsupported_link` when no source has the link's host */
    match: matchLink,

    /** Canonical links of posts in a text, in order, without repeats; `<link>` and code are skipped. Pure. */
    findLinks(text: string): readonly string[] {
      const links = new Map<string, string>();
      for (const address of findAddresses(text, isKnown)) {
        const { source, match } = matchOrNone(address) ?? {};
        if (source === undefined || match === undefined || match.kind === 'unsupported') continue;
        const url = match.kind === 'short' ? match.url : linkOf(source, match.ref);
        const key = match.kind === 'short' ? url : `${keyOf(match.ref)}#${match.ref.itemIndex ?? ''}`;
        if (!links.has(key)) links.set(key, url);
      }
      return [...links.values()];
    },

    /** The source whose host the link has, even if it leads to no post; undefined for an unknown host. Pure. */
    sourceOf: (link: string): SourceId | undefined => matchOrNone(link)?.source.id,

    /** `source:id` of the post whose id is in the link; undefined for a short link or a link to no post. Pure. */
    postKey(link: string): string | undefined {
      const found = matchOrNone(link);
      return found && postKeyOf(found);
    },
  };
}

/** `source:id` of the post whose id is in the link; undefined if the link contains none. */
export function postKeyOf({ match }: MatchedLink): string | undefined {
  return match.kind === 'post' || match.kind === 'story' ? keyOf(match.ref) : undefined;
}

/**
 * The match, if it is a post that can be fetched or a short link.
 * @throws AppError `unsupported_link`, or `login_required` for stories without cookies
 */
export function supportedLink({ source, match }: MatchedLink, only: SourceId | undefined): PostLink | ShortLink {
  if (only !== undefined && source.id !== only) throw unsupported('site');
  if (match.kind === 'unsupported') throw unsupported(match.what);
  if (match.kind === 'short') return { source, match };
  if (match.kind === 'story' && !source.canFetchStories)
    throw new AppError('login_required', 'stories need cookies', { params: { what: 'story' } });
  return { source, match };
}

/** Follows wrappers, such as a site's redirect page, to the address in their query. Returns that address's match. */
function unwrapLink(text: string, sources: readonly MediaSource[]): MatchedLink {
  let target = text;
  for (let wrappers = 0; wrappers <= MAX_WRAPPERS; wrappers += 1) {
    const address = parseAddress(target);
    if (address === undefined && wrappers === 0) {
      throw new AppError('invalid_request', 'url must be the https address of a post', {
        params: { hint: 'notLink', option: 'url' },
      });
    }
    const found = address && matchAddress(address, sources);
    if (found === undefined) throw unsupported('site', sources);
    const { source, match } = found;
    if (match.kind !== 'wrapper') return { source, match };
    target = match.target;
  }
  throw unsupported('page');
}

function matchAddress(address: URL, sources: readonly MediaSource[]): MatchedLink<LinkMatch> | undefined {
  for (const source of sources) {
    const match = source.match(address);
    if (match !== undefined) return { source, match };
  }
  return undefined;
}

/** The canonical link, including the item that it points at. */
function linkOf(source: MediaSource, ref: PostRef): string {
  const link = source.linkOf?.(ref) ?? ref.url;
  return ref.itemIndex === null ? link : `${link}?img_index=${ref.itemIndex + 1}`;
}

/** @param sources all sources, so that the error can list them if the link belongs to none of them */
function unsupported(what: string, sources: readonly MediaSource[] = []): AppError {
  const sites = sources.map(({ id }) => id).join(' ');
  return new AppError('unsupported_link', `no single post behind this link (${what})`, {
    params: { what, ...(sites !== '' && { sites }) },
  });
}
