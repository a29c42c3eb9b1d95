import type { BotApi } from '../api/bot-api.ts';
import { BotApiError } from '../api/bot-api-error.ts';
import type { Press } from '../api/reply-to.ts';
import { markup } from '../render/file-fields.ts';
import type { Payload, TextPayload } from '../render/render.ts';
import { changed, type Photos } from './photos.ts';
import { EDIT, type Occasion } from './sending.ts';

/** A message of Medley's own words. */
export interface OwnMessage {
  readonly kind: NonNullable<Press['stands']>;
  readonly chat_id: number;
  readonly message_id: number;
}

/**
 * Lets a message say the new thing. `anew`: it takes messages of their own in its place, since words cannot take that of a photo, nor
 * several messages that of one. `beside`: it cannot be changed at all, so the new comes beside it.
 * @throws BotApiError unless Telegram refused that very change
 */
export type EditMessage = (
  payloads: readonly Payload[],
  message: OwnMessage,
  occasion: Occasion,
) => Promise<'done' | 'anew' | 'beside'>;

export interface EditMessageOptions {
  readonly api: BotApi;
  readonly photos: Photos;
}

export function createEditMessage({ api, photos }: EditMessageOptions): EditMessage {
  async function editWords(words: TextPayload, target: Target, { key, sendOnce, signal }: Occasion): Promise<'done'> {
    const { content, preview, keyboard } = words;
    const said = { text: content.text, entities: content.entities, link_preview_options: preview };
    const change = { ...target, ...said, ...markup(keyboard) };
    await sendOnce(key, () => changed(api.call('editMessageText', change, { signal })), EDIT);
    return 'done';
  }

  return async ([payload, ...others], { kind, ...target }, occasion) => {
    if (payload === undefined || payload.kind === 'media' || payload.kind === 'followUp' || others.length > 0)
      return 'anew';
    try {
      if (payload.kind === 'photo' && (await photos.replace(payload, target, occasion))) return 'done';
      if (kind === 'photo') return 'anew';
      return await editWords(payload.kind === 'photo' ? payload.instead : payload, target, occasion);
    } catch (error) {
      if (error instanceof BotApiError && error.code === 400) return 'beside';
      throw error;
    }
  };
}

type Target = Omit<OwnMessage, 'kind'>;
