// The server renders by the same rules as the page, which does not trust it.

/** Only web addresses become links; anything else is shown as text. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** A link and nothing else: its reader's wish is clear. */
export function isLoneLink(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text);
}

/** Opens a beatmap in the game, for whom that is installed. */
export function isGameAddress(url: string): boolean {
  return /^osu:\/\/dl\/[1-9]\d{0,14}$/.test(url);
}

/** A path on this server, which is all the page loads from. */
export function isOwnPath(url: string): boolean {
  return /^\/(?![/\\])/.test(url);
}
