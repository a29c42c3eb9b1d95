interface ScriptPolicy {
  createScriptURL(url: string): string;
}

declare global {
  interface Window {
    /** Trusted Types: undefined in browsers without them, and missing in TypeScript's own types. */
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { readonly createScriptURL: (url: string) => string }): ScriptPolicy;
    };
  }
}

const WORKER = '/sw.js';
/** The service worker is registered this long after the start, when the page's first view is loaded. */
const DELAY_MS = 4_000;

/**
 * Registers a service worker, so that the page opens without a connection, says so, and shows this tab's conversation.
 * The page's policy allows only that worker's script.
 */
export function openOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  setTimeout(() => {
    const policy = window.trustedTypes?.createPolicy('medley', { createScriptURL: () => WORKER });
    const url = policy === undefined ? WORKER : policy.createScriptURL(WORKER);
    // Registering fails in private windows; the page then works only with a connection.
    navigator.serviceWorker.register(url).catch(() => undefined);
  }, DELAY_MS);
}
