/** All limits of Telegram (Bot API 10.3, 2026-08). Lengths are UTF-16 units, at least as many as Telegram counts. */

export const DEFAULT_API = 'https://api.telegram.org/';

/** The parameter of the link that adds Medley to a group. */
export const INVITATION = 'true';

const MB = 1024 * 1024;

/** Limits of one message; `render` shortens longer texts. */
export const MESSAGE_LIMITS = {
  /** The text without its entities (parsed markup). */
  text: 4_096,
  caption: 1_024,
  album: 10,
  /** The text of all blocks of a rich message together. */
  richText: 32_768,
  richMedia: 50,
  buttons: 100,
  buttonsPerRow: 3,
  /** The most buttons of a row that show only numbers. */
  numbersPerRow: 8,
  buttonLabel: 64,
  callbackAnswer: 200,
  /** The most bytes that a button can send. */
  callbackData: 64,
  deletedAtOnce: 100,
  commands: 100,
  commandDescription: 256,
  inlineResults: 50,
  inlineTitle: 120,
  inlineDescription: 200,
  /** The longest offset of an inline query, which says where the next results begin. */
  inlineOffset: 64,
} as const;

/** The size limits of one file, in bytes. */
const FILE_LIMITS = {
  upload: 50 * MB,
  uploadPhoto: 10 * MB,
  /** The size of a file that Telegram fetches from an address. */
  address: 20 * MB,
  addressPhoto: 5 * MB,
  /** The size of an upload to the operator's own Bot API server. */
  localUpload: 2_000 * MB,
} as const;

const CHAT_LIMITS = {
  /** From this many files on, or with a long text, a post becomes a rich message; below, an album, as any app shows. */
  richFrom: 11,
  /**
   * Rate limits: the time between messages in one chat, messages a second in all chats, and messages a minute in one
   * group, where each file of an album counts.
   */
  spacingMs: 1_000,
  overallPerSecond: 30,
  groupPerMinute: 20,
  /** Telegram shows a chat action for 5 s, so it is sent again this often. */
  actionEveryMs: 4_000,
  /** A notice in a group about one person's rate limit is deleted after this time. */
  noticeMs: 60_000,
  /** A message to one person alone is only sent this soon after their request: later they may have left the chat. */
  ephemeralMs: 60_000,
  /** How long Telegram holds a long-polling request open. */
  pollSeconds: 50,
  /** The time limit of a call without files. */
  callMs: 30_000,
  /** The time limit of a call for which Telegram fetches a file, and the shortest one of an upload. */
  fileMs: 120_000,
  /** The slowest speed of an upload before it is given up. */
  uploadBytesPerSecond: 100_000,
  /** A pressed button stops showing that it works after this time, even if its answer takes longer. */
  spinMs: 3_000,
  /** An inline query is answered with a placeholder after this time. */
  inlineMs: 2_500,
  /** A search query gets an empty answer after this time; Telegram does not accept much later ones. */
  inlineSearchMs: 5_000,
  /** A search only begins when the person has not typed for this long. */
  typingMs: 400,
} as const;

export type TelegramLimits = { readonly [K in keyof typeof CHAT_LIMITS]: number } & {
  readonly [K in keyof typeof FILE_LIMITS]: number;
};

export const TELEGRAM_LIMITS: TelegramLimits = { ...CHAT_LIMITS, ...FILE_LIMITS };
