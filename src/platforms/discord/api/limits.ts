/** Every limit of Discord in one place, as of 2026-08. Text lengths are UTF-16 code units. */

const MIB = 1024 * 1024;

export const DISCORD_LIMITS = {
  /** Components of one message, including nested ones. */
  components: 40,
  /** The text of all components of one message together. */
  text: 4_000,
  galleryItems: 10,
  attachments: 10,
  /** Replies to one request that share a message, if they fit. */
  replies: 5,
  /** Links of one message that Discord turns into players, and whose addresses fit into 2,000 characters. */
  unfurled: 5,
  /** The description of an image, video or file. */
  alt: 1_024,
  buttonsPerRow: 5,
  buttonLabel: 80,
  buttonUrl: 512,
  selectOptions: 25,
  optionLabel: 100,
  placeholder: 150,
  /** Replies to one interaction beside the first, when the app is only installed by a person. */
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

/** Amounts that Medley itself shows; Discord would allow more. */
export const SHOWN = {
  heading: 300,
  /** Longer folded text is cut, since the original post shows it as a whole. */
  folded: 300,
  fieldLabel: 200,
  fieldValue: 600,
  fields: 25,
  cardLine: 300,
  /** The least text that each of several posts in a message gets. */
  leastText: 650,
  /** More buttons than this become a menu. */
  buttons: 15,
} as const;

/** Milliseconds. */
export const TIMES = {
  /** The time for the first answer to an interaction. */
  acknowledge: 3_000,
  /** Suggestions must come within those three seconds too, including the time on the way. */
  suggest: 2_000,
  /** How long an interaction's token is valid, less a margin for the last request. */
  token: 14.5 * 60_000,
  /** Until this time, an interaction whose token has expired is answered by a message in the channel; later no answer is sent. */
  instead: 60 * 60_000,
  /** How long Discord certainly recognises a repeated nonce: its documentation says "the past few minutes". */
  nonce: 2 * 60_000,
  request: 20_000,
  /** A wait that Discord asks for is waited out in place up to this time; after a longer one the request goes back into the queue. */
  shortRateLimit: 1_000,
  /** Longer than our own limits, so that the library never ends a request. */
  upload: 5 * 60_000,
  library: 15 * 60_000,
  /** A site's embed may appear this long after its message, */
  lateEmbed: 60_000,
  /** but mostly appears within this time. */
  usualEmbed: 5_000,
  /** An embed is hidden at most this late, even if Discord asked to wait before. */
  hiding: 5 * 60_000,
  /** A cached answer arrives before typing would be shown. */
  firstTyping: 800,
  typing: 9_000,
  /** The time until the first shard is ready, and then until the next one is: Discord lets one start every five seconds. */
  login: 60_000,
  /** The time for receiving events that came while Medley was away. */
  resume: 10_000,
  /** The time that the other end of a connection has to close it. */
  farewell: 1_000,
} as const;

export const WORK = {
  /** How many messages are watched for late embeds. */
  suppressed: 2_000,
  /** After this many uploads were refused as too large, the other files become links. */
  refusals: 4,
} as const;

/** The limit of one file, when nothing raises it. */
export const DEFAULT_UPLOAD_BYTES = 10 * MIB;
/** The same in servers that were boosted to the second level, and to the third. */
export const BOOSTED_UPLOAD_BYTES = { second: 50 * MIB, third: 100 * MIB } as const;

/** The limit of all files of one request: 25 MiB with everything around them. If one file may be larger, it may be sent alone. */
export const REQUEST_UPLOAD_BYTES = 25 * MIB - 64 * 1024;
