import { parseAddress } from '../media/extract/address.ts';
import type { MediaSource, PostRef } from '../media/extract/source.ts';

const MAX_HOPS = 2;

/** The post that a link names, short links followed; undefined when it is none of this source's. @throws AppError */
export async function refOfLink(source: MediaSource, link: string, signal: AbortSignal): Promise<PostRef | undefined> {
  let text = link;
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const address = parseAddress(text);
    const match = address && source.match(address);
    if (match === undefined || match.kind === 'unsupported') return undefined;
    if (match.kind === 'post' || match.kind === 'story') return match.ref;
    text = match.kind === 'wrapper' ? match.target : await source.resolveShort(match.url, { signal });
  }
  return undefined;
}
