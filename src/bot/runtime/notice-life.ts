import type { Sending } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';

/**
 * Milliseconds after which replies that stand in one message are to be deleted; undefined when they stay. In a group what tells one person
 * that their pasted link could not be answered need not stay before everybody's eyes, nor what will soon be true no longer.
 */
export function noticeLifeMs(
  replies: readonly Reply[],
  { request, settings }: Pick<Sending, 'request' | 'settings'>,
): number | undefined {
  if (request.chat.kind !== 'group' || replies.length === 0 || settings.noticeSeconds === 0) return undefined;
  const isOfLinks = request.kind === 'links' || request.kind === 'talk';
  const isShort = replies.every(
    // What a notice stands for may still come, and takes its place.
    reply => reply.later === undefined && ((isOfLinks && isNotice(reply)) || reply.outdatedMs !== undefined),
  );
  if (!isShort) return undefined;
  return Math.min(settings.noticeSeconds * 1_000, ...replies.flatMap(({ outdatedMs }) => outdatedMs ?? []));
}

/** Of an answer something is left to see or to press. */
function isNotice({ tone, gallery, actions }: Reply): boolean {
  return (tone === 'notice' || tone === 'error') && gallery.length === 0 && actions.length === 0;
}
