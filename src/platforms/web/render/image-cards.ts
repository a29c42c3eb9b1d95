import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Picture, Theme } from '../../../bot/contract/reply.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { Logger } from '../../../infra/log.ts';

export interface ImageCardsOptions {
  /** Held at most, in bytes. */
  readonly maxBytes: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Image cards of sent replies, as long as there is room for them. */
export interface ImageCards {
  /** Can be drawn from now on. */
  add(card: Picture): void;
  /** PNG, drawn when it is first asked for in that theme; undefined for one that is unknown, gone, or cannot be drawn. */
  read(key: string, theme: Theme): Promise<Buffer | undefined>;
}

/** Cards that can be drawn, in whichever theme; what was drawn of them may stay longer. */
const MAX_CARDS = 500;

/** A path on this server. */
export function imageCardAddress(key: string): string {
  return `/picture/${key}.png`;
}

export function createImageCards({ maxBytes, log }: ImageCardsOptions): ImageCards {
  const cards = createLru<string, Picture>({ max: MAX_CARDS });
  const drawn = new LRUCache<string, Buffer>({ maxSize: maxBytes, sizeCalculation: png => Math.max(1, png.length) });
  const drawing = new Map<string, Promise<Buffer | undefined>>();

  /** Never rejects. */
  async function drawNow(id: string, card: Picture, theme: Theme): Promise<Buffer | undefined> {
    try {
      const png = await card.draw(theme);
      drawn.set(id, png);
      return png;
    } catch (error) {
      log.warn({ err: error, card: card.key }, 'web chat: an image card could not be drawn');
      return undefined;
    }
  }

  return {
    add(card) {
      cards.set(card.key, card);
    },
    async read(key, theme) {
      const id = `${key} ${theme}`;
      const card = cards.get(key);
      const known = drawing.get(id) ?? drawn.get(id);
      if (known !== undefined || card === undefined) return known;
      const work = drawNow(id, card, theme).finally(() => drawing.delete(id));
      drawing.set(id, work);
      return work;
    },
  };
}

/** Same key, same image: it may be kept for as long as one likes. What is not there may be there later. */
const KEPT = 'public, max-age=604800, immutable';

/** `/picture/<key>.png`, dark, or light with `?theme=light`. */
export function registerImageCards(server: FastifyInstance, cards: Pick<ImageCards, 'read'>): void {
  server.get<{ Params: { key: string }; Querystring: { theme?: unknown } }>(
    '/picture/:key.png',
    async (request, reply) => {
      const png = await cards.read(request.params.key, request.query.theme === 'light' ? 'light' : 'dark');
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
    },
  );
}
