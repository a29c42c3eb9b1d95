interface ScriptPolicy {
  createScriptURL(url: string): string;
}

declare global {
  interface Window {
    /** Not in every browser, and not in TypeScript's types. */
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { readonly createScriptURL: (url: string) => string }): ScriptPolicy;
    };
  }
}

const WORKER = '/sw.js';
/** Later than what a first look needs. */
const DELAY_MS = 4_000;

/**
 * Lets the page open without a connection, so that it can say so and show what this tab still has. The one script that the policy of
 * the page lets through here is the worker's own.
 */
export function openOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  setTimeout(() => {
    const policy = window.trustedTypes?.createPolicy('medley', { createScriptURL: () => WORKER });
    const url = policy === undefined ? WORKER : policy.createScriptURL(WORKER);
    // Without it, as in a private window, the page works as long as there is a connection.
    navigator.serviceWorker.register(url).catch(() => undefined);
  }, DELAY_MS);
}
