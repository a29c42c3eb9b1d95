import type { HttpClient } from '../../infra/http/http-client.ts';

/**
 * Returns a client that adds to each request where the host of this Medley can be reached. The mirrors ask for that
 * (hinai's documentation, 2026-09), to be able to write to the host before they ban a client. Without an address the
 * given client is returned as it is.
 */
export function withContact(http: HttpClient, publicUrl: string | undefined): Pick<HttpClient, 'request'> {
  if (publicUrl === undefined) return http;
  const contact = { 'user-agent': `Medley (+${publicUrl})` };
  return { request: request => http.request({ ...request, headers: { ...contact, ...request.headers } }) };
}
