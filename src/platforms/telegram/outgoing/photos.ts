import { drawPicture } from '../../../bot/cards/drawing.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from '../api/bot-api.ts';
import { BotApiError } from '../api/bot-api-error.ts';
import type { TelegramLimits } from '../api/limits.ts';
import type { EditTarget, FileSource, SentMessage } from '../api/methods.ts';
import { isAboutFile, isWithoutRight } from '../api/refusals.ts';
import { captioned, markup, veiled } from '../render/file-fields.ts';
import type { Photo, PhotoPayload } from '../render/render.ts';
import type { MessageApi, Place } from './message-api.ts';
import { EDIT, type Occasion } from './sending.ts';

/** Photos of Medley's own: covers at an address, which Telegram fetches, and image cards. */
export interface Photos {
  /** False when there is no photo to be had: nothing stands in the chat then. @throws BotApiError */
  send(payload: PhotoPayload, place: Place, occasion: Occasion): Promise<boolean>;
  /** Puts it in the place of a message. False when there is no photo to be had. @throws BotApiError */
  replace(payload: PhotoPayload, target: EditTarget, occasion: Occasion): Promise<boolean>;
}

export interface PhotosOptions {
  readonly api: BotApi;
  readonly messages: MessageApi;
  readonly limits: Pick<TelegramLimits, 'fileMs'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Of edits: the message itself cannot be changed, whatever the photo. */
const ABOUT_MESSAGE = /message (to edit|can't be|identifier|is not modified)|MESSAGE_ID/i;

/** Image cards that Telegram holds by now; the same is not drawn twice. */
const MAX_HELD = 2_000;

/** Undefined where nothing is read of the answer, or the photo stood there before. */
type PutPhoto = (media: FileSource) => Promise<SentMessage | undefined>;

export function createPhotos({ api, messages, limits, log }: PhotosOptions): Photos {
  const held = createLru<string, string>({ max: MAX_HELD });

  /** Tries what Telegram holds, then the photo itself. */
  async function attempt(photo: Photo, put: PutPhoto): Promise<boolean> {
    const known = photo.kind === 'picture' ? held.get(photo.picture.key) : undefined;
    if (known !== undefined && (await isTaken(known, photo, put))) return true;
    const media = photo.kind === 'image' ? photo.url : await drawn(photo);
    return media !== undefined && isTaken(media, photo, put);
  }

  async function isTaken(media: FileSource, photo: Photo, put: PutPhoto): Promise<boolean> {
    try {
      const fileId = (await put(media))?.photo?.at(-1)?.file_id;
      if (photo.kind === 'picture' && fileId !== undefined) held.set(photo.picture.key, fileId);
      return true;
    } catch (error) {
      const isRefused = error instanceof BotApiError && isAboutFile(error) && !ABOUT_MESSAGE.test(error.description);
      if (!isRefused && !isWithoutRight(error)) throw error;
      if (photo.kind === 'picture') held.delete(photo.picture.key);
      log.warn({ err: error }, 'a photo was not taken');
      return false;
    }
  }

  async function drawn({ picture }: Extract<Photo, { kind: 'picture' }>): Promise<FileSource | undefined> {
    const data = await drawPicture(picture, log);
    return data && { content: { data }, fileName: 'medley.png', bytes: data.length };
  }

  return {
    send({ photo, isHidden, caption, keyboard }, place, { key, signal, sendOnce }) {
      const words = { ...captioned(caption), ...veiled(isHidden), ...markup(keyboard) };
      return attempt(photo, media =>
        sendOnce(key, () =>
          messages.post('sendPhoto', place, signal, address => ({ ...address, ...words, photo: media })),
        ),
      );
    },
    replace({ photo, isHidden, caption, keyboard }, target, { key, signal, sendOnce }) {
      return attempt(photo, async media => {
        const words = { ...captioned(caption), ...veiled(isHidden) };
        const change = { ...target, media: { type: 'photo' as const, media, ...words }, ...markup(keyboard) };
        const options = { signal, timeoutMs: limits.fileMs };
        await sendOnce(key, () => changed(api.call('editMessageMedia', change, options)), EDIT);
        return undefined;
      });
    },
  };
}

/** An edit that changes nothing is done as well. */
export async function changed(edit: Promise<unknown>): Promise<void> {
  try {
    await edit;
  } catch (error) {
    const isUnchanged = error instanceof BotApiError && error.code === 400 && /not modified/i.test(error.description);
    if (!isUnchanged) throw error;
  }
}
