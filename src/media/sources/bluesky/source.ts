import { AppError } from '../../../errors.ts';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { isUsable } from '../../extract/request-profile.ts';
import type { MediaSource, PostRef, Strategy } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { siteAnswer } from '../../parse/body.ts';
import type { Variant } from '../../post.ts';
import { readableItems, toPost } from '../kit/draft.ts';
import { listedFile } from '../kit/listed-files.ts';
import { askRenditions } from '../kit/renditions.ts';
import { createSource } from '../kit/source.ts';
import { readBlueskyAnswer } from './answer.ts';
import { createBlueskyClient } from './client.ts';
import { BLUESKY_EXAMPLES, createBlueskyConstants } from './constants.ts';
import { blueskyRefOf, matchBlueskyLink } from './parse/link.ts';
import { BLUESKY_MEDIA_HOSTS, frameOf, playlistOf } from './parse/media.ts';
import { draftOf, type PostView } from './parse/post.ts';

/** A post is not kept waiting for longer by the list of its renditions. */
const RENDITIONS_MS = 3_000;

export function createBlueskySource(options: SourceOptions): MediaSource {
  const { http, log, extraStrategies = [], now = Date.now } = options;
  const constants = createBlueskyConstants(options.upstreamConstants);
  const client = createBlueskyClient(http, constants);

  /** The file as it was posted, where a server of Bluesky keeps it, and the renditions of the CDN. */
  async function filesOf({ media: { video }, did }: PostView, signal: AbortSignal): Promise<readonly Variant[]> {
    if (video === null) return [];
    const original = async (): Promise<readonly Variant[]> => {
      const server = video.cid === null || video.mime !== 'video/mp4' ? undefined : await client.serverOf(did, signal);
      if (server === undefined) return [];
      const url = `https://${server}/xrpc/com.atproto.sync.getBlob?${new URLSearchParams({ did, cid: video.cid ?? '' })}`;
      return [listedFile(url, { mime: 'video/mp4', hasVideo: true, bytes: video.bytes, ...frameOf(video.view) })];
    };
    const [url, hosts] = [playlistOf(video), BLUESKY_MEDIA_HOSTS];
    const inTime = joinSignals([signal], RENDITIONS_MS);
    const renditions = url === null ? [] : askRenditions(http, { url, hosts, signal: inTime.signal });
    const found = await Promise.allSettled([original(), renditions]).finally(inTime.release);
    const reasons = found.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
    const files = found.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
    if (files.length === 0 && reasons.length > 0) throw reasons[0];
    for (const err of reasons) log.info({ source: 'bluesky', err }, 'some files of a video are not known');
    return files;
  }

  function strategy(
    name: 'thread' | 'posts',
    ask: (ref: PostRef, signal: AbortSignal) => Promise<HttpResponse>,
  ): Strategy {
    const profile = constants.profiles[name];
    return {
      name,
      profile,
      isAvailable: () => isUsable(profile, http),
      async run(ref, signal) {
        const kind = name === 'posts' ? 'query' : 'page';
        const post = readBlueskyAnswer(siteAnswer(await ask(ref, signal)), { ref, kind, now: now() });
        const { quoted } = post;
        const ofQuoted = async () => (quoted === null ? [] : filesOf(quoted, signal));
        const [own, others] = await Promise.all([
          filesOf(post, signal),
          ofQuoted().catch(err => {
            log.info({ source: 'bluesky', id: ref.id, err }, 'the video of a quoted post is not known');
            return [];
          }),
        ]);
        const draft = draftOf(post, new Map([[post, own], ...(quoted === null ? [] : [[quoted, others] as const])]));
        if (draft.items.length > 0 && readableItems(draft) === 0) {
          throw new AppError('upstream_changed', 'the post came without a file that we know');
        }
        return toPost(draft, { ref, strategy: name, now: now() });
      },
    };
  }

  return createSource(options, {
    id: 'bluesky',
    match: matchBlueskyLink,
    refOf: blueskyRefOf,
    resolveShort: () => Promise.reject(new AppError('unsupported_link', 'Bluesky has no short links of posts')),
    strategies: [
      strategy('thread', client.thread),
      strategy('posts', client.posts),
      ...extraStrategies.map(one => ({ ...one, isLastResort: true })),
    ],
    examples: BLUESKY_EXAMPLES,
    mediaHosts: BLUESKY_MEDIA_HOSTS,
    canFetchStories: false,
  });
}
