import { button, h } from '../base/dom.ts';
import { type IconName, icon } from '../base/icons.ts';
import type { WebFile } from '../base/protocol.ts';
import { formats, text } from '../base/texts.ts';

export interface SavedFile extends Pick<WebFile, 'downloadUrl' | 'fileName' | 'bytes'> {
  /** Restores the text that the link had before the progress was shown on it. */
  readonly restore: () => void;
}

/** Adds the author's name to a label, so that screen readers can tell the tools of several posts apart. */
export type Named = (label: string) => string;

/** An icon with its label, which the style sheet hides where there is little space. */
export function withIcon(name: IconName, label: string): Node[] {
  return [icon(name), h('span', { class: 'tool-words' }, label)];
}

export function toolButton(name: IconName, label: string, named: Named, onClick: () => void): HTMLButtonElement {
  const attributes = { class: 'action tool', 'aria-label': named(label), title: label };
  return button(attributes, onClick, ...withIcon(name, label));
}

/** Larger files are not held in memory: the browser downloads them itself and shows its own progress. */
const MOST_BYTES = 100_000_000;
/** While the server still makes the file, the seconds on the link are updated this often. */
const TICK_MS = 1_000;
const SHOWN_MS = 2_400;

const numbers = formats((locale, style: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, style));
const percents = (part: number): string => numbers({ style: 'percent', maximumFractionDigits: 0 }).format(part);
const seconds = (n: number): string => numbers({ style: 'unit', unit: 'second', unitDisplay: 'short' }).format(n);

/** Loads a pressed link's file, shows the progress on the link, and saves it. On failure the browser downloads it. */
export function showSaving(link: HTMLAnchorElement, file: () => SavedFile | undefined): void {
  /** The addresses of the files that are being loaded. */
  const busy = new Set<string>();

  /** Says whether the link still offers this file; the reader may have switched to another. */
  function isOffered({ downloadUrl }: SavedFile): boolean {
    return file()?.downloadUrl === downloadUrl;
  }

  function show(saved: SavedFile, words: string, part?: number): void {
    if (!isOffered(saved)) return;
    link.classList.add('saving');
    link.style.setProperty('--done', `${((part ?? 0) * 100).toFixed(1)}%`);
    link.querySelector('.download-facts, .tool-words')?.replaceChildren(words);
  }

  async function bring(saved: SavedFile): Promise<void> {
    const { downloadUrl, fileName, bytes } = saved;
    let waited = 0;
    const ticking = setInterval(() => show(saved, seconds(++waited)), TICK_MS);
    try {
      const content = await contentOf(downloadUrl, bytes, (part, now) => {
        clearInterval(ticking);
        show(saved, part === undefined ? bytesText(now) : percents(part), part);
      });
      const url = URL.createObjectURL(content);
      h('a', { href: url, download: fileName }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      document.getElementById('announcer')?.replaceChildren(text('saved'));
      if (!isOffered(saved)) return;
      link.querySelector('.download-facts, .tool-words')?.replaceChildren(text('saved'));
      link.querySelector('.icon')?.replaceWith(icon('done'));
      setTimeout(() => isOffered(saved) && saved.restore(), SHOWN_MS);
    } catch {
      if (isOffered(saved)) saved.restore();
      h('a', { href: downloadUrl, download: fileName }).click();
    } finally {
      clearInterval(ticking);
      if (isOffered(saved)) link.classList.remove('saving');
    }
  }

  link.addEventListener('click', event => {
    const saved = file();
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (saved === undefined || !isPlain || (saved.bytes ?? 0) > MOST_BYTES) return;
    event.preventDefault();
    if (busy.has(saved.downloadUrl)) return;
    busy.add(saved.downloadUrl);
    void bring(saved).finally(() => busy.delete(saved.downloadUrl));
  });
}

export function bytesText(bytes: number): string {
  const [unit, size] = bytes < 100_000 ? (['kilobyte', 1_000] as const) : (['megabyte', 1_000_000] as const);
  const options = { style: 'unit', unit, maximumFractionDigits: bytes < 100_000_000 ? 1 : 0 } as const;
  return numbers(options).format(bytes / size);
}

/** Loads a file. @throws when it cannot be loaded, or is too large */
async function contentOf(
  url: string,
  expected: number | undefined,
  onPart: (part: number | undefined, bytes: number) => void,
): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok || response.body === null) throw new Error(`${response.status}`);
  const total = Number(response.headers.get('content-length')) || expected;
  if ((total ?? 0) > MOST_BYTES) throw new Error('too large');
  const parts: BlobPart[] = [];
  const reader = response.body.getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts, { type: response.headers.get('content-type') ?? '' });
    bytes += value.length;
    if (bytes > MOST_BYTES) {
      await reader.cancel();
      throw new Error('too large');
    }
    parts.push(value);
    onPart(total && Math.min(1, bytes / total), bytes);
  }
}
