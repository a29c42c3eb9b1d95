/**
 * Unix milliseconds, whole ones, that never go back: when the machine's clock is set back, time goes on from where it was; when it is set
 * forward, that is followed.
 * @param clock unix milliseconds, as the machine has them
 */
export function createSteadyClock(clock: () => number = Date.now): () => number {
  let at = clock();
  let readAt = performance.now();
  return () => {
    const read = performance.now();
    at = Math.max(at + read - readAt, clock());
    readAt = read;
    return Math.floor(at);
  };
}
