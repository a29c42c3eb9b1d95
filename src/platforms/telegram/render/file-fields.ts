import type { Candidate } from '../outgoing/file-candidates.ts';
import type { AlbumItem, Keyboard } from '../api/methods.ts';
import type { FormattedText } from './formatted-text.ts';

/** The fields of a file's message, each only where there is something to say. */

export function captioned({ text, entities }: FormattedText) {
  return text === '' ? {} : { caption: text, caption_entities: entities };
}

/** Of a photo or video that only those see who want to look. */
export function veiled(isHidden: boolean) {
  return isHidden ? { has_spoiler: true } : {};
}

export function markup(keyboard: Keyboard | undefined) {
  return keyboard === undefined ? {} : { reply_markup: keyboard };
}

export function shape({ width, height, duration }: Pick<Candidate, 'width' | 'height' | 'duration'>) {
  return {
    ...(width === undefined || height === undefined ? {} : { width, height }),
    ...(duration === undefined ? {} : { duration }),
  };
}

export function pictured({ thumbnail }: Pick<Candidate, 'thumbnail'>) {
  return thumbnail === undefined ? {} : { thumbnail };
}

export function albumItem(candidate: Candidate, caption: FormattedText): AlbumItem {
  const { type, media, spoiler, duration } = candidate;
  const hidden = veiled(spoiler);
  const words = captioned(caption);
  if (type === 'photo') return { type, media, ...words, ...hidden };
  if (type === 'audio') return { type, media, ...words, ...(duration === undefined ? {} : { duration }) };
  if (type === 'document') return { type, media, ...words };
  return {
    type: 'video',
    media,
    ...words,
    ...hidden,
    ...shape(candidate),
    ...pictured(candidate),
    supports_streaming: true,
  };
}

/** What may stand together in one album. */
export function albumClass({ type }: Candidate): 'seen' | 'audio' | 'document' | 'alone' {
  if (type === 'photo' || type === 'video') return 'seen';
  return type === 'animation' ? 'alone' : type;
}
