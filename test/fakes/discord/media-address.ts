const MAX_MEDIA_URL = 2048;
const ATTACHMENT = 'attachment://';

export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** The file's name in `attachment://name`. */
export function attachmentName(url: string): string | undefined {
  return url.startsWith(ATTACHMENT) ? url.slice(ATTACHMENT.length) : undefined;
}

/** @returns what is wrong with the address of a picture, a film or a file. */
export function checkMediaUrl(url: string, files: readonly string[]): readonly string[] {
  const name = attachmentName(url);
  if (name !== undefined) return files.includes(name) ? [] : [`${url} names no file of the message`];
  if (!isWebAddress(url)) return [`the media address "${url}"`];
  return url.length > MAX_MEDIA_URL ? [`a media address of ${url.length} characters`] : [];
}
