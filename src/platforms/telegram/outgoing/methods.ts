import { z } from 'zod';
import type { Entity } from '../render/formatted-text.ts';

/** The part of the Bot API that Medley uses: what each method takes and what is read of its answer. */

/** A file on disk, opened anew for every attempt, or one that was drawn a moment ago. */
export interface Upload {
  readonly content: { readonly path: string } | { readonly data: Buffer };
  readonly fileName: string;
  readonly bytes: number;
}

/** An id of a file Telegram holds, an address it fetches, or an upload. */
export type FileSource = string | Upload;

export interface Button {
  readonly text: string;
  readonly url?: string;
  readonly callback_data?: string;
  readonly style?: 'danger' | 'primary';
}
export interface Keyboard {
  readonly inline_keyboard: readonly (readonly Button[])[];
}

interface Captioned {
  readonly caption?: string;
  readonly caption_entities?: readonly Entity[];
}
interface Shown {
  readonly width?: number;
  readonly height?: number;
  readonly duration?: number;
  readonly supports_streaming?: boolean;
  readonly has_spoiler?: boolean;
  /** Only beside an upload. */
  readonly thumbnail?: Upload;
}

/** Where a message goes. */
export interface Address {
  readonly chat_id: number;
  readonly message_thread_id?: number;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
  readonly disable_notification?: boolean;
}
interface Sent extends Address {
  readonly reply_markup?: Keyboard;
}

export interface AlbumItem extends Captioned, Shown {
  readonly type: 'photo' | 'video' | 'audio' | 'document';
  readonly media: FileSource;
}

interface TextContent {
  readonly entities?: readonly Entity[];
  readonly link_preview_options?: LinkPreview;
}

/** The address need not stand in the text. */
export type LinkPreview =
  | { readonly is_disabled: true }
  | { readonly url: string; readonly prefer_large_media: true; readonly show_above_text: true };

export type InlineResult =
  | (InlineResultBase & { readonly type: 'video'; readonly title: string; readonly video_file_id: string })
  | (InlineResultBase & { readonly type: 'photo'; readonly title: string; readonly photo_file_id: string })
  | (InlineResultBase & { readonly type: 'mpeg4_gif'; readonly title: string; readonly mpeg4_file_id: string })
  | (InlineResultBase & { readonly type: 'audio'; readonly audio_file_id: string })
  | (InlineResultBase & { readonly type: 'document'; readonly title: string; readonly document_file_id: string })
  | {
      readonly type: 'article';
      readonly id: string;
      readonly title: string;
      readonly description?: string;
      readonly thumbnail_url?: string;
      readonly input_message_content: TextContent & { readonly message_text: string };
      readonly reply_markup?: Keyboard;
    };
interface InlineResultBase extends Captioned {
  readonly id: string;
  readonly reply_markup?: Keyboard;
}

/** A message of the bot's own, or one that a person sent through it. */
export type EditTarget =
  | { readonly chat_id: number; readonly message_id: number }
  | { readonly inline_message_id: string };

interface CommandScope {
  readonly scope: { readonly type: 'all_private_chats' | 'all_group_chats' | 'all_chat_administrators' };
  readonly language_code?: string;
}

export interface Params {
  getMe: Readonly<Record<string, never>>;
  getUpdates: { readonly offset?: number; readonly timeout: number; readonly allowed_updates: readonly string[] };
  deleteWebhook: Readonly<Record<string, never>>;
  getWebhookInfo: Readonly<Record<string, never>>;
  setWebhook: {
    readonly url: string;
    readonly secret_token: string;
    readonly allowed_updates: readonly string[];
    readonly max_connections: number;
  };
  getMyCommands: CommandScope;
  setMyCommands: CommandScope & {
    readonly commands: readonly { readonly command: string; readonly description: string }[];
  };
  getChat: { readonly chat_id: number };
  getChatMember: { readonly chat_id: number; readonly user_id: number };
  sendChatAction: {
    readonly chat_id: number;
    readonly message_thread_id?: number;
    readonly action: 'upload_video';
  };
  sendMessage: Sent & TextContent & { readonly text: string };
  sendPhoto: Sent & Captioned & { readonly photo: FileSource; readonly has_spoiler?: boolean };
  sendVideo: Sent & Captioned & Shown & { readonly video: FileSource };
  sendAnimation: Sent & Captioned & Omit<Shown, 'supports_streaming'> & { readonly animation: FileSource };
  sendAudio: Sent & Captioned & { readonly audio: FileSource; readonly duration?: number };
  sendDocument: Sent & Captioned & { readonly document: FileSource };
  sendMediaGroup: Address & { readonly media: readonly AlbumItem[] };
  editMessageText: EditTarget & TextContent & { readonly text: string; readonly reply_markup?: Keyboard };
  editMessageMedia: EditTarget & {
    readonly media: Captioned & Shown & { readonly type: AlbumItem['type'] | 'animation'; readonly media: FileSource };
    readonly reply_markup?: Keyboard;
  };
  deleteMessage: { readonly chat_id: number; readonly message_id: number };
  answerCallbackQuery: { readonly callback_query_id: string; readonly text?: string; readonly show_alert?: boolean };
  answerInlineQuery: {
    readonly inline_query_id: string;
    readonly results: readonly InlineResult[];
    readonly cache_time: number;
    readonly is_personal: boolean;
    readonly next_offset?: string;
    readonly button?: { readonly text: string; readonly start_parameter: string };
  };
}

const File = z.object({ file_id: z.string() });
/** What Telegram made of the file: a video without sound becomes an animation, which has a document beside it. */
const SentMessage = z.object({
  message_id: z.number(),
  photo: z.array(File).optional(),
  video: File.optional(),
  animation: File.optional(),
  audio: File.optional(),
  document: File.optional(),
});
export type SentMessage = z.output<typeof SentMessage>;

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
  /** Unix seconds. */
  last_error_date: z.int().optional(),
  last_error_message: z.string().default('unknown reason'),
});
export type WebhookInfo = z.output<typeof WebhookInfo>;

/** Rights are absent for those who have all or none of them, and with servers that are older. */
const Member = z.object({
  status: z.string(),
  is_member: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
  can_send_photos: z.boolean().optional(),
  can_send_videos: z.boolean().optional(),
});
export type Member = z.output<typeof Member>;

const Chat = z.object({ permissions: Member.omit({ status: true, is_member: true }).optional() });
const Commands = z.array(z.object({ command: z.string(), description: z.string() }));
const Done = z.unknown().transform(() => true);

export interface Answers {
  getMe: Me;
  getUpdates: unknown[];
  deleteWebhook: boolean;
  getWebhookInfo: WebhookInfo;
  setWebhook: boolean;
  getMyCommands: z.output<typeof Commands>;
  setMyCommands: boolean;
  getChat: z.output<typeof Chat>;
  getChatMember: Member;
  sendChatAction: boolean;
  sendMessage: SentMessage;
  sendPhoto: SentMessage;
  sendVideo: SentMessage;
  sendAnimation: SentMessage;
  sendAudio: SentMessage;
  sendDocument: SentMessage;
  sendMediaGroup: SentMessage[];
  editMessageText: boolean;
  editMessageMedia: boolean;
  deleteMessage: boolean;
  answerCallbackQuery: boolean;
  answerInlineQuery: boolean;
}

export type Method = keyof Params & keyof Answers;

export const ANSWERS: { readonly [M in Method]: z.ZodType<Answers[M]> } = {
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
  editMessageText: Done,
  editMessageMedia: Done,
  deleteMessage: Done,
  answerCallbackQuery: Done,
  answerInlineQuery: Done,
};
