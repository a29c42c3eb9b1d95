import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { CardTheme, Picture } from '../../../bot/contract/picture.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import type { Logger } from '../../../infra/log.ts';

/** How many cards are remembered, to be drawn on request; images drawn from older cards may still be in memory. */
const MAX_CARDS = 500;

/** The path of an image card on this server. */
export function imageCardAddress(key: string): string {
  return `/picture/${key}.png`;
}

interface Drawing {
  /** The card to draw; undefined for an unknown key. */
  readonly card: Picture | undefined;
  readonly theme: CardTheme;
}

export type ImageCards = ReturnType<typeof createImageCards>;

/**
 * Image cards of sent replies, kept in memory as long as there is room.
 * @param maxBytes the most bytes of drawn images in memory
 */
export function createImageCards(maxBytes: number, log: Pick<Logger, 'warn'>) {
  const cards = createLru<string, Picture>({ max: MAX_CARDS });
  const drawn = new LRUCache<string, Buffer, Drawing>({
    maxSize: maxBytes,
    sizeCalculation: png => Math.max(1, png.length),
    // If an image is displaced from the cache while it is being drawn, those who wait for it still get it.
    ignoreFetchAbort: true,
    async fetchMethod(_id, _stale, { context: { card, theme } }) {
      try {
        return await card?.draw(theme);
      } catch (error) {
        log.warn({ err: error, card: card?.key }, 'web chat: an image card could not be drawn');
        return undefined;
      }
    },
  });

  return {
    /** Remembers the card, so that the page can request its image. */
    add: (card: Picture) => void cards.set(card.key, card),
    /** The PNG, drawn when first requested in that theme; undefined for an unknown card, or one that cannot be drawn. */
    read: (key: string, theme: CardTheme): Promise<Buffer | undefined> =>
      drawn.fetch(`${key} ${theme}`, { context: { card: cards.get(key), theme } }),
  };
}

/** The cache header of an image: a key always means the same image. The answer for a missing image is not cached. */
const KEPT = 'public, max-age=604800, immutable';

/** Serves `/picture/<key>.png` in the dark theme, or in the light one with `?theme=light`. */
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
