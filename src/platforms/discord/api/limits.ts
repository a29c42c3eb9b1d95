/** All limits of Discord, as of 2026-08. Text lengths are UTF-16 code units. */

const MIB = 1024 * 1024;

export const DISCORD_LIMITS = {
  /** The most components of one message, nested ones included. */
  components: 40,
  /** The most characters of the text in all components of one message together. */
  text: 4_000,
  attachments: 10,
  /** The most replies to one request that share a message, e.g. when a person sent several links. */
  replies: 5,
  /**
   * How many links to pages with a video player Medley puts into one message. Discord shows each as a player; more
   * addresses would not fit into the 2,000 characters of a message.
   */
  unfurled: 5,
  /** The most characters of the description of an image, video or file. */
  alt: 1_024,
  buttonsPerRow: 5,
  buttonLabel: 80,
  buttonUrl: 512,
  selectOptions: 25,
  optionLabel: 100,
  placeholder: 150,
  /** How many further replies an interaction may get, if only the person, and not the server, has installed the app. */
  followUps: 5,
} as const;

export const COMMAND_LIMITS = {
  description: 100,
  options: 25,
  choices: 25,
  choiceName: 100,
  choiceValue: 100,
  stringLength: 6_000,
} as const;

/** Limits that Medley sets itself, lower than Discord's limits. */
export const SHOWN = {
  heading: 300,
  /**
   * The most characters of a long text such as a caption. Other platforms fold such a text; Discord cannot, so the rest
   * is left out, since the reader finds it in the original post.
   */
  folded: 300,
  fieldLabel: 200,
  fieldValue: 600,
  fields: 25,
  cardLine: 300,
  /**
   * Each of several replies that share a message has space for at least this many characters of text. Replies for which
   * so much space is not left go into a further message.
   */
  leastText: 650,
  /** The most buttons under a message; more become the options of a select menu. */
  buttons: 15,
} as const;

/** Times in milliseconds. */
export const TIMES = {
  /** How soon an interaction must get its first answer, after which Discord accepts none. */
  acknowledge: 3_000,
  /** How soon suggestions must be sent: Discord accepts them for three seconds, which include the network's time. */
  suggest: 2_000,
  /** How long an interaction's token is used: its fifteen minutes, less a margin for the last request. */
  token: 14.5 * 60_000,
  /**
   * An answer that is ready only when the interaction's token has expired can be posted as an ordinary message in the
   * channel. It is posted until this long after the interaction, and given up later.
   */
  instead: 60 * 60_000,
  /** How long Discord surely recognises a repeated nonce. Its documentation says "the past few minutes". */
  nonce: 2 * 60_000,
  request: 20_000,
  /** A rate limit up to this long is waited out within the call; after a longer one the request is queued again. */
  shortRateLimit: 1_000,
  upload: 5 * 60_000,
  /** The time limit that discord.js gets for a request: longer than Medley's, so that it never applies. */
  library: 15 * 60_000,
  /** How long after a message the site's preview (embed) of its link may appear. */
  lateEmbed: 60_000,
  /** How long after a message the site's preview (embed) of its link usually appears. */
  usualEmbed: 5_000,
  /** How long Medley goes on trying to hide the preview (embed) of a message when Discord asks to wait. */
  hiding: 5 * 60_000,
  /** The delay before typing is shown. Cached answers arrive before it is over, so no typing is shown for them. */
  firstTyping: 800,
  typing: 9_000,
  /** How long each shard may take to start; Discord lets one start every five seconds. */
  login: 60_000,
  /** How long it may take to receive the events that came while Medley was disconnected. */
  resume: 10_000,
  /** How long Discord may take to close a connection. */
  farewell: 1_000,
} as const;

export const WORK = {
  /** How many messages are watched for previews (embeds) that appear late and must be hidden. */
  suppressed: 2_000,
  /** After this many refusals of a message's files as too large, all its files become links. */
  refusals: 4,
} as const;

/** The size limit of one file in a server without boosts. */
export const DEFAULT_UPLOAD_BYTES = 10 * MIB;
/** The size limits of one file in servers that were boosted to the second or third level. */
export const BOOSTED_UPLOAD_BYTES = { second: 50 * MIB, third: 100 * MIB } as const;

/**
 * The size limit of an HTTP request's files together: 25 MiB, less 64 KiB for its other parts. A larger file is sent
 * alone.
 */
export const REQUEST_UPLOAD_BYTES = 25 * MIB - 64 * 1024;
