/** All limits of Telegram (Bot API 10.3, 2026-08). Lengths are UTF-16 units; Telegram's own count is never higher. */

export const DEFAULT_API = 'https://api.telegram.org/';

/** The value of `startgroup` in the link by which people add Medley to a group; Telegram then sends `/start true`. */
export const INVITATION = 'true';

const MB = 1024 * 1024;

/** The limits of one message; `render` shortens what is longer. */
export const MESSAGE_LIMITS = {
  /** The most characters of a text; markup does not count. */
  text: 4_096,
  caption: 1_024,
  album: 10,
  /** The most characters of text in all blocks of a rich message together. */
  richText: 32_768,
  richMedia: 50,
  buttons: 100,
  buttonsPerRow: 3,
  /** The most buttons in one row if each shows only a number. */
  numbersPerRow: 8,
  buttonLabel: 64,
  callbackAnswer: 200,
  /** The most bytes that a pressed button can send. */
  callbackData: 64,
  deletedAtOnce: 100,
  /** The most pixels of a photo's width and height together. */
  photoSides: 10_000,
  /** How many times as long as its shorter side the longer side of a photo may be. */
  photoRatio: 20,
  commands: 100,
  commandDescription: 256,
  inlineResults: 50,
  inlineTitle: 120,
  inlineDescription: 200,
  /** The longest offset of an inline query, by which the next results are asked for. */
  inlineOffset: 64,
} as const;

const LIMITS = {
  /** The size limits of one file, in bytes. */
  upload: 50 * MB,
  uploadPhoto: 10 * MB,
  /** The largest file that Telegram fetches from an address by itself. */
  address: 20 * MB,
  addressPhoto: 5 * MB,
  /** The largest upload to a Bot API server that the operator runs. */
  localUpload: 2_000 * MB,
  /**
   * A post with this many files is sent as a rich message. A post with fewer files is sent as an album, unless its text
   * is too long for the caption of an album.
   */
  richFrom: 11,
  /**
   * Rate limits: the time between messages to one chat, messages a second to all chats, and messages a minute to one
   * group, in which each file of an album counts.
   */
  spacingMs: 1_000,
  overallPerSecond: 30,
  groupPerMinute: 20,
  /** How often a chat action is sent again, since Telegram shows it for 5 s. */
  actionEveryMs: 4_000,
  /** How long a notice in a group about one person's rate limit stays before it is deleted. */
  noticeMs: 60_000,
  /** How soon after a request an ephemeral message must be sent: only a person who still has the chat open sees it. */
  ephemeralMs: 60_000,
  /** How long Telegram may hold a request open in long polling. */
  pollSeconds: 50,
  /** The time limit of a call without files. */
  callMs: 30_000,
  /** The time limit if Telegram fetches a file in the call, and the least time limit of an upload. */
  fileMs: 120_000,
  /** The speed in bytes per second that the time limit of an upload assumes. */
  uploadBytesPerSecond: 100_000,
  /** How long a pressed button may spin; if its answer takes longer, the press is acknowledged without it. */
  spinMs: 3_000,
  /** After how long an inline query is answered with a placeholder. */
  inlineMs: 2_500,
  /** After how long a search gets an empty answer. Telegram does not accept answers that are much later. */
  inlineSearchMs: 5_000,
  /** How long a person must have stopped typing before a search begins. */
  typingMs: 400,
} as const;

export type TelegramLimits = { readonly [K in keyof typeof LIMITS]: number };

export const TELEGRAM_LIMITS: TelegramLimits = LIMITS;
