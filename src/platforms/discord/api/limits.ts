/** All limits of Discord, as of 2026-08. Text lengths are UTF-16 code units. */

const MIB = 1024 * 1024;

export const DISCORD_LIMITS = {
  /** Components of one message, including nested ones. */
  components: 40,
  /** The text of all components of one message together. */
  text: 4_000,
  galleryItems: 10,
  attachments: 10,
  /** The most replies to one request that are put into one message. */
  replies: 5,
  /** The most links of one message that Discord shows as players and whose addresses fit into 2,000 characters. */
  unfurled: 5,
  /** The description of an image, video or file. */
  alt: 1_024,
  buttonsPerRow: 5,
  buttonLabel: 80,
  buttonUrl: 512,
  selectOptions: 25,
  optionLabel: 100,
  placeholder: 150,
  /** Further replies to an interaction, when only a person, and not the server, has installed the app. */
  followUps: 5,
} as const;

export const COMMAND_LIMITS = {
  name: 32,
  description: 100,
  options: 25,
  choices: 25,
  choiceName: 100,
  choiceValue: 100,
  stringLength: 6_000,
} as const;

/** Amounts that Medley shows; Discord allows more. */
export const SHOWN = {
  heading: 300,
  /** Longer folded text is cut, since the original post shows it as a whole. */
  folded: 300,
  fieldLabel: 200,
  fieldValue: 600,
  fields: 25,
  cardLine: 300,
  /** The shortest text for each of several posts in one message. */
  leastText: 650,
  /** More buttons than this become a menu. */
  buttons: 15,
} as const;

/** Times in milliseconds. */
export const TIMES = {
  /** How soon an interaction must get its first answer. */
  acknowledge: 3_000,
  /** How soon suggestions must be sent: they count within the three seconds too, including the network's time. */
  suggest: 2_000,
  /** How long an interaction's token is valid, less a margin for the last request. */
  token: 14.5 * 60_000,
  /** If its token has expired, an interaction is answered by a message in the channel up to this time after it. */
  instead: 60 * 60_000,
  /** How long Discord surely recognises a repeated nonce: its documentation says "the past few minutes". */
  nonce: 2 * 60_000,
  request: 20_000,
  /** Rate limits up to this time are waited out in the process; after a longer one the request returns to the queue. */
  shortRateLimit: 1_000,
  /** The library's own time limit for a request, longer than Medley's, so that it never ends one. */
  upload: 5 * 60_000,
  library: 15 * 60_000,
  /** How long after a message the site's preview (embed) of it may appear, */
  lateEmbed: 60_000,
  /** and within which time it usually appears. */
  usualEmbed: 5_000,
  /** A preview (embed) is hidden at most this long after its message, even if Discord asked to wait. */
  hiding: 5 * 60_000,
  /** The delay before typing is shown; cached answers arrive sooner. */
  firstTyping: 800,
  typing: 9_000,
  /** How long the start of each shard may take: Discord lets one start every five seconds. */
  login: 60_000,
  /** How long receiving the events may take that came while Medley was disconnected. */
  resume: 10_000,
  /** How long the other end may take to close a connection. */
  farewell: 1_000,
} as const;

export const WORK = {
  /** How many messages are remembered whose previews (embeds) may still appear and must be hidden. */
  suppressed: 2_000,
  /** After this many refusals of uploads as too large, the other files of the answer become links. */
  refusals: 4,
} as const;

/** The size limit of one file in a server without boosts. */
export const DEFAULT_UPLOAD_BYTES = 10 * MIB;
/** The size limits of one file in servers that were boosted to the second or third level. */
export const BOOSTED_UPLOAD_BYTES = { second: 50 * MIB, third: 100 * MIB } as const;

/** The size limit of all files of one request: 25 MiB with everything around them. A larger file is sent alone. */
export const REQUEST_UPLOAD_BYTES = 25 * MIB - 64 * 1024;
