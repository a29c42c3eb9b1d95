/** All limits of the web chat. Text lengths are UTF-16 code units. */

/** The most characters of each part of a reply; `render` shortens longer ones. */
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

/** How long addresses of covers and audio previews are valid, which is as long as a reply's buttons work. */
export const ASSET_LIFE_MS = 7 * 86_400_000;

export const WEB_LIMITS = {
  /** The longest message, enough for a link of 8 KB with text around it. */
  messageLength: 10_000,
  /** The largest frame from a page: enough for the longest message in any script, escaped as JSON. */
  frameBytes: 64 * 1024,
  /** A page is disconnected when this many bytes wait to be sent to it. */
  bufferedBytes: 4 * 1024 * 1024,
  connections: 2_000,
  connectionsPerAddress: 16,
  /** How soon a new connection must say hello. */
  helloMs: 10_000,
  /** A connection that does not answer a ping within this time counts as dead. */
  pingMs: 30_000,
  /** How many frames a page may send a second, and in a burst. */
  framesPerSecond: 12,
  framesAtOnce: 80,
  /** A connection is closed after this many invalid frames. */
  badFrames: 3,
  /** How many requests of one session may run, and how many may wait, such as for the person's rate limit. */
  running: 3,
  queued: 37,
  /** How many unfinished requests all sessions together may have. */
  jobs: 4_000,
  suggestions: 12,
  /** A request is cancelled if its page disconnects and does not come back within this time. */
  orphanMs: 30_000,
  /** How long complete answers are kept, for a page that was disconnected before it got them. */
  answeredMs: 5 * 60_000,
  answeredBytes: 4 * 1024 * 1024,
  /** The most bytes of drawn image cards in memory. */
  pictureBytes: 32 * 1024 * 1024,
  /** How long a closing handshake may take. */
  closeMs: 1_000,
} as const;

export type WebLimits = { readonly [K in keyof typeof WEB_LIMITS]: number };
