interface ScriptPolicy {
  createScriptURL(url: string): string;
}

declare global {
  interface Window {
    /** Missing in some browsers, and in TypeScript's types. */
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { readonly createScriptURL: (url: string) => string }): ScriptPolicy;
    };
  }
}

const WORKER = '/sw.js';
/** Registering waits until the first view of the page is loaded. */
const DELAY_MS = 4_000;

/**
 * Registers a service worker, so that the page opens without a connection, says so, and shows the turns kept in this tab. The page's
 * policy allows only the worker's own script here.
 */
export function openOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  setTimeout(() => {
    const policy = window.trustedTypes?.createPolicy('medley', { createScriptURL: () => WORKER });
    const url = policy === undefined ? WORKER : policy.createScriptURL(WORKER);
    // Without a service worker, as in a private window, the page works as long as there is a connection.
    navigator.serviceWorker.register(url).catch(() => undefined);
  }, DELAY_MS);
}
