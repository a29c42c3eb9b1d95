/** Milliseconds of the processor that the longest turn of the event loop took until `work` was done: so long all else waited. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
    if (!isOver) setImmediate(look);
  };
  const looking = setImmediate(look);
  try {
    await work();
    look();
  } finally {
    isOver = true;
    clearImmediate(looking);
  }
  return longest;
}
