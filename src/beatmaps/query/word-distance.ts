interface WordDistanceOptions {
  readonly most: number;
  readonly isBeginningEnough: boolean;
}

/**
 * Letters to insert, remove, replace or swap with their neighbour until `word` is `other`, or a beginning of it: optimal string
 * alignment, looked for only as far as `most` of them reach.
 *
 * @returns undefined when it takes more than `most`
 */
export function wordDistance(
  word: string,
  other: string,
  { most, isBeginningEnough }: WordDistanceOptions,
): number | undefined {
  const width = word.length;
  const height = Math.min(other.length, width + most);
  if (height < width - most || (!isBeginningEnough && other.length > height)) return undefined;
  const far = most + 1;
  const lines = [Array.from({ length: width + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => lines[row]?.[column] ?? far;

  function distanceAt(row: number, column: number): number {
    const isSame = word[column - 1] === other[row - 1];
    const replaced = at(row - 1, column - 1) + (isSame ? 0 : 1);
    const least = Math.min(replaced, at(row - 1, column) + 1, at(row, column - 1) + 1);
    const isSwap = word[column - 1] === other[row - 2] && word[column - 2] === other[row - 1];
    return isSwap ? Math.min(least, at(row - 2, column - 2) + 1) : least;
  }

  for (let row = 1; row <= height; row += 1) {
    const line = new Array<number>(width + 1).fill(far);
    if (row <= most) line[0] = row;
    lines.push(line);
    for (let column = Math.max(1, row - most); column <= Math.min(width, row + most); column += 1) {
      line[column] = distanceAt(row, column);
    }
  }
  const distances = isBeginningEnough ? lines.map(line => line[width] ?? far) : [at(height, width)];
  const distance = Math.min(...distances);
  return distance > most ? undefined : distance;
}
