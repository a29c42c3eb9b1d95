import type { HttpClient } from '../../src/infra/http/http-client.ts';

/** What Chrome says of itself when an address is pasted. */
const CHROME = {
  'sec-ch-ua': '"Chromium";v="149", "Google Chrome";v="149", "Not.A/Brand";v="99"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"macOS"',
  'upgrade-insecure-requests': '1',
  'user-agent':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
};

/** A client whose requests by the browser transport carry a browser's headers; its TLS no sandbox looks at. */
export function withBrowserTransport(http: HttpClient): HttpClient {
  return {
    hasBrowserTransport: true,
    request: ({ transport = 'plain', headers, ...request }) =>
      http.request({ ...request, headers: transport === 'browser' ? { ...CHROME, ...headers } : (headers ?? {}) }),
    stream: request => http.stream(request),
    close: () => http.close(),
  };
}
