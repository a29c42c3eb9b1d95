/** The contrast of two colours such as `#0b6b5d`, from 1 to 21, by WCAG 2. */
export function contrast(one: string, other: string): number {
  const light = (colour: string) =>
    [1, 3, 5]
      .map(at => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, index) => sum + part * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
  const [dark = 0, bright = 0] = [light(one), light(other)].toSorted((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}
