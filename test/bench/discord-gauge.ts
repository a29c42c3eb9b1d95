/** Lets a bot of the bench report to its parent what it takes. */
const SAMPLE_MS = 5;

/**
 * Answers `start` once a new measurement has begun and `usage` with what was taken since: `cpuMs`, and `grownBytes`, the peak of
 * resident memory over what it was at the start.
 */
export function gauge(): void {
  let cpu = process.cpuUsage();
  let idleBytes = 0;
  let peakBytes = 0;
  let peakBefore = 0;
  const sample = () => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  };
  let sampler: NodeJS.Timeout | undefined;
  process.on('message', question => {
    if (question === 'start') {
      clearInterval(sampler);
      sampler = setInterval(sample, SAMPLE_MS);
      idleBytes = process.memoryUsage.rss();
      peakBytes = idleBytes;
      peakBefore = lifetimePeak();
      cpu = process.cpuUsage();
    }
    if (question === 'usage') {
      const { user, system } = process.cpuUsage(cpu);
      sample();
      // The kernel misses no peak, but it only knows that of the whole life.
      const peak = lifetimePeak() > peakBefore ? Math.max(lifetimePeak(), peakBytes) : peakBytes;
      process.send?.({ cpuMs: (user + system) / 1000, grownBytes: peak - idleBytes, idleBytes });
    } else {
      process.send?.({});
    }
  });
  process.on('disconnect', () => process.exit(0));
}

function lifetimePeak(): number {
  return process.resourceUsage().maxRSS * 1024;
}
