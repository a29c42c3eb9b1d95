// The server applies this file's rules to addresses when it renders a reply; the page applies them again.

/** Says whether an address is a web address: only those become links, all others are shown as text. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** True for a text that is a link and nothing else: it is sent at once, since the reader can only want its post. */
export function isLoneLink(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text);
}

/** Says whether an address opens a beatmap in the game, for people who have it installed. */
export function isGameAddress(url: string): boolean {
  return /^osu:\/\/dl\/[1-9]\d{0,14}$/.test(url);
}

/** Says whether an address is a path on this server: the page loads nothing else. */
export function isOwnPath(url: string): boolean {
  return /^\/(?![/\\])/.test(url);
}
