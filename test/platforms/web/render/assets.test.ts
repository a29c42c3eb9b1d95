import { expect, it } from 'vitest';
import type { TunnelFile } from '../../../../src/media/tunnel/tunnel-token.ts';
import { createAssetAddresses } from '../../../../src/platforms/web/platform.ts';
import { ASSET_LIFE_MS } from '../../../../src/platforms/web/protocol/limits.ts';

const COVER = 'https://assets.test/covers/list.jpg';

it('gives a file the same address while it is young, and a new one long before that ends', () => {
  let now = 1_000;
  const made: TunnelFile[] = [];
  const address = (file: TunnelFile) => `/media/${made.push(file)}`;
  const addressOf = createAssetAddresses(
    { address, carries: url => url.startsWith('https://assets.test/') },
    () => now,
  );
  expect([addressOf(COVER, 'image'), addressOf(COVER, 'image'), addressOf(COVER, 'audio')]).toEqual([
    '/media/1',
    '/media/1',
    '/media/2',
  ]);
  expect(addressOf('https://elsewhere.test/1.jpg', 'image')).toBeUndefined();
  now += ASSET_LIFE_MS / 2 + 1;
  expect(addressOf(COVER, 'image')).toBe('/media/3');
  expect(made[2]).toMatchObject({ url: COVER, mime: 'image/jpeg', expiresAt: now + ASSET_LIFE_MS });
});
