import { badRequest } from './answer.ts';
import type { TelegramRequest } from './call.ts';
import type { Stored } from './file-shelf.ts';
import { blocksOf, leavesOf, mediaIn, type RichBlock } from './rich-shapes.ts';
import { aboutFile, openPlace, put, takeThumbnail } from './sending.ts';
import { type InputMedia, sendShape } from './shapes.ts';
import { type Method, renderFile, renderMessage, type Stage } from './stage.ts';

export const sendRichMessage: Method = async (call, stage) => {
  const blocks = blocksOf(call.params);
  const kinds = blocks.flatMap(mediaIn).map(({ type }) => type);
  const place = openPlace(stage, sendShape.parse(call.params), ['message', ...kinds]);
  const files: Stored[] = [];
  const given: unknown[] = [];
  for (const block of blocks) given.push(await received(block, files, call, stage));
  stage.pace.spend(place.chat, 1);
  const text = blocks.flatMap(block => ('text' in block ? [leavesOf(block.text).join('')] : [])).join('\n\n');
  return renderMessage(stage, put(stage, place, { rich: { blocks: given, text, files } }));
};

async function received(block: RichBlock, files: Stored[], call: TelegramRequest, stage: Stage): Promise<unknown> {
  if (block.type === 'photo') return taken(block.photo, files, call, stage);
  if (block.type === 'video') return taken(block.video, files, call, stage);
  if (!('blocks' in block)) return block;
  const inner: unknown[] = [];
  for (const each of block.blocks) inner.push(await received(each, files, call, stage));
  return { ...block, blocks: inner };
}

async function taken(media: InputMedia, files: Stored[], call: TelegramRequest, stage: Stage): Promise<unknown> {
  const source = { kind: media.type, value: media.media, field: 'media', uploads: call.files, keepKind: true };
  const file = await stage.shelf.take(source).catch((error: unknown) => {
    const isAddress = /^https?:/.test(media.media);
    throw isAddress ? badRequest(`RICH_MESSAGE_${media.type.toUpperCase()}_NO_MEDIA_FOUND`) : error;
  });
  const thumbnail = await takeThumbnail(stage, call, media.thumbnail);
  files.push(file);
  const hidden = media.has_spoiler === true ? { has_spoiler: true } : {};
  return { type: media.type, ...renderFile({ file, about: aboutFile(media), thumbnail }), ...hidden };
}
