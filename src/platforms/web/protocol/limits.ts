/** Every limit of the web chat in one place. Text lengths are UTF-16 code units. */

/** Most characters of each part of a reply; `render` shortens longer ones. */
export const REPLY_LIMITS = {
  heading: 300,
  text: 10_000,
  fieldLabel: 80,
  fieldValue: 300,
  fields: 25,
  alt: 1_000,
  actionLabel: 80,
  actions: 12,
  gallery: 80,
  blocks: 60,
  cardLines: 6,
  cardLine: 300,
  choices: 25,
  choiceLabel: 120,
} as const;

/** How long addresses of a post's files are valid. */
export const MEDIA_LIFE_MS = 6 * 3_600_000;

/** How long addresses of covers and previews are valid. They belong to no post, and have to work as long as buttons do. */
export const ASSET_LIFE_MS = 7 * 86_400_000;

export const WEB_LIMITS = {
  /** Enough for a link of 8 KB with text around it. */
  messageLength: 10_000,
  /** One frame from a page: a message in any script, escaped. */
  frameBytes: 64 * 1024,
  /** A page is disconnected when this many bytes wait for it. */
  bufferedBytes: 4 * 1024 * 1024,
  connections: 2_000,
  connectionsPerAddress: 16,
  /** A new connection must say hello within this time. */
  helloMs: 10_000,
  /** A connection that does not answer a ping for this long counts as dead. */
  pingMs: 30_000,
  /** How many frames a page may send a second on average, and at once. */
  framesPerSecond: 12,
  framesAtOnce: 80,
  /** A connection is closed after this many unreadable frames. */
  badFrames: 3,
  /** How much one session may ask for at the same time; a request that waits for the person's rate limit counts as queued. */
  running: 3,
  queued: 37,
  /** How much all sessions together may ask for. */
  jobs: 4_000,
  suggestions: 12,
  /** Work for a page that went away waits this long for the page to come back. */
  orphanMs: 30_000,
  /** How long complete answers are kept, for a page that lost them on the way. */
  answeredMs: 5 * 60_000,
  answeredBytes: 4 * 1024 * 1024,
  /** Bytes of drawn image cards that are kept for the pages that show them. */
  pictureBytes: 32 * 1024 * 1024,
  /** The time for a closing handshake. */
  closeMs: 1_000,
} as const;

export type WebLimits = { readonly [K in keyof typeof WEB_LIMITS]: number };
