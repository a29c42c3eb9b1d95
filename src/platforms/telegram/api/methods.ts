import type {
  ApiMethods,
  InlineKeyboardButton,
  InlineKeyboardMarkup,
  InlineQueryResult,
  InputMediaAudio,
  InputMediaDocument,
  InputMediaPhoto,
  InputMediaVideo,
  LinkPreviewOptions,
} from '@grammyjs/types';
import * as z from 'zod';

/** This file has the part of the Bot API that Medley uses: each method's parameters, and what is read of its result. */

/** A file on the disk, which is opened for each attempt, or the bytes of an image that was just drawn. */
export interface Upload {
  readonly content: { readonly path: string } | { readonly data: Buffer };
  readonly fileName: string;
  readonly bytes: number;
}

/** A file as Telegram takes it: the id of one that it has, an address to fetch, or an upload. */
export type FileSource = string | Upload;

/** Makes the type T read-only at every depth. An optional field may be undefined, and is then not sent. */
export type Frozen<T> = T extends Upload
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

export type Button = Frozen<InlineKeyboardButton.UrlButton | InlineKeyboardButton.CallbackButton>;
export type Keyboard = Frozen<InlineKeyboardMarkup>;
export type LinkPreview = Frozen<LinkPreviewOptions>;
export type InlineResult = Frozen<InlineQueryResult>;
export type AlbumItem = Frozen<
  InputMediaAudio<Upload> | InputMediaDocument<Upload> | InputMediaPhoto<Upload> | InputMediaVideo<Upload>
>;

/** The text of a rich message, of the kinds that Medley uses. */
export type RichText =
  | string
  | readonly RichText[]
  | { readonly type: 'bold' | 'italic' | 'code' | 'spoiler'; readonly text: RichText }
  | { readonly type: 'url'; readonly text: RichText; readonly url: string };
export type RichBlock =
  | { readonly type: 'paragraph' | 'expandable_blockquote'; readonly text: RichText }
  | { readonly type: 'photo'; readonly photo: Frozen<InputMediaPhoto<Upload>> }
  | { readonly type: 'video'; readonly video: Frozen<InputMediaVideo<Upload>> }
  | { readonly type: 'slideshow'; readonly blocks: readonly RichBlock[] };

/** The parameters that say to which chat a message goes. */
export type Address = Pick<
  Params['sendMessage'],
  | 'chat_id'
  | 'message_thread_id'
  | 'direct_messages_topic_id'
  | 'reply_parameters'
  | 'disable_notification'
  | 'ephemeral_message_parameters'
>;
/** The parameters of a message without those that say where it goes. */
export type Content<M extends Method> = Omit<Params[M], keyof Address>;

const File = z.object({
  file_id: z.string(),
  /** The size in bytes. */
  file_size: z.number().optional().catch(undefined),
  /** The length in seconds. */
  duration: z.number().optional().catch(undefined),
});
/** A sent message with its file as Telegram stored it. A video without sound becomes an animation and a document. */
const SentMessage = z.object({
  message_id: z.number(),
  photo: z.array(File).optional(),
  video: File.optional(),
  animation: File.optional(),
  audio: File.optional(),
  document: File.optional(),
});
export type SentMessage = z.output<typeof SentMessage>;

/** A block of a sent message, with one file or with inner blocks; other blocks have neither. */
export const RichPart = SentMessage.omit({ message_id: true }).extend({
  blocks: z.array(z.unknown()).catch([]).default([]),
});
const SentRich = z.object({
  message_id: z.number(),
  rich_message: z
    .object({ blocks: z.array(z.unknown()) })
    .optional()
    .catch(undefined),
});
export type SentRich = z.output<typeof SentRich>;

const Me = z.object({
  id: z.number(),
  first_name: z.string(),
  username: z.string(),
  can_join_groups: z.boolean().default(true),
  can_read_all_group_messages: z.boolean().default(false),
  supports_inline_queries: z.boolean().default(false),
});
export type Me = z.output<typeof Me>;

const WebhookInfo = z.object({
  url: z.string().default(''),
  pending_update_count: z.int().default(0),
  /** When the last error happened, in unix seconds. */
  last_error_date: z.int().optional(),
  last_error_message: z.string().default('unknown reason'),
});
export type WebhookInfo = z.output<typeof WebhookInfo>;

/** A member of a chat. Telegram states rights only for some kinds of members, and older servers state fewer. */
const Member = z.object({
  status: z.string(),
  is_member: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
  can_send_photos: z.boolean().optional(),
  can_send_videos: z.boolean().optional(),
  can_delete_messages: z.boolean().optional(),
});
export type Member = z.output<typeof Member>;

const Chat = z.object({ permissions: Member.omit({ status: true, is_member: true }).optional() });
const Commands = z.array(z.object({ command: z.string(), description: z.string() }));
const Done = z.unknown().transform(() => true);

const SHAPES = {
  getMe: Me,
  getUpdates: z.array(z.unknown()),
  deleteWebhook: Done,
  getWebhookInfo: WebhookInfo,
  setWebhook: Done,
  getMyCommands: Commands,
  setMyCommands: Done,
  getChat: Chat,
  getChatMember: Member,
  sendChatAction: Done,
  sendMessage: SentMessage,
  sendPhoto: SentMessage,
  sendVideo: SentMessage,
  sendAnimation: SentMessage,
  sendAudio: SentMessage,
  sendDocument: SentMessage,
  sendMediaGroup: z.array(SentMessage),
  sendRichMessage: SentRich,
  editMessageText: Done,
  editMessageMedia: Done,
  deleteMessage: Done,
  deleteMessages: Done,
  answerCallbackQuery: Done,
  answerInlineQuery: Done,
} satisfies { readonly [M in keyof ApiMethods<Upload>]?: z.ZodType };

export type Method = keyof typeof SHAPES;
export type Answers = { readonly [M in Method]: z.output<(typeof SHAPES)[M]> };
export const ANSWERS: { readonly [M in Method]: z.ZodType<Answers[M]> } = SHAPES;

/** Parameters with looser types than the Bot API's: they do not check that the files of an album may be combined. */
interface Loose {
  readonly sendMediaGroup: { readonly media: readonly AlbumItem[] };
  readonly sendRichMessage: {
    readonly rich_message: { readonly blocks: readonly RichBlock[]; readonly skip_entity_detection: true };
  };
  readonly getMyCommands: { readonly language_code?: string };
  readonly setMyCommands: { readonly language_code?: string };
}
type Asked<M extends Method> = NonNullable<Parameters<ApiMethods<Upload>[M]>[0]>;
export type Params = {
  readonly [M in Method]: [Asked<M>] extends [never]
    ? Readonly<Record<string, never>>
    : M extends keyof Loose
      ? Omit<Frozen<Asked<M>>, keyof Loose[M]> & Loose[M]
      : Frozen<Asked<M>>;
};
