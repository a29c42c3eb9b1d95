import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Picture } from '../../../../src/bot/reply.ts';
import {
  createImageCards,
  imageCardAddress,
  registerImageCards,
} from '../../../../src/platforms/web/render/image-cards.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

function pictureOf(key: string, draw: Picture['draw'] = async () => PNG): Picture {
  return { key, width: 8, height: 8, draw };
}

function setUp(maxBytes = 1_000) {
  const warnings: string[] = [];
  const pictures = createImageCards({ maxBytes, log: { warn: (_, message) => void warnings.push(message) } });
  const server = fastify();
  registerImageCards(server, pictures);
  onTestFinished(() => server.close());
  return { pictures, warnings, get: (key: string) => server.inject(imageCardAddress(key)) };
}

describe('image cards', () => {
  it('are drawn once, served at their own address and kept by browsers', async () => {
    const { pictures, get } = setUp();
    let count = 0;
    const picture = pictureOf('strain-4-HD-DT', async () => {
      count += 1;
      return PNG;
    });
    pictures.draw(picture);
    pictures.draw(picture);
    const response = await get('strain-4-HD-DT');
    pictures.draw(picture);
    expect(count).toBe(1);
    expect(response.statusCode).toBe(200);
    expect(response.rawPayload.equals(PNG)).toBe(true);
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=604800, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('are waited for while they are being drawn', async () => {
    const { pictures, get } = setUp();
    let finish: (png: Buffer) => void = () => undefined;
    pictures.draw(pictureOf('slow', () => new Promise(resolve => (finish = resolve))));
    const asked = get('slow');
    finish(PNG);
    expect((await asked).statusCode).toBe(200);
  });

  it('that cannot be drawn are not there, are logged, and may be drawn again', async () => {
    const { pictures, warnings, get } = setUp();
    pictures.draw(pictureOf('broken', () => Promise.reject(new Error('no glyphs'))));
    const response = await get('broken');
    expect([response.statusCode, response.headers['cache-control']]).toEqual([404, 'no-store']);
    expect(warnings).toHaveLength(1);
    pictures.draw(pictureOf('broken'));
    expect((await get('broken')).statusCode).toBe(200);
  });

  it('that throw at once do no harm either', async () => {
    const { pictures, warnings, get } = setUp();
    pictures.draw(
      pictureOf('throws', () => {
        throw new Error('at once');
      }),
    );
    expect((await get('throws')).statusCode).toBe(404);
    expect(warnings).toHaveLength(1);
    pictures.draw(pictureOf('throws'));
    expect((await get('throws')).statusCode).toBe(200);
  });

  it('make room for newer ones by their bytes', async () => {
    const { pictures, get } = setUp(2 * PNG.length);
    for (const key of ['one', 'two']) pictures.draw(pictureOf(key));
    await Promise.all(['one', 'two'].map(get));
    // Told of again, so the other is the oldest.
    pictures.draw(pictureOf('one'));
    pictures.draw(pictureOf('three'));
    await get('three');
    expect(await Promise.all(['one', 'two', 'three'].map(async key => (await get(key)).statusCode))).toEqual([
      200, 404, 200,
    ]);
  });
});
