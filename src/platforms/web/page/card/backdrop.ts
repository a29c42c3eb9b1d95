import { h } from '../base/dom.ts';
import type { WebMedia } from '../base/protocol.ts';
import { whenNear } from './media.ts';

/** So few, stretched over a card, are out of focus by themselves. A blur filter drops a frame each time that it comes into sight. */
const PIXELS = 8;
const SMOOTH_PIXELS = 32;
/** How much of it shines through the stage. */
const LIGHT = 0.6;

/** A file that is narrower than its place is shown out of focus on its own sides. */
export function backdrop(media: WebMedia): HTMLElement | undefined {
  const src = media.kind === 'image' ? media.src : media.poster;
  if (src === null || media.spoiler || Date.now() >= media.expiresAt) return undefined;
  const canvas = h('canvas', { class: 'backdrop', width: SMOOTH_PIXELS, height: SMOOTH_PIXELS, 'aria-hidden': 'true' });
  // A file that does not come leaves the stage dark; its own place says so.
  whenNear(canvas, () => fill(canvas, src).catch(() => undefined));
  return canvas;
}

async function fill(canvas: HTMLCanvasElement, src: string): Promise<void> {
  const image = new Image();
  image.src = src;
  await image.decode();
  const few = h('canvas', { width: PIXELS, height: PIXELS });
  draw(few, image, PIXELS, 1);
  draw(canvas, few, SMOOTH_PIXELS, LIGHT);
}

function draw(canvas: HTMLCanvasElement, source: CanvasImageSource, size: number, light: number): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  context.imageSmoothingQuality = 'high';
  context.globalAlpha = light;
  context.drawImage(source, 0, 0, size, size);
}
