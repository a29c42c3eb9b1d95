/**
 * Every limit of Telegram in one place (Bot API 10.3, 2026-08). Lengths are UTF-16 units, which are never fewer than what Telegram
 * counts.
 */

export const DEFAULT_API = 'https://api.telegram.org/';

/** The parameter in the link that adds Medley to a group. */
export const INVITATION = 'true';

const MB = 1024 * 1024;

/** Limits of one message; `render` shortens longer ones. */
export const MESSAGE_LIMITS = {
  /** The text is counted after entities are parsed. */
  text: 4_096,
  caption: 1_024,
  album: 10,
  /** The text of all blocks of a rich message together. */
  richText: 32_768,
  richMedia: 50,
  buttons: 100,
  buttonsPerRow: 3,
  /** A row may have this many buttons when they are only numbers. */
  numbersPerRow: 8,
  buttonLabel: 64,
  callbackAnswer: 200,
  /** The bytes that a button sends back. */
  callbackData: 64,
  deletedAtOnce: 100,
  commands: 100,
  commandDescription: 256,
  inlineResults: 50,
  inlineTitle: 120,
  inlineDescription: 200,
  /** The length of an inline query's offset, which states where the next results begin. */
  inlineOffset: 64,
} as const;

/** The size limits of one file, in bytes. */
const FILE_LIMITS = {
  upload: 50 * MB,
  uploadPhoto: 10 * MB,
  /** The limit of a file that Telegram fetches from an address. */
  address: 20 * MB,
  addressPhoto: 5 * MB,
  /** The limit of an upload to a Bot API server of one's own. */
  localUpload: 2_000 * MB,
} as const;

const CHAT_LIMITS = {
  /** A post with this many files, or with text too long for a caption, becomes a rich message; else an album, which every app shows. */
  richFrom: 11,
  /**
   * The time between messages in one chat, messages a second in all chats together, and messages a minute in one group, where each file
   * of an album counts.
   */
  spacingMs: 1_000,
  overallPerSecond: 30,
  groupPerMinute: 20,
  /** A chat action is shown for 5 s, so it is sent again this often. */
  actionEveryMs: 4_000,
  /** In a group, a notice about one person's rate limit is deleted after this time. */
  noticeMs: 60_000,
  /** People who asked longer ago may have left the chat, and would miss a message that is shown to them alone. */
  ephemeralMs: 60_000,
  /** How long Telegram keeps a request for updates open. */
  pollSeconds: 50,
  /** The limit of a call without files. */
  callMs: 30_000,
  /** The limit of a call for which Telegram fetches a file, and the least time for an upload. */
  fileMs: 120_000,
  /** The slowest upload that is worth waiting for. */
  uploadBytesPerSecond: 100_000,
  /** A pressed button stops spinning after this time, even if its answer takes longer. */
  spinMs: 3_000,
  /** An inline query that is not answered after this time gets a placeholder. */
  inlineMs: 2_500,
  /** A query for which an upstream is asked gets an empty answer after this time; Telegram accepts no much later answer. */
  inlineSearchMs: 5_000,
  /** An upstream is asked for a query only after the person has not typed for this long. */
  typingMs: 400,
} as const;

export type TelegramLimits = { readonly [K in keyof typeof CHAT_LIMITS]: number } & {
  readonly [K in keyof typeof FILE_LIMITS]: number;
};

export const TELEGRAM_LIMITS: TelegramLimits = { ...CHAT_LIMITS, ...FILE_LIMITS };
