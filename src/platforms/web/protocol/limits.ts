/** Every limit of the web chat in one place. Text lengths are UTF-16 code units. */

/** A reply may have so much; `render` shortens everything else. */
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

/** Addresses of a post's files live this long. */
export const MEDIA_LIFE_MS = 6 * 3_600_000;

/** Addresses of covers and previews, which end with no post: as long as buttons work. */
export const ASSET_LIFE_MS = 7 * 86_400_000;

export const WEB_LIMITS = {
  /** A link of 8 KB with words around it. */
  messageLength: 10_000,
  /** One frame from a page: a message in any script, escaped. */
  frameBytes: 64 * 1024,
  /** Unread bytes towards a page after which it is let go. */
  bufferedBytes: 4 * 1024 * 1024,
  connections: 2_000,
  connectionsPerAddress: 16,
  /** A new connection says hello within this time. */
  helloMs: 10_000,
  /** A connection that leaves one ping unanswered for this long is dead. */
  pingMs: 30_000,
  /** Frames a page may send, on average and at once. */
  framesPerSecond: 12,
  framesAtOnce: 80,
  /** Unreadable frames until the connection is closed. */
  badFrames: 3,
  /** One session may ask for so much at the same time; a request that waits for the limit of the person counts among the queued. */
  running: 3,
  queued: 37,
  /** All sessions together may ask for so much. */
  jobs: 4_000,
  suggestions: 12,
  /** Work whose page went away waits this long for it to come back. */
  orphanMs: 30_000,
  /** Finished answers kept for a page that lost them on the way. */
  answeredMs: 5 * 60_000,
  answeredBytes: 4 * 1024 * 1024,
  /** Image cards that were drawn are kept for the pages that show them. */
  pictureBytes: 32 * 1024 * 1024,
  /** A closing handshake may take this long. */
  closeMs: 1_000,
} as const;

export type WebLimits = { readonly [K in keyof typeof WEB_LIMITS]: number };
