import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery } from '../../src/media/delivery/delivery.ts';
import type { DeliveryRequest } from '../../src/media/delivery/delivery-plan.ts';
import { fileOf } from './cdn.ts';

/** Larger files are only about their size. */
const MANY_BYTES = 1024 * 1024;

/** Made-up files of these sizes, best first; 0 is one that cannot be had. `held` are those on the disk now. */
export function createFileDelivery(
  folder: string,
  held: Set<string>,
  sizesOf: (request: DeliveryRequest) => readonly number[],
  page?: string,
): Pick<Delivery, 'deliver' | 'remoteFile' | 'wholeAddress'> {
  let count = 0;
  const addressOf = ({ post }: DeliveryRequest) =>
    page === undefined ? { url: post.url, leadsTo: 'original' as const } : { url: page, leadsTo: 'page' as const };
  return {
    wholeAddress: addressOf,
    remoteFile: () => undefined,
    async deliver(request, signal) {
      const { post, index, form, maxBytes, refused = [] } = request;
      signal.throwIfAborted();
      const sizes = sizesOf(request);
      const place = sizes.findIndex((size, at) => size > 0 && size <= maxBytes && !refused.includes(`v${at}`));
      const bytes = sizes[place];
      if (bytes === undefined) return { kind: 'link', ...addressOf(request), reason: 'too_large' };
      const isPhoto = post.items[index]?.kind === 'image';
      count += 1;
      const path = join(folder, `${count}`);
      await writeFile(path, bytes > MANY_BYTES ? Buffer.alloc(bytes) : fileOf(bytes, `${post.id} ${index}`));
      held.add(path);
      const mime = form === 'audio' ? 'audio/mp4' : isPhoto ? 'image/jpeg' : 'video/mp4';
      return {
        kind: 'file',
        path,
        bytes,
        mime,
        fileName: `medley-${post.id}.${form === 'audio' ? 'm4a' : isPhoto ? 'jpg' : 'mp4'}`,
        variantKey: `v${place}`,
        width: post.items[index]?.width ?? 720,
        height: post.items[index]?.height ?? 1280,
        durationMs: null,
        hasAudio: true,
        ...(place > 0 && form === 'original' && !isPhoto && { reduced: { bytes, ...addressOf(request) } }),
        thumbnail: null,
        async dispose() {
          held.delete(path);
          await rm(path, { force: true });
        },
      };
    },
  };
}
