import { h } from '../base/dom.ts';
import type { WebMedia } from '../base/protocol.ts';
import { isExpired, whenNear } from './media.ts';

/**
 * The width and height in pixels to which a file is shrunk for its blurred copy: stretched to the box, it looks
 * blurred. A blur filter would drop a frame whenever it scrolls into view.
 */
const PIXELS = 8;
const SMOOTH_PIXELS = 32;
/** The opacity of the blurred copy. */
const LIGHT = 0.6;

/** A blurred copy of a file that is narrower than its box, shown to the left and right of it. */
export function backdrop(media: WebMedia): HTMLElement | undefined {
  const src = media.kind === 'image' ? media.src : media.poster;
  if (src === null || media.spoiler || isExpired(media)) return undefined;
  const canvas = h('canvas', { class: 'backdrop', width: SMOOTH_PIXELS, height: SMOOTH_PIXELS, 'aria-hidden': 'true' });
  // If the file cannot be loaded the sides stay dark; the file's own element shows the error.
  whenNear(canvas, () => fill(canvas, src).catch(() => undefined));
  return canvas;
}

async function fill(canvas: HTMLCanvasElement, src: string): Promise<void> {
  const file = await (await fetch(src)).blob();
  // Unlike an image element that is drawn, a bitmap of a file is decoded in another thread.
  const few = await createImageBitmap(file, { resizeWidth: PIXELS, resizeHeight: PIXELS, resizeQuality: 'medium' });
  const context = canvas.getContext('2d');
  if (!context) return;
  context.imageSmoothingQuality = 'high';
  context.globalAlpha = LIGHT;
  context.drawImage(few, 0, 0, SMOOTH_PIXELS, SMOOTH_PIXELS);
}
