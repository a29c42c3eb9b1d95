/** Linking an osu! player by signing in at osu!: what is said in the chat, and on the pages that a browser sees on the way. */
export const linking = {
  offer: 'Sign in at osu! to show which player you are. The button works once, for ten minutes, and is yours alone.',
  byName: 'Or name your player, without a mark: /osu link and your osu! name.',
  button: 'Sign in at osu!',
  inPrivate: 'Others would see your link here. Send me /osu link in a private chat, or name your player.',
  /** A mark in words. */
  proven: 'linked by signing in at osu!',

  platforms: new Map(Object.entries({ discord: 'Discord', telegram: 'Telegram', web: 'the web chat' })),
  askTitle: 'Link your osu! player?',
  ask: (platform: string) =>
    `You are about to sign in at osu!, so that your player is linked to the person on ${platform} who asked for it.`,
  askWarning:
    'Continue only if you asked for this in the chat yourself. If someone sent you this address, close this page.',
  go: 'Continue to osu!',
  doneTitle: 'Linked',
  done: (player: string, platform: string) =>
    `You are ${player} on ${platform} now. You can go back to the chat and close this page; /osu unlink undoes it.`,
  failedTitle: 'Not linked',
  denied: 'You did not allow it at osu!, so nothing was linked. You can go back to the chat and close this page.',
  refused: 'osu! does not take this answer any more. Please go back to the chat and send /osu link again.',
};
