import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Picture } from '../../../bot/reply.ts';
import type { ChatLog } from '../incoming/request-queue.ts';

export interface ImageCardsOptions {
  /** Held at most, in bytes. */
  readonly maxBytes: number;
  readonly log: Pick<ChatLog, 'warn'>;
}

/** Image cards of sent replies, as long as there is room for them. */
export interface ImageCards {
  /** Begins to draw, unless it is drawn already. Never throws. */
  draw(card: Picture): void;
  /** PNG, when it is drawn; undefined for one that is unknown, gone, or could not be drawn. */
  read(key: string): Promise<Buffer | undefined>;
}

/** A path on this server. */
export function imageCardAddress(key: string): string {
  return `/picture/${key}.png`;
}

export function createImageCards({ maxBytes, log }: ImageCardsOptions): ImageCards {
  const drawn = new LRUCache<string, Buffer>({ maxSize: maxBytes, sizeCalculation: png => Math.max(1, png.length) });
  const drawing = new Map<string, Promise<Buffer | undefined>>();

  /** Never rejects. */
  async function drawNow(card: Picture): Promise<Buffer | undefined> {
    try {
      const png = await card.draw();
      drawn.set(card.key, png);
      return png;
    } catch (error) {
      log.warn({ err: error, card: card.key }, 'web chat: an image card could not be drawn');
      return undefined;
    }
  }

  return {
    draw(card) {
      // Touched, so that it stays for the pages that are sent its address now.
      if (drawn.get(card.key) || drawing.has(card.key)) return;
      const work = drawNow(card).finally(() => drawing.delete(card.key));
      drawing.set(card.key, work);
    },
    read: async key => drawing.get(key) ?? drawn.get(key),
  };
}

/** Same key, same image: it may be kept for as long as one likes. What is not there may be there later. */
const KEPT = 'public, max-age=604800, immutable';

/** `/picture/<key>.png`: waits for a card that is still being drawn. */
export function registerImageCards(server: FastifyInstance, cards: Pick<ImageCards, 'read'>): void {
  server.get<{ Params: { key: string } }>('/picture/:key.png', async (request, reply) => {
    const png = await cards.read(request.params.key);
    if (!png) return reply.code(404).header('cache-control', 'no-store').type('text/plain').send('No such image.\n');
    return reply
      .headers({
        'cache-control': KEPT,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      .type('image/png')
      .send(png);
  });
}
