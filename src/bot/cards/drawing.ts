import type { Logger } from '../../infra/log.ts';
import type { Picture } from '../contract/picture.ts';

/** The longest time for drawing, in milliseconds; after it the reply is sent without the image card. */
const PATIENCE_MS = 8_000;

/** The PNG of a card; undefined when it was not drawn in time, so that its `alt` text is shown. Never rejects. */
export async function drawPicture(picture: Picture, log: Pick<Logger, 'warn'>): Promise<Buffer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('drawing took too long')), PATIENCE_MS);
  });
  try {
    const drawn = await Promise.race([picture.draw(), late]);
    if (drawn.length === 0) throw new Error('nothing was drawn');
    return drawn;
  } catch (error) {
    log.warn({ err: error, picture: picture.key }, 'an image card could not be drawn');
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
