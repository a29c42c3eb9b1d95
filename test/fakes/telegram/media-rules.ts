import { z } from 'zod';
import type { TelegramRequest } from './call.ts';
import { richMedia } from './rich-shapes.ts';
import { listOf } from './text-rules.ts';
import type { Violation } from './violation.ts';

const THUMBNAIL_BYTES = 200 * 1024;

const media = z.looseObject({ type: z.string(), media: z.string().optional(), thumbnail: z.unknown().optional() });

/** Albums, and whether the files of a form and the places that name them agree. */
export function checkMedia(call: TelegramRequest): readonly Violation[] {
  return [...(call.method === 'sendMediaGroup' ? checkAlbum(call) : []), ...checkAttachments(call)];
}

function checkAlbum({ params }: TelegramRequest): readonly Violation[] {
  const items = z.array(media).safeParse(params.media);
  if (!items.success) return [{ what: 'media is no list of media', refusal: "can't parse media JSON object" }];
  const found: Violation[] = [];
  const count = items.data.length;
  if (count < 2 || count > 10) {
    const refusal = count < 2 ? 'too few messages to send as an album' : 'too many messages to send as an album';
    found.push({ what: `an album of ${count}, 2-10`, refusal });
  }
  const types = new Set(items.data.map(({ type }) => type));
  const mixed = [...types].every(type => type === 'photo' || type === 'video');
  const alone = types.size === 1 && (types.has('document') || types.has('audio'));
  if (count > 0 && !mixed && !alone) {
    const refusal = "can't use the media of the specified type in the album";
    found.push({ what: `an album of ${[...types].join(', ')}`, refusal });
  }
  return found;
}

function checkAttachments({ params, files }: TelegramRequest): readonly Violation[] {
  const found: Violation[] = [];
  const items = [...listOf(params.media), ...richMedia(params)];
  const named = [...attachments(params), ...items.flatMap(item => attachments(item))];
  const fields = new Set(files.map(({ field }) => field));
  for (const name of named) {
    if (!fields.has(name)) {
      found.push({ what: `attach://${name} names no file of the form`, refusal: 'file attachment not found' });
    }
  }
  for (const { field } of files) {
    if (!named.includes(field) && params[field] === undefined && !FILE_FIELDS.has(field)) {
      found.push({ what: `nothing names the file ${field}` });
    }
  }
  const thumbnails = [params, ...items].map(part => thumbnailName(part));
  for (const { field, bytes } of files) {
    if ((field === 'thumbnail' || thumbnails.includes(field)) && bytes > THUMBNAIL_BYTES) {
      found.push({ what: `a thumbnail of ${bytes} bytes, at most ${THUMBNAIL_BYTES}` });
    }
  }
  for (const item of items) {
    const { thumbnail } = media.safeParse(item).data ?? {};
    if (thumbnail !== undefined && typeof thumbnail !== 'string') found.push({ what: 'a thumbnail that is no text' });
  }
  return found;
}

const FILE_FIELDS = new Set(['photo', 'video', 'animation', 'document', 'audio', 'thumbnail', 'cover', 'certificate']);

function attachments(part: unknown): readonly string[] {
  const fields = z.record(z.string(), z.unknown()).safeParse(part).data ?? {};
  return [fields.media, fields.thumbnail, fields.cover, ...[...FILE_FIELDS].map(name => fields[name])]
    .filter(value => typeof value === 'string')
    .filter(value => value.startsWith('attach://'))
    .map(value => value.slice('attach://'.length));
}

function thumbnailName(part: unknown): string | undefined {
  const { thumbnail } = z.looseObject({ thumbnail: z.unknown().optional() }).safeParse(part).data ?? {};
  return typeof thumbnail === 'string' ? thumbnail.replace('attach://', '') : undefined;
}
