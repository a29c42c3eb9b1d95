const CODES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, char => CODES[char] ?? char);
}

/** Where the browser that draws gets a file: `host` is answered by the pictures' own program. */
export const FILE_HOST = 'pictures.test';

export function fileAddress(sha256: string): string {
  return `https://${FILE_HOST}/${sha256}`;
}

/** A video as a chat shows it before it is played, an image as it is. */
export function renderMedia(address: string, isVideo: boolean, alt = ''): string {
  const source = escapeHtml(address);
  if (!isVideo) return `<img src="${source}" alt="${escapeHtml(alt)}">`;
  return `<span class="video"><video src="${source}" muted preload="auto"></video><span class="play"></span></span>`;
}
