import { h } from '../base/dom.ts';

/** A spot of a colour, such as a difficulty's. */
export function swatch(colour: string): HTMLElement {
  const spot = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  spot.style.setProperty('--colour', colour);
  return spot;
}

/** A coloured label, such as a difficulty's stars as osu! shows them. */
export function pill(words: string, colour: string): HTMLElement {
  const shown = h('span', { class: 'pill' }, words);
  shown.style.setProperty('--colour', colour);
  shown.style.setProperty('--on-colour', inkOn(colour));
  return shown;
}

const DARK_INK = '#10171a';
const LIGHT_INK = '#ffffff';
const GOLD_INK = '#ffe08a';

/** The text colour that is most readable on `colour`; on the darkest colours gold, as in osu!. */
function inkOn(colour: string): string {
  const light = luminance(colour);
  if (light < 0.05) return GOLD_INK;
  return contrast(light, luminance(DARK_INK)) >= contrast(light, 1) ? DARK_INK : LIGHT_INK;
}

/** The contrast of two relative luminances, by WCAG 2.2. */
function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** The relative luminance of `#rrggbb`, from 0 to 1. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
