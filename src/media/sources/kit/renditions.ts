import { AppError } from '../../../errors.ts';
import { hostsBelow } from '../../../infra/http/host-list.ts';
import type { HttpClient } from '../../../infra/http/http-client.ts';
import { MAX_PLAYLIST_BYTES, playlistVariants } from '../../parse/playlist.ts';
import type { Variant } from '../../post.ts';

export interface RenditionsRequest {
  /** The address of a master playlist, or of a media playlist. */
  readonly url: string;
  /** Domains of the source's media hosts. */
  readonly hosts: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Fetches a playlist and returns the renditions of its video as variants, best first.
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
