import type { MediaSource, PostRef } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { createPageSource } from '../kit/page-site.ts';
import { readThreadsPage, WALL } from './answer.ts';
import { createThreadsConstants, THREADS_EXAMPLES } from './constants.ts';
import { matchThreadsLink, THREADS_HOSTS, threadsRefOf } from './link.ts';

/** An embed is found under any name, a page without one by its code alone. */
const pageOf = ({ id, parts: { user = 'threads' } }: PostRef) => `https://www.threads.com/@${user}/post/${id}`;

export function createThreadsSource(options: SourceOptions): MediaSource {
  return createPageSource(options, {
    id: 'threads',
    match: matchThreadsLink,
    refOf: threadsRefOf,
    hosts: THREADS_HOSTS,
    mediaHosts: META_MEDIA_HOSTS,
    examples: THREADS_EXAMPLES,
    // Pages of posts have 1.3 MB (2026-09).
    maxBytes: 8 * 1024 * 1024,
    endpoints: { embed: ref => `${pageOf(ref)}/embed`, page: ref => (ref.parts.user ? pageOf(ref) : ref.url) },
    profiles: createThreadsConstants(options.upstreamConstants).profiles,
    read: readThreadsPage,
    wall: WALL,
  });
}
