import { createHook } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

export interface ConnectionWatch {
  /** `address:port` of every TCP connection this process has tried to open since, TLS or not, in order. */
  attempts(): readonly string[];
}

/**
 * Watches the sockets themselves: Node makes one TCPCONNECTWRAP for each connection it asks the system for, whichever code asked and by
 * whatever library.
 */
export function watchConnections(): ConnectionWatch {
  const seen: object[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TCPCONNECTWRAP') seen.push(resource);
    },
  });
  hook.enable();
  onTestFinished(() => {
    hook.disable();
  });
  return { attempts: () => seen.map(describe) };
}

function describe(attempt: object): string {
  const address = 'address' in attempt ? String(attempt.address) : '?';
  const port = 'port' in attempt ? String(attempt.port) : '?';
  return `${address}:${port}`;
}
