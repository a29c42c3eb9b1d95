export const discord = {
  /** The command in the menu of a message, at most 32 characters. */
  getMedia: 'Get media',
  delete: 'Delete',
  /** From what a button has opened. */
  back: '← Back',
  /** For those who cannot see it: "Photo 2 of 5". */
  photo: 'Photo',
  video: 'Video',
  noFiles: 'Discord does not let me send this file here.',
  uploadSlow: 'Sending this file to Discord took too long.',
};

export const telegram = {
  delete: 'Delete',
  /** On a button above the results of an inline query, at most 64 characters. */
  paste: 'Paste a link after my name',
  /** What stands under an album. */
  photos: (n: number) => (n === 1 ? '1 photo' : `${n} photos`),
  videos: (n: number) => (n === 1 ? '1 video' : `${n} videos`),
  audios: (n: number) => (n === 1 ? '1 audio track' : `${n} audio tracks`),
  audio: 'Audio only',
  noFiles: 'This chat does not let me send photos or videos.',
  topicClosed: 'I could not answer you: that topic is closed. Reopen it, or make me an admin who may manage topics.',
  unconfirmed: 'Telegram did not say whether my answer arrived. If you do not see it, please send the link again.',
  startFirst: 'Open a chat with me and press Start once; then I can send files to any chat.',
  slowDown: (wait: string) => `Telegram asks me to slow down. Please try again ${wait}.`,
};
