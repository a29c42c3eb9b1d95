import { hostsBelow } from '../../../infra/http/host-list.ts';
import type { HttpClient } from '../../../infra/http/http-client.ts';
import type { MediaSource, PostRef } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { isPlaylist, type MediaItem, type Variant } from '../../post.ts';
import { withCompleted } from '../kit/draft.ts';
import { listedFile } from '../kit/media-files.ts';
import { createPageSource } from '../kit/page-site.ts';
import { askRenditions } from '../kit/renditions.ts';
import { readPinterestAnswer, WALL } from './answer.ts';
import { createPinterestConstants, PINTEREST_EXAMPLES, PINTEREST_MEDIA_HOSTS } from './constants.ts';
import { matchPinterestLink, pinterestRefOf } from './link.ts';

export function createPinterestSource(options: SourceOptions): MediaSource {
  const { profiles, fields } = createPinterestConstants(options.upstreamConstants);
  const queryOf = ({ id }: PostRef) => {
    const data = JSON.stringify({ options: { id, field_set_key: fields } });
    return `https://www.pinterest.com/resource/PinResource/get/?${new URLSearchParams({ data })}`;
  };
  return createPageSource(options, {
    id: 'pinterest',
    match: matchPinterestLink,
    refOf: pinterestRefOf,
    hosts: hostsBelow(['pinterest.com']),
    mediaHosts: PINTEREST_MEDIA_HOSTS,
    examples: PINTEREST_EXAMPLES,
    maxBytes: 4 * 1024 * 1024,
    endpoints: { query: queryOf, page: ({ url }: PostRef) => url },
    profiles,
    read: readPinterestAnswer,
    wall: WALL,
    finish: (post, { signal }) => withCompleted(post, item => completed(item, { http: options.http, signal })),
  });
}

// Videos that a pin has as a stream alone: the whole file that mostly lies beside it, else its renditions.

const STREAM = /^https:\/\/(v\d*\.pinimg\.com)\/videos\/(?:iht|mc)\/\w{1,20}\/((?:[0-9a-f]{2}\/){3}[0-9a-f]{32})/;
/** Places of the whole file as of 2026-10; a missing one is 403. */
const PLACES: readonly ((name: string) => string)[] = [
  name => `iht/expMp4/${name}_720w.mp4`,
  name => `iht/720p/${name}.mp4`,
  name => `mc/720p/${name}.mp4`,
];

interface Asking {
  readonly http: HttpClient;
  readonly signal: AbortSignal;
}

async function neighbourOf(stream: Variant, { http, signal }: Asking): Promise<Variant | undefined> {
  const [, host, name] = STREAM.exec(stream.url) ?? [];
  if (host === undefined || name === undefined) return undefined;
  const bounds = { hosts: [host], maxRedirects: 0, retries: 0, timeoutMs: 2_500, signal } as const;
  const asked = PLACES.map(async place => {
    const url = `https://${host}/videos/${place(name)}`;
    const { status, headers } = await http.request({ ...bounds, url, method: 'HEAD' });
    if (status !== 200 || headers['content-type']?.startsWith('video/') !== true) throw new Error('no such file');
    const length = Number(headers['content-length']);
    return listedFile(url, { mime: 'video/mp4', hasVideo: true, bytes: length > 0 ? length : null });
  });
  return Promise.any(asked).catch(() => undefined);
}

async function completed(item: MediaItem, asking: Asking): Promise<MediaItem> {
  const [stream] = item.variants;
  if (stream === undefined || !isPlaylist(stream)) return item;
  const whole = await neighbourOf(stream, asking);
  if (whole !== undefined) return { ...item, variants: [whole] };
  const variants = await askRenditions(asking.http, { url: stream.url, hosts: PINTEREST_MEDIA_HOSTS, ...asking });
  return { ...item, variants };
}
