import { onTestFinished } from 'vitest';
import { createOverrides } from '../../src/infra/http/host-list.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../../src/infra/http/http-client.ts';

/** The real client for the length of the running test; hosts are sent to the given origins. */
export function createTestClient(
  origins: Readonly<Record<string, string>>,
  options: HttpClientOptions = {},
): HttpClient {
  const overrides = createOverrides(Object.entries(origins).map(([host, origin]) => ({ host, origin })));
  const client = createHttpClient({ ...options, overrides });
  onTestFinished(() => client.close());
  return client;
}
