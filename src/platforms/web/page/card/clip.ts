import { h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebMedia } from '../base/protocol.ts';
import { listed, text } from '../base/texts.ts';
import { isExpired, keepWithin } from './media.ts';
import { type Named, showSaving, toolButton } from './saving.ts';

const SHORTEST_S = 0.5;
/** The longest part that the server cuts, in seconds. */
const LONGEST_S = 300;
const STEP_S = 0.1;
/** The length in seconds of the part that is chosen at first. */
const FIRST_S = 15;

/**
 * Lets the reader choose a part of a video by two handles below the player, which plays that part.
 * @returns the button that opens the choice, and its row: the handles, and the link that saves the part between them
 */
export function clipChoice(videoOf: () => HTMLVideoElement | null, named: Named) {
  const from = handle('clipStart');
  const to = handle('clipEnd');
  const span = h('output', { class: 'clip-span' });
  const link = h('a', { class: 'action' });
  const track = h('div', { class: 'clip-track' }, from, to);
  const row = h('div', { class: 'clip-choice', hidden: true }, track, span, link);
  const label = text('clip');
  const tool = toolButton('clip', label, named, () => open(row.hidden !== false));
  let shown: WebMedia | undefined;
  let watched: HTMLVideoElement | null = null;

  function open(isOpen: boolean): void {
    row.hidden = !isOpen;
    tool.setAttribute('aria-expanded', `${isOpen}`);
    if (!isOpen) return;
    watch();
    from.focus();
  }

  /** While the choice is open, keeps the player within the chosen part of its video. */
  function watch(): void {
    const video = videoOf();
    if (video === null || video === watched) return;
    watched = video;
    keepWithin(video, () => (row.hidden || watched !== video ? undefined : { from: start(), to: end() }));
  }

  const start = (): number => Number(from.value);
  const end = (): number => Number(to.value);
  const addressOf = (url: string) => `${url}&from=${start().toFixed(1)}&to=${end().toFixed(1)}`;

  function moved(own: HTMLInputElement): void {
    if (own === from) pushEnd(from, to);
    else pushStart(from, to);
    watch();
    const video = videoOf();
    if (video !== null) video.currentTime = Number(own.value);
    show();
  }

  function show(): void {
    const length = Number(to.max) || 1;
    track.style.setProperty('--from', `${(start() / length) * 100}%`);
    track.style.setProperty('--to', `${(end() / length) * 100}%`);
    for (const each of [from, to]) each.setAttribute('aria-valuetext', moment(Number(each.value)));
    span.textContent = `${moment(start())} – ${moment(end())}`;
    if (shown?.clipUrl !== undefined) link.href = addressOf(shown.clipUrl);
    link.classList.remove('saving');
    link.replaceChildren(icon('clip'), h('span', { class: 'download-facts' }, text('download')));
    link.setAttribute('aria-label', named(listed([text('download'), label])));
  }

  for (const each of [from, to]) each.addEventListener('input', () => moved(each));
  row.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    open(false);
    tool.focus();
  });
  showSaving(link, () => {
    if (shown?.clipUrl === undefined) return undefined;
    return { downloadUrl: addressOf(shown.clipUrl), fileName: link.download, restore: show };
  });

  return {
    tool,
    row,
    /** Offers the choice for another file of the post, when the reader turns to it. */
    offer(media: WebMedia): void {
      shown = media;
      tool.hidden = media.clipUrl === undefined || isExpired(media);
      open(false);
      const length = (media.durationMs ?? 0) / 1_000;
      for (const each of [from, to]) each.max = length.toFixed(1);
      from.value = '0';
      to.value = `${Math.min(FIRST_S, length)}`;
      link.download = media.fileName.replace(/(\.\w{1,5})?$/, '-clip.mp4');
      show();
    },
  };
}

/** Keeps the part within its shortest and longest length, after the reader moved its start. */
function pushEnd(from: HTMLInputElement, to: HTMLInputElement): void {
  const start = Math.min(Number(from.value), Number(to.max) - SHORTEST_S);
  from.value = `${start}`;
  to.value = `${Math.min(Math.max(Number(to.value), start + SHORTEST_S), start + LONGEST_S)}`;
}

/** Keeps the part within its shortest and longest length, after the reader moved its end. */
function pushStart(from: HTMLInputElement, to: HTMLInputElement): void {
  const end = Math.max(Number(to.value), SHORTEST_S);
  to.value = `${end}`;
  from.value = `${Math.max(Math.min(Number(from.value), end - SHORTEST_S), end - LONGEST_S)}`;
}

function handle(key: 'clipStart' | 'clipEnd'): HTMLInputElement {
  return h('input', { type: 'range', min: 0, step: STEP_S, 'aria-label': text(key) });
}

/** Writes seconds as `1:05.5`. */
function moment(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const whole = `${Math.floor(tenths / 10) % 60}`.padStart(2, '0');
  return `${Math.floor(tenths / 600)}:${whole}${tenths % 10 === 0 ? '' : `.${tenths % 10}`}`;
}
