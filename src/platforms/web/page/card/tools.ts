import { isWebAddress } from '../base/address.ts';
import { h, isTouch } from '../base/dom.ts';
import { type IconName, icon } from '../base/icons.ts';
import type { WebAction, WebFile, WebMedia } from '../base/protocol.ts';
import { nameAndValue, text } from '../base/texts.ts';
import { clipChoice } from './clip.ts';
import { isExpired, switchVideo } from './media.ts';
import { bytesText, type Named, type SavedFile, showSaving, toolButton, withIcon } from './saving.ts';

export interface MediaToolsOptions {
  readonly items: readonly WebMedia[];
  /** The reply's links; the first leads to the original post. */
  readonly links: readonly Extract<WebAction, { kind: 'link' }>[];
  /** The caption of the post; '' when there is none. */
  readonly caption: string;
  /** The name of the files' author; '' when unknown. */
  readonly owner: string;
  /** The box that shows the file at an index. */
  readonly boxAt: (index: number) => Element | undefined;
  /** Shows the card anew, when files that it offers have expired. */
  readonly renew: () => void;
}

export type MediaTools = ReturnType<typeof mediaTools>;

/** The tools for a post's files: save, choose a size, save the audio, copy the link or the caption. */
export function mediaTools({ items, links, caption, owner, boxAt, renew }: MediaToolsOptions) {
  const named: Named = label => (owner === '' ? label : nameAndValue(label, owner));
  const download = h('a', { class: 'action primary' });
  const audio = h('a', { class: 'action tool', title: text('audioOnly') });
  const sizes = h('fieldset', { class: 'qualities' });
  let shown: WebMedia | undefined;
  const clip = items.some(({ clipUrl }) => clipUrl !== undefined)
    ? clipChoice(() => (shown && boxAt(items.indexOf(shown))?.querySelector('video')) ?? null, named)
    : undefined;
  const all = items.length > 1 && allTool(items, named, renew);
  const safe = links.filter(({ url }) => isWebAddress(url));
  const [original] = safe;
  const row = h(
    'div',
    { class: 'tools' },
    download,
    audio,
    clip?.tool,
    original && linkTool(original.url, named, () => shown),
    ...safe.map(link => openTool(link, named)),
    caption !== '' && !isTouch() && copyTool('copyCaption', 'words', caption, named),
    all,
  );

  let offered: SavedFile | undefined;
  showSaving(download, () => offered);
  showSaving(audio, () => shown?.audio && { ...shown.audio, restore: () => offerAudio(shown) });

  /** Makes the tools act on the file at that index, when the reader turns to it. */
  function offer(index: number): void {
    const media = items[index];
    if (!media) return;
    const isGone = isExpired(media);
    shown = media;
    offerFile(media, index);
    download.hidden = isGone;
    if (all) all.hidden = items.every(isExpired);
    audio.hidden = isGone || media.audio === undefined;
    offerAudio(media);
    clip?.offer(media);
    sizes.hidden = isGone || media.qualities === undefined;
    sizes.replaceChildren(...sizeChoices(media, index));
  }

  function offerAudio(media: WebMedia | undefined): void {
    if (media?.audio === undefined) return;
    save(audio, media.audio);
    audio.setAttribute('aria-label', named(text('audioOnly')));
    audio.replaceChildren(...withIcon('sound', text('audioOnly')));
  }

  function offerFile(file: WebFile, index: number): void {
    offered = { ...file, restore: () => offerFile(file, index) };
    const place = items.length > 1 ? text('downloadItem', { n: index + 1, total: items.length }) : text('download');
    save(download, file);
    download.replaceChildren(icon('download'), ...downloadLabel(file, place, owner));
  }

  function sizeChoices({ qualities = [] }: WebMedia, index: number): HTMLElement[] {
    groups += 1;
    const name = `quality-${groups}`;
    return [
      h('legend', {}, text('quality')),
      ...qualities.map((quality, at) => {
        const input = h('input', { type: 'radio', name, value: quality.label, checked: at === 0 });
        input.addEventListener('change', () => {
          switchVideo(boxAt(index), quality.src);
          offerFile(quality, index);
        });
        return h('label', { class: 'option quality' }, input, h('span', {}, quality.label));
      }),
    ];
  }

  /** On a page that was left open until the files expired, shows the card anew in place of saving one. */
  function stopExpired(event: Event): void {
    const isSaving = event.target instanceof Element && event.target.closest('[download]') !== null;
    if (!isSaving || !shown || !isExpired(shown)) return;
    event.preventDefault();
    event.stopPropagation();
    renew();
  }

  const elements = [...(clip ? [clip.row] : []), row, sizes];
  for (const each of elements) each.addEventListener('click', stopExpired, { capture: true });
  return { elements, offer };
}

