/** Every limit of Discord in one place, as of 2026-08. Text lengths are UTF-16 code units. */

const MIB = 1024 * 1024;

export const DISCORD_LIMITS = {
  /** Components of one message, nested ones too. */
  components: 40,
  /** Text of all displays of one message together. */
  text: 4_000,
  galleryItems: 10,
  attachments: 10,
  /** Replies to one request that share a message, where they fit. */
  replies: 5,
  /** Links of one message that become players, and whose addresses fit its 2,000 characters. */
  unfurled: 5,
  /** The description of an image, video or file. */
  alt: 1_024,
  buttonsPerRow: 5,
  buttonLabel: 80,
  buttonUrl: 512,
  selectOptions: 25,
  optionLabel: 100,
  placeholder: 150,
  /** Replies to one interaction beside the first, where the app is only installed by a person. */
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

/** How much of things Medley itself shows; Discord would allow more. */
export const SHOWN = {
  heading: 300,
  /** Folded text is shown as a whole by the original post. */
  folded: 300,
  fieldLabel: 200,
  fieldValue: 600,
  fields: 25,
  cardLine: 300,
  /** The least text of one of several posts in a message. */
  leastText: 650,
  /** More buttons than this become a menu. */
  buttons: 15,
} as const;

/** Milliseconds. */
export const TIMES = {
  /** The first answer to an interaction. */
  acknowledge: 3_000,
  /** Suggestions share those three seconds with the way there and back. */
  suggest: 2_000,
  /** An interaction's token, with a margin for the last request. */
  token: 14.5 * 60_000,
  /** An interaction whose token is dead is answered by a message of the channel up to this: later it is not waited for. */
  instead: 60 * 60_000,
  /** How long Discord is sure to know a repeated nonce: it says "the past few minutes". */
  nonce: 2 * 60_000,
  request: 20_000,
  /** A wait that Discord asks for is waited out in place up to this. */
  shortRateLimit: 1_000,
  /** The library never ends a request: its own limit is longer. */
  upload: 5 * 60_000,
  library: 15 * 60_000,
  /** A source's embed may come this long after its message, */
  lateEmbed: 60_000,
  /** but mostly comes within this. */
  usualEmbed: 5_000,
  /** An embed is hidden so late at most, where Discord wants to be left alone before. */
  hiding: 5 * 60_000,
  /** A cached answer is there before typing would be shown. */
  firstTyping: 800,
  typing: 9_000,
  /** The time until the first shard is ready, and then until the next one is: Discord lets one begin in five seconds. */
  login: 60_000,
  /** The time to hear of events that came while Medley was not there. */
  resume: 10_000,
  /** The time for the other end of a connection to close it. */
  farewell: 1_000,
} as const;

export const WORK = {
  /** Messages remembered for their late embeds. */
  suppressed: 2_000,
  /** Uploads refused as too large before the other files become links. */
  refusals: 4,
} as const;

/** One file, where nothing raises it. */
export const DEFAULT_UPLOAD_BYTES = 10 * MIB;

/** All files of one request together: 25 MiB with everything around them. Where one file may be larger, it may be sent alone. */
export const REQUEST_UPLOAD_BYTES = 25 * MIB - 64 * 1024;
