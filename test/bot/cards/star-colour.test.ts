import { describe, expect, it } from 'vitest';
import { starColour, starSwatch } from '../../../src/bot/cards/star-colour.ts';

describe('star colours', () => {
  it.each([
    [0, '#aaaaaa'],
    [0.1, '#4290fb'],
    [1.25, '#4fc0ff'],
    [2.5, '#7cff4f'],
    [4.9, '#ff4e6f'],
    [6.7, '#6563de'],
    [9, '#000000'],
    [14, '#000000'],
  ])('%d stars are %s', (stars, colour) => {
    expect(starColour(stars)).toBe(colour);
  });

  it('blends between the stops, in linear light', () => {
    // Halfway between #4fffd5 and #7cff4f.
    expect(starColour(2.25)).toBe('#68ffa3');
  });

  it.each([
    [0, '⚪'],
    [1.2, '🔵'],
    [2.2, '🟢'],
    [3.3, '🟡'],
    [4.2, '🟠'],
    [4.9, '🔴'],
    [5.8, '🟣'],
    [9.5, '⚫'],
  ])('%d stars are shown as %s in text', (stars, symbol) => {
    expect(starSwatch(stars)).toEqual({ kind: 'swatch', colour: starColour(stars), symbol });
  });
});
