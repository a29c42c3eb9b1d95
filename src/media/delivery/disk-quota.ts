export type DiskQuota = ReturnType<typeof createDiskQuota>;
/** Disk space that is reserved for one file. */
export type QuotaReservation = Awaited<ReturnType<DiskQuota['enter']>>;

/** Limits the disk space that is reserved at the same time. Requests get space in the order in which they came. */
export function createDiskQuota(maxBytes: number) {
  let used = 0;
  const queue: { readonly bytes: number; admit(): void }[] = [];

  function admitNext(): void {
    for (let next = queue[0]; next !== undefined && used + next.bytes <= maxBytes; next = queue[0]) {
      queue.shift();
      next.admit();
    }
  }

  function reserve(bytes: number) {
    let held = bytes;
    used += bytes;
    function shrink(left: number): void {
      if (left >= held) return;
      used -= held - left;
      held = left;
      admitNext();
    }
    return {
      get bytes() {
        return held;
      },
      /** Keeps this many bytes of the reservation and gives back the rest. */
      shrink,
      /** Gives back all of the space. Safe to call twice. */
      release: () => shrink(0),
    };
  }

  return {
    /**
     * Waits for the space. A request for more than `maxBytes` gets `maxBytes`.
     * @throws the signal's reason when it aborts
     */
    async enter(wanted: number, signal: AbortSignal) {
      signal.throwIfAborted();
      const bytes = Math.min(wanted, maxBytes);
      if (queue.length === 0 && used + bytes <= maxBytes) return reserve(bytes);
      return new Promise<ReturnType<typeof reserve>>((resolve, reject) => {
        const place = {
          bytes,
          admit() {
            signal.removeEventListener('abort', giveUp);
            resolve(reserve(bytes));
          },
        };
        function giveUp(): void {
          queue.splice(queue.indexOf(place), 1);
          reject(signal.reason);
          admitNext();
        }
        queue.push(place);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
