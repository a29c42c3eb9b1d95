import { h } from '../base/dom.ts';

/** A spot of a colour that means something. */
export function swatch(colour: string): HTMLElement {
  const spot = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  spot.style.setProperty('--colour', colour);
  return spot;
}

/** How hard something is, on its colour, as osu! shows it. */
export function pill(words: string, colour: string): HTMLElement {
  const shown = h('span', { class: 'pill' }, words);
  shown.style.setProperty('--colour', colour);
  shown.style.setProperty('--on-colour', inkOn(colour));
  return shown;
}

const DARK_INK = '#10171a';
const LIGHT_INK = '#ffffff';
const GOLD_INK = '#ffe08a';

/** The text colour that is read best on it; the darkest levels have gold, as osu! has. */
function inkOn(colour: string): string {
  const light = luminance(colour);
  if (light < 0.05) return GOLD_INK;
  return contrast(light, luminance(DARK_INK)) >= contrast(light, 1) ? DARK_INK : LIGHT_INK;
}

/** WCAG 2.2: of two relative luminances. */
function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Relative, 0 to 1, of `#rrggbb`. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
