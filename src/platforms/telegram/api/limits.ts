/** Every limit of Telegram in one place (Bot API 10.3, 2026-08). Lengths are UTF-16 units, which is never less than Telegram counts. */

export const DEFAULT_API = 'https://api.telegram.org/';

/** The word that the link into a group carries. */
export const INVITATION = 'true';

const MB = 1024 * 1024;

/** Limits of one message; `render` shortens longer ones. */
export const MESSAGE_LIMITS = {
  /** Counted after entities are parsed. */
  text: 4_096,
  caption: 1_024,
  album: 10,
  /** The text of a rich message, in all its blocks. */
  richText: 32_768,
  richMedia: 50,
  buttons: 100,
  buttonsPerRow: 3,
  /** A row has more buttons when they are only numbers. */
  numbersPerRow: 8,
  buttonLabel: 64,
  callbackAnswer: 200,
  /** Bytes that a button sends back. */
  callbackData: 64,
  deletedAtOnce: 100,
  commands: 100,
  commandDescription: 256,
  inlineResults: 50,
  inlineTitle: 120,
  inlineDescription: 200,
  /** The name of the position where the next results begin. */
  inlineOffset: 64,
} as const;

/** Bytes of one file. */
const FILE_LIMITS = {
  upload: 50 * MB,
  uploadPhoto: 10 * MB,
  /** A file that Telegram fetches from an address. */
  address: 20 * MB,
  addressPhoto: 5 * MB,
  /** An upload to a Bot API server of one's own. */
  localUpload: 2_000 * MB,
} as const;

const CHAT_LIMITS = {
  /** With so many files, or words that are no caption, a post is a rich message; else an album, which every app shows. */
  richFrom: 11,
  /** Messages a second in one chat, all chats together, and a minute in one group, where each file of an album counts. */
  spacingMs: 1_000,
  overallPerSecond: 30,
  groupPerMinute: 20,
  /** A chat action shows for 5 s. */
  actionEveryMs: 4_000,
  /** A notice about one person's limit stays in a group no longer than this. */
  noticeMs: 60_000,
  /** People who asked longer ago may not be there any more, and would miss a message that is shown to them alone. */
  ephemeralMs: 60_000,
  /** Telegram keeps a request for updates open for so long. */
  pollSeconds: 50,
  /** A call that needs no file. */
  callMs: 30_000,
  /** A call for which Telegram fetches a file, and the least that an upload gets. */
  fileMs: 120_000,
  /** Slowest upload worth waiting for. */
  uploadBytesPerSecond: 100_000,
  /** A pressed button stops spinning after this time even when its answer takes longer. */
  spinMs: 3_000,
  /** An inline query that could not be answered by then gets a placeholder. */
  inlineMs: 2_500,
  /** One for which an upstream is asked gets an empty answer by then; Telegram takes none that is much later. */
  inlineSearchMs: 5_000,
  /** So long a person types no further before an upstream is asked for their words. */
  typingMs: 400,
} as const;

export type TelegramLimits = { readonly [K in keyof typeof CHAT_LIMITS]: number } & {
  readonly [K in keyof typeof FILE_LIMITS]: number;
};

export const TELEGRAM_LIMITS: TelegramLimits = { ...CHAT_LIMITS, ...FILE_LIMITS };
