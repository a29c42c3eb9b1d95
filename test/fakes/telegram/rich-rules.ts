import type { TelegramRequest } from './call.ts';
import { blockShape, blocksOf, depthOf, leavesOf, richMedia, richShape } from './rich-shapes.ts';
import { lengthOf } from './text.ts';
import type { Violation } from './violation.ts';

const TEXT_LENGTH = 32_768;
const BLOCKS = 500;
const MEDIA = 50;
const DEPTH = 16;

/** What a rich message may hold. */
export function checkRich({ method, params }: TelegramRequest): readonly Violation[] {
  if (method !== 'sendRichMessage') return [];
  const message = richShape.safeParse(params.rich_message).data;
  if (message === undefined) return [{ what: 'no rich_message', refusal: "can't parse InputRichMessage" }];
  const { blocks: given = [], html, markdown, skip_entity_detection: isLeftAlone = false } = message;
  const found: Violation[] = [];
  if ([message.blocks, html, markdown].filter(each => each !== undefined).length !== 1) {
    found.push({ what: 'exactly one of blocks, html and markdown', refusal: "can't parse InputRichMessage" });
  }
  for (const block of given) {
    const { error } = blockShape.safeParse(block);
    if (error !== undefined) found.push({ what: `a block: ${error.message}`, refusal: "can't parse InputRichBlock" });
  }
  const blocks = blocksOf(params);
  const media = richMedia(params);
  if (blocks.length === 0) found.push({ what: 'no block', refusal: 'RICH_MESSAGE_BLOCKS_EMPTY' });
  const count = blocks.length + media.length;
  if (count > BLOCKS) found.push({ what: `${count} blocks, at most ${BLOCKS}`, refusal: 'RICH_MESSAGE_INVALID' });
  if (media.length > MEDIA) {
    found.push({ what: `${media.length} media, at most ${MEDIA}`, refusal: 'RICH_MESSAGE_INVALID' });
  }
  const texts = blocks.flatMap(block => ('text' in block ? [block.text] : []));
  const length = lengthOf(texts.flatMap(leavesOf).join(''));
  if (length > TEXT_LENGTH) {
    found.push({ what: `${length} characters, at most ${TEXT_LENGTH}`, refusal: 'RICH_MESSAGE_INVALID' });
  }
  for (const text of texts) {
    if (depthOf(text) > DEPTH) found.push({ what: `deeper than ${DEPTH}`, refusal: 'RICH_MESSAGE_INVALID' });
    const written = leavesOf(text).join('');
    if (written.trim() === '') found.push({ what: 'a block of words without a word', refusal: 'RICH_MESSAGE_INVALID' });
    if (!isLeftAlone && /@\w/.test(written)) found.push({ what: 'a name that may call a person' });
  }
  return found;
}
