import type { HttpClient } from '../../src/infra/http/http-client.ts';

/** For what must never ask: every request fails. */
export function noHttp(): HttpClient {
  const refuse = () => Promise.reject(new Error('nothing may be asked here'));
  return { hasBrowserTransport: false, request: refuse, stream: refuse, close: () => Promise.resolve() };
}
