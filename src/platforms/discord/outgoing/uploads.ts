import { drawPicture } from '../../../bot/cards/svg-rasterizer.ts';
import type { Block, GalleryItem } from '../../../bot/contract/reply.ts';
import type { Logger } from '../../../infra/log.ts';
import type { DeliveredFile } from '../../../media/delivery/delivery.ts';
import { type DeliveryRequest, isLongEnough } from '../../../media/delivery/delivery-plan.ts';
import { itemCount } from '../../../media/post.ts';
import type { UploadFile } from '../api/rest.ts';
import { description } from '../render/block-components.ts';
import type { FileLink, LinkReason, PlacedMedia } from '../render/render.ts';

/** True when any of the files belongs to a post. Drawn cards do not count, since they are small. */
export function holdsFiles(uploads: readonly UploadFile[]): boolean {
  return uploads.some(({ content }) => 'path' in content);
}

export type Deliver = (request: DeliveryRequest, signal: AbortSignal) => Promise<DeliveredFile | FileLink>;

interface Slot {
  readonly item: GalleryItem;
  /** The keys of the item's variants that were too large. */
  readonly refused: readonly string[];
  delivered: DeliveredFile | FileLink;
}

/**
 * Fetches files of at most `fileBytes` each and divides them, in order, among as few messages as possible. The files of
 * one message have at most `requestBytes` together.
 * @returns the files of each message; one message without files for an empty gallery
 * @throws AppError only when the signal aborts; no file is left then
 */
export async function prepareUploads(
  gallery: readonly GalleryItem[],
  limits: Readonly<Record<'fileBytes' | 'requestBytes', number>>,
  deliver: Deliver,
  signal: AbortSignal,
): Promise<readonly Uploads[]> {
  const outcomes = await Promise.allSettled(gallery.map(item => fill(item, [], signal)));
  const fetched = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.find(outcome => outcome.status === 'rejected');
  if (failed === undefined) return inRequests(fetched, limits.requestBytes).map(slots => createUploads(slots, fill));
  await createUploads(fetched, fill).dispose();
  throw failed.reason;

  async function fill(item: GalleryItem, refused: readonly string[], until: AbortSignal): Promise<Slot> {
    const { post, index, form, clip } = item;
    const request = { post, index, form, maxBytes: limits.fileBytes, refused, ...(clip && { clip }) };
    return { item, refused, delivered: await deliver(request, until) };
  }
}

function inRequests(slots: readonly Slot[], requestBytes: number): readonly Slot[][] {
  const sizeOf = ({ delivered }: Slot) => (delivered.kind === 'file' ? delivered.bytes : 0);
  const requests: Slot[][] = [[]];
  let bytes = 0;
  for (const slot of slots) {
    bytes += sizeOf(slot);
    if (bytes > requestBytes) {
      requests.push([]);
      bytes = sizeOf(slot);
    }
    requests.at(-1)?.push(slot);
  }
  return requests;
}

export type Uploads = ReturnType<typeof createUploads>;

/** The files of one message, from their download to their release. */
function createUploads(slots: Slot[], fill: Fill) {
  const held = () =>
    slots.flatMap((slot, place) => (slot.delivered.kind === 'file' ? [{ slot, place, file: slot.delivered }] : []));
  const biggest = () => held().toSorted((a, b) => b.file.bytes - a.file.bytes)[0];

  return {
    get count() {
      return held().length;
    },
    /** True when no video or audio is shorter than its post says. */
    get isAsExpected() {
      return held().every(({ slot, file }) => isLongEnough(slot.item, file));
    },
    /** Addresses that Discord shows as players when they are in a message of their own. */
    get pages() {
      return slots.flatMap(({ delivered }) =>
        delivered.kind === 'link' && delivered.leadsTo === 'page' ? [delivered.url] : [],
      );
    },
    /** The size of the largest file; 0 when there is none. */
    largest: () => biggest()?.file.bytes ?? 0,
    /** The items as named files or links. @param prefix makes the names differ from those of other replies' files */
    placed: (prefix: string) =>
      slots.map(({ item, delivered }, place): PlacedMedia => {
        const { post, index, spoiler } = item;
        const alt = post.items[index]?.alt ?? null;
        const which = { place: (post.items[index]?.position ?? index) + 1, of: itemCount(post) };
        if (delivered.kind === 'link') return { ...delivered, ...which };
        const { mime, reduced } = delivered;
        return { kind: 'file', name: nameOf(prefix, place, delivered), mime, reduced, alt, spoiler, ...which };
      }),
    files: (prefix: string) =>
      held().map(({ slot, place, file }): UploadFile => {
        const { path, mime, bytes } = file;
        return { name: nameOf(prefix, place, file), content: { path }, mime, bytes, spoiler: slot.item.spoiler };
      }),
    /** Replaces the largest file by its next smaller variant, or else by a link. */
    async shrink(until: AbortSignal): Promise<void> {
      const found = biggest();
      if (!found) return;
      const { slot, file, place } = found;
      await file.dispose();
      slot.delivered = { kind: 'link', url: slot.item.post.url, leadsTo: 'original', reason: 'too_large' };
      slots[place] = await fill(slot.item, [...slot.refused, file.variantKey], until);
    },
    /** Replaces all files by links to their posts. */
    async giveUp(reason: LinkReason): Promise<void> {
      for (const { slot, file } of held()) {
        await file.dispose();
        slot.delivered = { kind: 'link', url: slot.item.post.url, leadsTo: 'original', reason };
      }
    },
    /** Releases the files. Safe to call twice. */
    async dispose(): Promise<void> {
      for (const { file } of held()) await file.dispose();
    },
  };
}

type Fill = (item: GalleryItem, refused: readonly string[], until: AbortSignal) => Promise<Slot>;

/** The name of an attachment, of characters that Discord keeps: `attachment://` does not find a renamed file. */
function nameOf(prefix: string, place: number, { fileName }: DeliveredFile): string {
  const safe = fileName.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^[._]+/, '');
  const dot = safe.lastIndexOf('.');
  const end = dot > 0 ? safe.slice(dot).slice(0, 8) : '';
  const stem = (dot > 0 ? safe.slice(0, dot) : safe).slice(0, 80);
  return `${stem === '' ? 'medley' : stem}-${prefix}${place + 1}${end}`;
}

export interface Drawing {
  readonly key: string;
  /** The card as a file. @param prefix makes its name differ from those of the message's other replies */
  readonly file: (prefix: string) => UploadFile;
}

/** Draws the image cards of a reply. Cards that cannot be drawn are left out. Never rejects. */
export async function drawPictures(blocks: readonly Block[], log: Pick<Logger, 'warn'>): Promise<readonly Drawing[]> {
  const wanted = new Map(blocks.flatMap(block => (block.kind === 'picture' ? [[block.picture.key, block]] : [])));
  const drawn = await Promise.all([...wanted.values()].map(({ picture }) => drawPicture(picture, log)));
  return [...wanted].flatMap(([key, { alt }], place): Drawing[] => {
    const data = drawn[place];
    if (data === undefined) return [];
    const words = description(alt) ?? '';
    const file = { content: { data }, mime: 'image/png', bytes: data.length, spoiler: false, alt: words };
    return [{ key, file: prefix => ({ name: `picture-${prefix}${place + 1}.png`, ...file }) }];
  });
}
