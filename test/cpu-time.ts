/**
 * Milliseconds of the processor that `work` took: what the machine does beside it, or a moment in which it stands still, does not
 * count.
 */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
