import { markup } from '../render/file-fields.ts';
import type { Payload, TextPayload } from '../render/render.ts';
import type { BotApi } from './bot-api.ts';
import { BotApiError } from './bot-api-error.ts';
import { isUnchanged, type Photos } from './photos.ts';

export type StandingKind = 'text' | 'photo';

/** A message of Medley's own words. */
export interface Standing {
  readonly kind: StandingKind;
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
  standing: Standing,
  signal: AbortSignal,
) => Promise<'done' | 'anew' | 'beside'>;

export interface EditMessageOptions {
  readonly api: BotApi;
  readonly photos: Photos;
}

export function createEditMessage({ api, photos }: EditMessageOptions): EditMessage {
  async function editWords(words: TextPayload, target: Target, signal: AbortSignal): Promise<'done'> {
    const { content, preview, keyboard } = words;
    const said = { text: content.text, entities: content.entities, link_preview_options: preview };
    await api.call('editMessageText', { ...target, ...said, ...markup(keyboard) }, { signal });
    return 'done';
  }

  return async ([payload, ...others], { kind, ...target }, signal) => {
    if (payload === undefined || payload.kind === 'media' || others.length > 0) return 'anew';
    try {
      if (payload.kind === 'photo' && (await photos.replace(payload, target, signal))) return 'done';
      if (kind === 'photo') return 'anew';
      return await editWords(payload.kind === 'photo' ? payload.instead : payload, target, signal);
    } catch (error) {
      if (!(error instanceof BotApiError) || error.code !== 400) throw error;
      return isUnchanged(error) ? 'done' : 'beside';
    }
  };
}

type Target = Omit<Standing, 'kind'>;
