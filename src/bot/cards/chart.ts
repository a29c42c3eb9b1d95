export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The rectangle that a chart covers on its card. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The points of a curve through `values`, evenly spaced from left to right; `range.max` is at the top of the area. */
export function pointsIn(area: Area, values: readonly number[], range: { min: number; max: number }): readonly Point[] {
  const step = values.length > 1 ? area.width / (values.length - 1) : 0;
  const span = range.max - range.min || 1;
  return values.map((value, index) => ({
    x: area.left + index * step,
    y: area.top + area.height * (1 - (value - range.min) / span),
  }));
}

/** SVG path data of a line through the points. */
export function linePath(points: readonly Point[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}

/** SVG path data of the area between the line and the bottom of the chart. */
export function areaPath(points: readonly Point[], { top, height }: Area): string {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return '';
  const foot = (top + height).toFixed(1);
  return `${linePath(points)}L${last.x.toFixed(1)} ${foot}L${first.x.toFixed(1)} ${foot}Z`;
}

/** Reduces values to at most `count`: each stretch is replaced by its peak, because people look for peaks. */
export function peaksOf(values: readonly number[], count: number): readonly number[] {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * values.length) / count);
    const to = Math.max(from + 1, Math.floor(((index + 1) * values.length) / count));
    return values.slice(from, to).reduce((peak, value) => Math.max(peak, value), 0);
  });
}

/** A round step for labels (1, 2 or 5 times a power of ten), of which about `count` fit into `span`. */
export function roundStep(span: number, count: number): number {
  const rough = Math.max(span, Number.MIN_VALUE) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find(times => times * power >= rough) ?? 10);
}
