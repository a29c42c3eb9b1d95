/**
 * The promise's result, or the signal's reason as soon as it aborts. What the promise does after that is its owner's concern; its
 * failure is then dropped here, because the abort was reported already.
 * @param onAbort called once, before the rejection, when the signal comes first
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal, onAbort?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      onAbort?.();
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}
