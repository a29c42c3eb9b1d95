import { createLru } from '../../../infra/cache/cache.ts';
import type { Tunnel } from '../../../media/tunnel/tunnel.ts';
import { ASSET_LIFE_MS } from '../protocol/limits.ts';
import type { WebRenderContext } from './render.ts';

const FILES = {
  image: { mime: 'image/jpeg', fileName: 'medley-cover.jpg' },
  audio: { mime: 'audio/mpeg', fileName: 'medley-preview.mp3' },
} as const;

const MAX_REMEMBERED = 2_000;

/**
 * Addresses in the tunnel for images and audio that belong to no post. The same file has the same address for half of its
 * life, so that browsers need not load the covers of a list again on every page turned.
 */
export function createAssetAddresses(
  tunnel: Pick<Tunnel, 'address' | 'carries'>,
  now: () => number,
): WebRenderContext['assetAddress'] {
  const known = createLru<string, string>({
    max: MAX_REMEMBERED,
    ttl: ASSET_LIFE_MS / 2,
    ttlResolution: 0,
    perf: { now },
  });
  return (url, kind) => {
    if (!tunnel.carries(url)) return undefined;
    const key = `${kind} ${url}`;
    const address = known.get(key) ?? tunnel.address({ url, ...FILES[kind], expiresAt: now() + ASSET_LIFE_MS });
    if (!known.has(key)) known.set(key, address);
    return address;
  };
}
