import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Picture } from '../../../bot/reply.ts';
import type { ChatLog } from '../incoming/request-queue.ts';

export interface PicturesOptions {
  /** Held at most, in bytes. */
  readonly maxBytes: number;
  readonly log: Pick<ChatLog, 'warn'>;
}

/** Pictures of sent replies, as long as there is room for them. */
export interface Pictures {
  /** Begins to draw, unless it is drawn already. Never throws. */
  draw(picture: Picture): void;
  /** PNG, when it is drawn; undefined for one that is unknown, gone, or could not be drawn. */
  read(key: string): Promise<Buffer | undefined>;
}

/** A path on this server. */
export function pictureAddress(key: string): string {
  return `/picture/${key}.png`;
}

export function createPictures({ maxBytes, log }: PicturesOptions): Pictures {
  const drawn = new LRUCache<string, Buffer>({ maxSize: maxBytes, sizeCalculation: png => Math.max(1, png.length) });
  const drawing = new Map<string, Promise<Buffer | undefined>>();

  /** Never rejects. */
  async function drawNow(picture: Picture): Promise<Buffer | undefined> {
    try {
      const png = await picture.draw();
      drawn.set(picture.key, png);
      return png;
    } catch (error) {
      log.warn({ err: error, picture: picture.key }, 'web chat: a picture could not be drawn');
      return undefined;
    }
  }

  return {
    draw(picture) {
      // Touched, so that it stays for those who are told of it now.
      if (drawn.get(picture.key) || drawing.has(picture.key)) return;
      const work = drawNow(picture).finally(() => drawing.delete(picture.key));
      drawing.set(picture.key, work);
    },
    read: async key => drawing.get(key) ?? drawn.get(key),
  };
}

/** Same key, same picture: it may be kept for as long as one likes. What is not there may be there later. */
const KEPT = 'public, max-age=604800, immutable';

/** `/picture/<key>.png`: waits for a picture that is still being drawn. */
export function registerPictures(server: FastifyInstance, pictures: Pick<Pictures, 'read'>): void {
  server.get<{ Params: { key: string } }>('/picture/:key.png', async (request, reply) => {
    const png = await pictures.read(request.params.key);
    if (!png) return reply.code(404).header('cache-control', 'no-store').type('text/plain').send('No such picture.\n');
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
