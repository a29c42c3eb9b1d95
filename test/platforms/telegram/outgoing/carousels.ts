import { defineCommand } from '../../../../src/bot/contract/command.ts';
import type { GalleryItem } from '../../../../src/bot/contract/reply.ts';
import { reply } from '../../../../src/bot/contract/reply-parts.ts';
import type { Delivery } from '../../../../src/media/delivery/delivery.ts';
import { createFileDelivery } from '../../../fakes/file-delivery.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../../../fakes/post.ts';
import { openStage, type Stage, type StageOptions } from '../stage.ts';

export const FILE_BYTES = 2_000;
const ORIGINAL = 'https://www.instagram.com/p/C9TestReef01/';

interface Carousel {
  readonly count: number;
  readonly caption?: string;
  readonly bytes?: number;
}

/** A Telegram that knows rich messages, and a Medley whose every link brings so many items: every fifth a video, the others photos. */
export function openCarousel(
  { count, caption = 'First dive', bytes = FILE_BYTES }: Carousel,
  options: StageOptions = {},
): Promise<Stage> {
  const items = Array.from({ length: count }, (_, position) => {
    const isVideo = position % 5 === 1;
    const url = `https://scontent.cdninstagram.com/v/${position}.${isVideo ? 'mp4' : 'jpg'}`;
    const variants = [makeVariant({ url, mime: isVideo ? 'video/mp4' : 'image/jpeg' })];
    return isVideo ? makeItem({ position, variants, durationMs: null }) : makePhoto({ position, variants });
  });
  function galleryOf(link: string): readonly GalleryItem[] {
    const post = makePost({ id: link, items, url: ORIGINAL, caption });
    return items.map((_, index) => ({ kind: 'media', post, index, form: 'original', spoiler: index === 0 }));
  }
  const download = defineCommand({
    name: 'download',
    options: { link: { type: 'string', form: 'link', required: true, maxLength: 200 } },
    visibility: 'chat',
    cost: 1,
    accepts: 'link',
    run: async ({ link }) =>
      reply({
        blocks: [
          { kind: 'heading', text: ['Ines Okafor @kelp.forest'] },
          { kind: 'text', text: [caption], folded: true },
        ],
        gallery: galleryOf(link),
        actions: [{ kind: 'link', label: 'Open', url: ORIGINAL }],
      }),
  });
  const remoteFile: Delivery['remoteFile'] = ({ index }) => {
    const [variant] = items[index]?.variants ?? [];
    return variant && { url: variant.url, mime: variant.mime, width: null, height: null, variantKey: 'v0' };
  };
  return openStage({
    commands: [download],
    delivery: folder => ({ ...createFileDelivery(folder, new Set(), () => [bytes]), remoteFile }),
    ...options,
    telegram: { isRich: true, ...options.telegram },
  });
}
