/**
 * Letters to insert, remove, replace or swap with their neighbour until `word` is `other`, or a beginning of it.
 * (Optimal string alignment; both are short.)
 */
export function wordDistance(word: string, other: string, isBeginningEnough: boolean): number {
  const width = word.length;
  let before: number[] = [];
  let above = Array.from({ length: width + 1 }, (_, column) => column);
  let best = width;
  for (let row = 1; row <= other.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= width; column += 1) {
      const isSame = word[column - 1] === other[row - 1];
      const replaced = (above[column - 1] ?? 0) + (isSame ? 0 : 1);
      let least = Math.min(replaced, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1);
      const isSwap =
        row > 1 && column > 1 && word[column - 1] === other[row - 2] && word[column - 2] === other[row - 1];
      if (isSwap) least = Math.min(least, (before[column - 2] ?? 0) + 1);
      line.push(least);
    }
    before = above;
    above = line;
    best = Math.min(best, line[width] ?? best);
  }
  return isBeginningEnough ? best : (above[width] ?? other.length);
}
