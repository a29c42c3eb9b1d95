export interface Quantiles {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

export interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** The values below which a fifth, half and four fifths of the weight lie; undefined of nothing. */
export function quantilesOf(values: readonly Weighted[]): Quantiles | undefined {
  const sorted = values.filter(({ weight }) => weight > 0).toSorted((a, b) => a.value - b.value);
  const whole = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const [first] = sorted;
  if (first === undefined) return undefined;
  const at = (share: number) => {
    let sum = 0;
    for (const { value, weight } of sorted) {
      sum += weight;
      if (sum >= share * whole) return value;
    }
    return first.value;
  };
  return { low: at(0.2), middle: at(0.5), high: at(0.8) };
}
