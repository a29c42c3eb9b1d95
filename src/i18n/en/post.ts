export const notices = {
  noLink: 'Paste a link to an Instagram or Facebook post here, or type /help to see what I can do.',
};

export const post = {
  /** `shown` is `n`, written short. */
  likes: (n: number, shown: string) => (n === 1 ? '1 like' : `${shown} likes`),
  comments: (n: number, shown: string) => (n === 1 ? '1 comment' : `${shown} comments`),
  plays: (n: number, shown: string) => (n === 1 ? '1 play' : `${shown} plays`),
  views: (n: number, shown: string) => (n === 1 ? '1 view' : `${shown} views`),
  shares: (n: number, shown: string) => (n === 1 ? '1 share' : `${shown} shares`),
  openOriginal: 'Open original',
  /** Of a video that a page of ours plays. */
  tooLargeHere: 'This video is too large for this chat.',
  playHere: 'Play it here',
  /** Of a video; `size` such as `9.2 MB`. */
  reduced: (size: string) => `Made smaller to fit here: ${size}.`,
  playWhole: 'Play the whole video',
  /** Heading of a post whose author is not known. */
  untitled: (site: string) => `${site} post`,
  itemOf: (n: number, total: number) => `${n} of ${total}`,
  missing: (n: number, total: number) => `${n} of ${total} could not be fetched`,
  itemMissing: (n: number, total: number) => `Item ${n} of ${total} could not be fetched`,
  clip: (from: string, to: string) => `Part of the video, ${from} to ${to}`,
  clipRough: 'I can only cut where this video allows it here, so the part may begin a little earlier.',
  /** Of a post with more files than a chat wants. */
  capped: (n: number, total: number) => `${n} of ${total} shown; /download with the item’s number shows another`,
  audioOnly: 'Audio only',
  silent: 'No audio',
  /** Of a post of which nothing else could be read. */
  coverOnly: 'Only the cover of this post could be fetched, not its files.',
  authorOnly: 'The files of this post could not be fetched.',
  /** Its name where it cannot be shown. */
  cover: 'Cover',
  avatar: (name: string) => `Profile photo of ${name}`,
};

export const progress = {
  resolving: 'One moment…',
  fetching: 'Fetching the post…',
  preparing: 'Preparing the file…',
};

/** What is said of a request itself. `wait` is a ready phrase such as "in 20 seconds". */
export const requests = {
  unsure: 'I could not find out whether my answer arrived. If you do not see it, please ask again.',
  waiting: (links: number, wait: string) =>
    links === 1
      ? `That was a lot at once. One link waits and follows by itself ${wait}.`
      : `That was a lot at once. ${links} links wait and follow by themselves, the first ${wait}.`,
  place: (ahead: number) => `Your request is in line; ${ahead} of this chat come before it. It is answered by itself.`,
};