/** The words of the button that saves a file: with its position, the facts of the file, and the name of its author. */
function downloadLabel(file: WebFile, place: string, owner: string): (HTMLElement | string)[] {
  const facts = factsOf(file).filter(fact => fact !== file.label);
  return [
    // The label names the file's position. With little width it is short, since the carousel shows the position.
    h('span', {}, h('span', { class: 'words-long' }, place), h('span', { class: 'words-short' }, text('download'))),
    ' ',
    h(
      'span',
      { class: 'download-facts' },
      file.label !== undefined && h('span', { class: 'words-long' }, `${file.label} · `),
      facts.join(' · '),
    ),
    h('span', { class: 'unseen' }, ` ${owner}`),
  ];
}

let groups = 0;

/** The known facts of a file, such as `1080p`, `8.4 MB`, `MP4`. */
function factsOf({ label, bytes, isRough, fileName }: WebFile): string[] {
  const type = /\.(\w{1,5})$/.exec(fileName)?.[1]?.toUpperCase();
  const size = bytes === undefined ? undefined : `${isRough ? '≈ ' : ''}${bytesText(bytes)}`;
  return [label, size, type].filter(fact => fact !== undefined);
}

function save(anchor: HTMLAnchorElement, { downloadUrl, fileName }: WebFile): void {
  anchor.classList.remove('saving');
  anchor.href = downloadUrl;
  anchor.download = fileName;
}

function openTool({ label, url }: MediaToolsOptions['links'][number], named: Named): HTMLElement {
  const attributes = { class: 'action tool', 'aria-label': named(label), title: label };
  return h('a', { ...attributes, href: url, target: '_blank', rel: 'noopener noreferrer' }, ...withIcon('open', label));
}

/**
 * On phones, a tool that opens the share sheet with the file, or with the link if the sheet does not take the file. On
 * other devices, a tool that copies the link.
 */
function linkTool(url: string, named: Named, media: () => WebMedia | undefined): HTMLElement {
  if (!isTouch() || !('share' in navigator)) return copyTool('copyLink', 'link', url, named);
  let ready: { readonly src: string; readonly data: ShareData } | undefined;
  const tool = toolButton('share', text('share'), named, () => void share());

  async function share(): Promise<void> {
    const shown = media();
    if (ready?.src !== shown?.src) ready = undefined;
    tool.classList.add('pressed');
    const data = ready?.data ?? (await fileData(shown)) ?? { url };
    if (shown) ready = { src: shown.src, data };
    tool.classList.remove('pressed');
    // When the reader closes the sheet, `share` rejects, which is no failure. It also rejects when loading the file
    // took too long after the press; at the next press the file is ready.
    await navigator.share(data).catch(() => undefined);
  }

  return tool;
}

/** A larger file is not held in memory for a phone's share sheet. */
const MAX_SHARED_BYTES = 100_000_000;

/** The file for a share sheet; undefined when the sheet does not accept it, or it cannot be loaded. */
async function fileData(media: WebMedia | undefined): Promise<ShareData | undefined> {
  if (media === undefined || isExpired(media) || (media.bytes ?? 0) > MAX_SHARED_BYTES) return undefined;
  const asFile = (parts: BlobPart[]): ShareData => ({
    files: [new File(parts, media.fileName, { type: media.mime })],
  });
  if (navigator.canShare?.(asFile([''])) !== true) return undefined;
  const response = await fetch(media.src).catch(() => undefined);
  const bytes = response?.ok ? await response.blob().catch(() => undefined) : undefined;
  return bytes && asFile([bytes]);
}

const SHOWN_MS = 1_800;

function copyTool(key: 'copyLink' | 'copyCaption', name: IconName, content: string, named: Named): HTMLElement {
  const label = text(key);
  const tool = toolButton(name, label, named, copy);

  function show(words: string, shown: IconName): void {
    tool.replaceChildren(...withIcon(shown, words));
    tool.setAttribute('aria-label', named(words));
  }

  function say(words: string, shown: IconName): void {
    show(words, shown);
    document.getElementById('announcer')?.replaceChildren(words);
  }

  function copy(): void {
    // Only a page over https has a clipboard.
    const written = navigator.clipboard?.writeText(content) ?? Promise.reject(new Error('no clipboard'));
    written
      .then(
        () => say(text('copied'), 'done'),
        () => say(text('notCopied'), 'alert'),
      )
      .finally(() => setTimeout(() => show(label, name), SHOWN_MS));
  }

  return tool;
}

/** The pause between downloads, because browsers drop some that begin at the same time. */
const BETWEEN_DOWNLOADS_MS = 400;

function allTool(items: readonly WebMedia[], named: Named, renew: () => void): HTMLElement {
  const each = ({ downloadUrl, fileName }: WebMedia): void => h('a', { href: downloadUrl, download: fileName }).click();
  return toolButton('all', text('downloadAll'), named, () => {
    if (items.some(isExpired)) return renew();
    for (const [index, media] of items.entries()) setTimeout(each, index * BETWEEN_DOWNLOADS_MS, media);
  });
}
