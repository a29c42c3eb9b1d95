/**
 * Letters to insert, remove, replace or swap with their neighbour until `word` is `other`, or a beginning of it: optimal string
 * alignment, looked for only as far as `most` of them reach.
 *
 * @returns undefined when it takes more than `most`
 */
export function wordDistance(
  word: string,
  other: string,
  { most, isBeginningEnough }: { readonly most: number; readonly isBeginningEnough: boolean },
): number | undefined {
  const width = word.length;
  const height = Math.min(other.length, width + most);
  if (height < width - most || (!isBeginningEnough && other.length > height)) return undefined;
  const far = most + 1;
  let before: number[] = [];
  let above = Array.from({ length: width + 1 }, (_, column) => column);
  let best = isBeginningEnough ? width : far;
  for (let row = 1; row <= height; row += 1) {
    const line: number[] = new Array(width + 1).fill(far);
    const first = Math.max(1, row - most);
    if (first === 1) line[0] = row;
    for (let column = first; column <= Math.min(width, row + most); column += 1) {
      const isSame = word[column - 1] === other[row - 1];
      const replaced = (above[column - 1] ?? far) + (isSame ? 0 : 1);
      let least = Math.min(replaced, (above[column] ?? far) + 1, (line[column - 1] ?? far) + 1);
      const isSwap =
        row > 1 && column > 1 && word[column - 1] === other[row - 2] && word[column - 2] === other[row - 1];
      if (isSwap) least = Math.min(least, (before[column - 2] ?? far) + 1);
      line[column] = least;
    }
    before = above;
    above = line;
    if (isBeginningEnough) best = Math.min(best, line[width] ?? far);
  }
  const distance = isBeginningEnough ? best : (above[width] ?? far);
  return distance > most ? undefined : distance;
}
