import { describe, expect, it } from 'vitest';
import { cardMarkup, label } from '../../../src/bot/cards/shapes.ts';
import { createSvgRasterizer } from '../../../src/bot/cards/svg-rasterizer.ts';
import { LOOKS } from '../../../src/bot/cards/theme.ts';
import type { CardTheme } from '../../../src/bot/contract/picture.ts';

const SIZE = { width: 80, height: 40 };

function drawing(text: string) {
  return (theme: CardTheme) =>
    cardMarkup(SIZE, LOOKS[theme], [label(text, { x: 4, y: 30, size: 24, colour: LOOKS[theme].ink })]);
}

describe('painter', () => {
  it('gives equal drawings one key, and others another', () => {
    const painter = createSvgRasterizer();
    const key = painter.picture('card', drawing('a'), SIZE).key;
    expect(key).toMatch(/^card-[0-9a-f]{24}$/);
    expect(painter.picture('card', drawing('a'), SIZE).key).toBe(key);
    expect(painter.picture('card', drawing('b'), SIZE).key).not.toBe(key);
  });

  it('draws once for all who ask at the same time and after', async () => {
    const painter = createSvgRasterizer();
    const picture = painter.picture('card', drawing('a'), SIZE);
    const [first, second] = await Promise.all([picture.draw(), picture.draw()]);
    expect(second).toBe(first);
    expect(await painter.picture('card', drawing('a'), SIZE).draw()).toBe(first);
  });

  it('draws each theme, dark where none is asked for', async () => {
    const picture = createSvgRasterizer().picture('card', drawing('a'), SIZE);
    const [plain, dark, light] = [await picture.draw(), await picture.draw('dark'), await picture.draw('light')];
    expect(plain).toBe(dark);
    expect(light.equals(dark)).toBe(false);
    expect(await picture.draw('light')).toBe(light);
  });

  it('keeps no more than it may', async () => {
    const painter = createSvgRasterizer({ maxBytes: 1 });
    const picture = painter.picture('card', drawing('a'), SIZE);
    const first = await picture.draw();
    const again = await picture.draw();
    expect(again).not.toBe(first);
    expect(again.equals(first)).toBe(true);
  });

  it('draws letters: no two texts look the same', async () => {
    const painter = createSvgRasterizer();
    const images = await Promise.all(
      ['', 'a', 'é', 'Ж', 'Ω', '–'].map(text => painter.picture('t', drawing(text), SIZE).draw()),
    );
    expect(new Set(images.map(png => png.toString('base64'))).size).toBe(6);
  });

  it('says so when it cannot', async () => {
    const broken = createSvgRasterizer().picture('card', () => '<svg', SIZE);
    await expect(broken.draw()).rejects.toMatchObject({ code: 'internal', cause: expect.anything() });
  });
});
