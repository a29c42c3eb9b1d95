import { drawPicture } from '../../../bot/cards/svg-rasterizer.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { BotApiError, isAboutFile, isWithoutRight } from '../api/bot-api-error.ts';
import type { FileSource, SentMessage } from '../api/methods.ts';
import type { PressedButton } from '../api/reply-to.ts';
import { captionFields } from '../render/file-fields.ts';
import type { Payload } from '../render/render.ts';
import type { Photo, PhotoPayload, TextPayload } from '../render/text-message.ts';
import { EDIT, type ReplyContext, type TelegramContext } from './context.ts';
import type { ChatActions, MessageApi } from './message-api.ts';

/** A message that Medley itself has sent. */
export interface OwnMessage {
  readonly kind: NonNullable<PressedButton['stands']>;
  readonly chat_id: number;
  readonly message_id: number;
}
type EditTarget = Omit<OwnMessage, 'kind'>;

type EditContext = Pick<ReplyContext, 'key' | 'signal' | 'sendOnce'>;

export type WordSender = ReturnType<typeof createWordSender>;
export type EditMessage = WordSender['edit'];

/**
 * Sends and edits messages of text, some with a photo. All methods throw BotApiError, and whatever `sendOnce` throws.
 */
export function createWordSender({ api, limits, log }: TelegramContext, messages: MessageApi, actions: ChatActions) {
  const withPhoto = createPhotoAttempts(log);

  /** Sends a text; undefined if an earlier attempt has sent it. */
  async function sendText(payload: TextPayload, context: ReplyContext): Promise<SentMessage | undefined> {
    const fields = { ...textFields(payload), reply_markup: payload.keyboard };
    return context.sendOnce(context.key, () => messages.post('sendMessage', context, fields));
  }

  function editPhoto(
    payload: PhotoPayload,
    target: EditTarget,
    { key, signal, sendOnce }: EditContext,
  ): Promise<boolean> {
    return withPhoto(payload.photo, async photo => {
      const media = { type: 'photo' as const, media: photo, ...photoFields(payload) };
      const change = { ...target, media, reply_markup: payload.keyboard };
      const options = { signal, timeoutMs: limits.fileMs };
      await sendOnce(key, () => unlessUnchanged(api.call('editMessageMedia', change, options)), EDIT);
      return undefined;
    });
  }

  return {
    sendText,
    async send(payload: TextPayload | PhotoPayload, context: ReplyContext): Promise<void> {
      if (payload.kind === 'text') {
        await sendText(payload, context);
        return;
      }
      if (context.sentKeys.includes(context.key)) return;
      const fields = { ...photoFields(payload), reply_markup: payload.keyboard };
      const send = () =>
        withPhoto(payload.photo, photo =>
          context.sendOnce(context.key, () => messages.post('sendPhoto', context, { ...fields, photo })),
        );
      const isDrawn = payload.photo.kind === 'picture';
      const isSent = await (isDrawn ? actions.during(context.to, 'upload_photo', send) : send());
      if (!isSent) await sendText(payload.instead, context);
    },
    /**
     * Edits a message. Resolves with `done` when it is edited; with `anew` when new messages must replace it, because
     * text cannot replace a photo, and several messages cannot replace one; with `beside` when Telegram refuses the
     * edit, after which a new message must follow it.
     */
    async edit(
      [payload, ...others]: readonly Payload[],
      { kind, ...target }: OwnMessage,
      context: EditContext,
    ): Promise<'done' | 'anew' | 'beside'> {
      if (payload === undefined || payload.kind === 'media' || payload.kind === 'followUp' || others.length > 0)
        return 'anew';
      try {
        if (payload.kind === 'photo' && (await editPhoto(payload, target, context))) return 'done';
        if (kind === 'photo') return 'anew';
        const words = payload.kind === 'photo' ? payload.instead : payload;
        const change = { ...target, ...textFields(words), reply_markup: words.keyboard };
        const edit = () => unlessUnchanged(api.call('editMessageText', change, { signal: context.signal }));
        await context.sendOnce(context.key, edit, EDIT);
        return 'done';
      } catch (error) {
        if (error instanceof BotApiError && error.code === 400) return 'beside';
        throw error;
      }
    },
  };
}

/** Matches refusals of an edit for which the edited message is the reason, not the photo. */
const ABOUT_MESSAGE = /message (to edit|can't be|identifier|is not modified)|MESSAGE_ID/i;

/** How many image cards are remembered by Telegram's file id, so that they need not be drawn again. */
const MAX_KNOWN = 2_000;

/** Tries a photo by Telegram's file id, then the photo itself; false if neither is accepted. @throws BotApiError */
function createPhotoAttempts(log: TelegramContext['log']) {
  const known = createLru<string, string>({ max: MAX_KNOWN });

  /** @param use sends the photo; it resolves with undefined after an edit, or if the photo was sent before */
  return async (photo: Photo, use: (media: FileSource) => Promise<SentMessage | undefined>): Promise<boolean> => {
    try {
      const fileId = photo.kind === 'picture' ? known.get(photo.picture.key) : undefined;
      if (fileId !== undefined && (await isTaken(fileId))) return true;
      if (photo.kind === 'image') return await isTaken(photo.url);
      const data = await drawPicture(photo.picture, log);
      return data !== undefined && (await isTaken({ content: { data }, fileName: 'medley.png', bytes: data.length }));
    } catch (error) {
      // If no photos are allowed, another form of this one would be refused too, and its file id is still valid.
      if (!isWithoutRight(error)) throw error;
      log.warn({ err: error }, NOT_TAKEN);
      return false;
    }

    async function isTaken(source: FileSource): Promise<boolean> {
      try {
        const made = (await use(source))?.photo?.at(-1)?.file_id;
        if (photo.kind === 'picture' && made !== undefined) known.set(photo.picture.key, made);
        return true;
      } catch (error) {
        const isRefused = error instanceof BotApiError && isAboutFile(error) && !ABOUT_MESSAGE.test(error.description);
        if (!isRefused) throw error;
        if (photo.kind === 'picture') known.delete(photo.picture.key);
        log.warn({ err: error }, NOT_TAKEN);
        return false;
      }
    }
  };
}

const NOT_TAKEN = 'a photo was not taken';

export function textFields({ content, preview }: TextPayload) {
  return { text: content.text, entities: content.entities, link_preview_options: preview };
}

function photoFields({ caption, isHidden }: PhotoPayload) {
  return { ...captionFields(caption), has_spoiler: isHidden || undefined };
}

/** Ignores that Telegram refuses an edit which changes nothing. */
async function unlessUnchanged(edit: Promise<unknown>): Promise<void> {
  try {
    await edit;
  } catch (error) {
    const isUnchanged = error instanceof BotApiError && error.code === 400 && /not modified/i.test(error.description);
    if (!isUnchanged) throw error;
  }
}
