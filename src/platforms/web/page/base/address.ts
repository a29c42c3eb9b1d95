// The server renders by the same rules as the page, which does not trust it.

/** Only web addresses become links; anything else is shown as text. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** A path on this server, which is all the page loads from. */
export function isOwnPath(url: string): boolean {
  return /^\/(?![/\\])/.test(url);
}
