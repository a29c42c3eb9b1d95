import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { hasSound } from '../../../bot/views/post.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Button } from '../api/methods.ts';

const PREFIX = 'audio:';
const SCHEME = 'https://';

/** Brings the audio of the post's videos, for anyone who presses it; undefined for a post without any. */
export function audioButton([first]: readonly GalleryItem[], label: string): Button | undefined {
  if (first === undefined || first.form === 'audio' || !first.post.items.some(hasSound)) return undefined;
  const data = `${PREFIX}${first.post.url.replace(SCHEME, '')}`;
  return Buffer.byteLength(data) <= MESSAGE_LIMITS.callbackData ? { text: label, callback_data: data } : undefined;
}

/** The link of the post, when the data is of such a button. It is as good as a link that was typed. */
export function readAudioButton(data: string): string | undefined {
  return data.startsWith(PREFIX) ? `${SCHEME}${data.slice(PREFIX.length)}` : undefined;
}
