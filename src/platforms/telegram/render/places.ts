import type { Reply } from '../../../bot/contract/reply.ts';
import { MESSAGE_LIMITS, type TelegramLimits } from '../api/limits.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import { isSound } from './render.ts';

/** A sentence about files that could not be brought. */
const CLOSING = 1;
/** What albums hold, and their buttons. */
const FOLLOW_UP = 1;

/** How many messages a reply takes at most, by the pace of a group, where each file of an album counts; 0 where an edit will do. */
export function messagesOf(
  { press }: Pick<TelegramReplyTo, 'press'>,
  reply: Reply | undefined,
  { richFrom }: Pick<TelegramLimits, 'richFrom'>,
): number {
  if (reply === undefined) return press === undefined ? 1 : 0;
  const { gallery, blocks } = reply;
  if (gallery.length === 0) {
    if (press !== undefined) return 0;
    // Words that are too long to stand under a drawn photo follow it.
    return blocks.some(({ kind }) => kind === 'picture') ? 2 : 1;
  }
  const isRich = gallery.length >= Math.max(2, richFrom) && gallery.length <= MESSAGE_LIMITS.richMedia;
  if (gallery.length === 1 || (isRich && !gallery.some(isSound))) return 1 + CLOSING;
  return gallery.length + FOLLOW_UP + CLOSING;
}
