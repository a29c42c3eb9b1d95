import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../errors.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Logger } from '../../infra/log.ts';
import type { CardTheme, Picture, SvgRasterizer } from '../contract/picture.ts';
import { fontFilesOf, TYPEFACE } from './typefaces.ts';

/** @param maxBytes the most bytes of drawn images in memory */
export function createSvgRasterizer({ maxBytes = 16 * 1024 * 1024 } = {}): SvgRasterizer {
  const drawn = new LRUCache<string, Buffer, string>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => Math.max(1, length),
    // Callers who ask for the same image at the same time wait for one drawing.
    fetchMethod: (_key, _stale, { context }) => drawSvg(context),
  });

  return {
    picture(name, render, { width, height }) {
      const svg = render('dark');
      const key = `${name}-${createHash('sha256').update(svg).digest('hex').slice(0, 24)}`;
      const draw = (theme: CardTheme = 'dark') =>
        theme === 'dark'
          ? drawn.forceFetch(key, { context: svg })
          : drawn.forceFetch(`${key}-${theme}`, { context: render(theme) });
      return { key, width, height, svg, draw };
    },
  };
}

/** Draws an SVG as PNG. @throws AppError `internal` when it cannot be drawn */
export async function drawSvg(svg: string): Promise<Buffer> {
  try {
    // The library is loaded only for the first card, because many processes never draw one.
    const { renderAsync } = await import('@resvg/resvg-js');
    const texts = Array.from(svg.matchAll(/>([^<]+)</g), ([, text = '']) => text).join('');
    const image = await renderAsync(svg, {
      // Only the needed fonts are loaded, because loading all of a system's fonts takes seconds.
      font: { loadSystemFonts: false, fontFiles: [...fontFilesOf(texts)], defaultFontFamily: TYPEFACE },
      logLevel: 'off',
    });
    return image.asPng();
  } catch (cause) {
    throw new AppError('internal', 'an image card could not be drawn', { cause });
  }
}

/** The longest time for drawing, in milliseconds; after it the reply is sent without the image card. */
const PATIENCE_MS = 8_000;

/** The PNG of a card; undefined when it was not drawn in time, so that its `alt` text is shown. Never rejects. */
export async function drawPicture(picture: Picture, log: Pick<Logger, 'warn'>): Promise<Buffer | undefined> {
  try {
    const drawn = await abortable(picture.draw(), AbortSignal.timeout(PATIENCE_MS));
    if (drawn.length === 0) throw new Error('nothing was drawn');
    return drawn;
  } catch (error) {
    log.warn({ err: error, picture: picture.key }, 'an image card could not be drawn');
    return undefined;
  }
}
