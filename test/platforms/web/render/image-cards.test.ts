import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Picture } from '../../../../src/bot/contract/picture.ts';
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
  const pictures = createImageCards(maxBytes, { warn: (_, message) => void warnings.push(message) });
  const server = fastify();
  registerImageCards(server, pictures);
  onTestFinished(() => server.close());
  return { pictures, warnings, get: (key: string, query = '') => server.inject(imageCardAddress(key) + query) };
}

describe('image cards', () => {
  it('are drawn once a theme when they are asked for, served at their own address and kept by browsers', async () => {
    const { pictures, get } = setUp();
    const themes: unknown[] = [];
    const light = Buffer.concat([PNG, Buffer.of(1)]);
    const picture = pictureOf('strain-4-HD-DT', async theme => {
      themes.push(theme);
      return theme === 'light' ? light : PNG;
    });
    pictures.add(picture);
    expect(themes).toEqual([]);
    const [response, other] = await Promise.all([get(picture.key), get(picture.key)]);
    pictures.add(picture);
    await get(picture.key, '?theme=dark');
    await get(picture.key, '?theme=%3Cscript%3E');
    expect(themes).toEqual(['dark']);
    expect(response.statusCode).toBe(200);
    expect(response.rawPayload.equals(PNG)).toBe(true);
    expect(other.rawPayload.equals(PNG)).toBe(true);
    expect((await get(picture.key, '?theme=light')).rawPayload.equals(light)).toBe(true);
    expect(themes).toEqual(['dark', 'light']);
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=604800, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('that are unknown are not there', async () => {
    const response = await setUp().get('nothing');
    expect([response.statusCode, response.headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it('that cannot be drawn are not there, are logged, and may be drawn again', async () => {
    const { pictures, warnings, get } = setUp();
    pictures.add(pictureOf('broken', () => Promise.reject(new Error('no glyphs'))));
    const response = await get('broken');
    expect([response.statusCode, response.headers['cache-control']]).toEqual([404, 'no-store']);
    expect(warnings).toHaveLength(1);
    pictures.add(pictureOf('broken'));
    expect((await get('broken')).statusCode).toBe(200);
  });

  it('that throw at once do no harm either', async () => {
    const { pictures, warnings, get } = setUp();
    pictures.add(
      pictureOf('throws', () => {
        throw new Error('at once');
      }),
    );
    expect((await get('throws')).statusCode).toBe(404);
    expect(warnings).toHaveLength(1);
    pictures.add(pictureOf('throws'));
    expect((await get('throws')).statusCode).toBe(200);
  });

  it('make room for newer ones by their bytes, and are then drawn again', async () => {
    const { pictures, get } = setUp(2 * PNG.length);
    const drawn: string[] = [];
    const keys = ['one', 'two', 'three'];
    for (const key of keys) {
      pictures.add(
        pictureOf(key, async () => {
          drawn.push(key);
          return PNG;
        }),
      );
      expect((await get(key)).statusCode).toBe(200);
    }
    for (const key of ['three', 'two', 'one']) expect((await get(key)).statusCode).toBe(200);
    expect(drawn).toEqual([...keys, 'one']);
  });
});
