/** Checks that the sites can be reached, by the plain and the browser transport. */
import { AppError } from '../errors.ts';
import type { HttpClient } from '../infra/http/http-client.ts';
import type { Finding } from '../platforms/platform.ts';

async function checkSite(host: string, http: HttpClient): Promise<Finding> {
  try {
    const { status } = await http.request({ url: `https://${host}/`, hosts: [host], maxRedirects: 0, retries: 0 });
    if (status === 429)
      return { state: 'note', what: `${host} asks this address to slow down`, remedy: 'Wait, or set UPSTREAM_PROXY.' };
    if (status < 500) return { state: 'ok', what: `${host} answers (${status})` };
    return {
      state: 'note',
      what: `${host} answers ${status}`,
      remedy: 'The site has trouble of its own. Try again later.',
    };
  } catch (error) {
    const reason = error instanceof AppError ? error.message : String(error);
    return {
      state: 'wrong',
      what: `${host} does not answer: ${reason}`,
      remedy: 'Check the network, DNS and UPSTREAM_PROXY.',
    };
  }
}

function checkBrowserTransport(http: HttpClient): Finding {
  if (http.hasBrowserTransport) return { state: 'ok', what: 'browser transport (wreq-js)' };
  return {
    state: 'note',
    what: 'browser transport: not installed',
    remedy: "npm install wreq-js: some ways of asking the sites are open to a browser's TLS alone.",
  };
}

export async function checkSites(hosts: readonly string[], http: HttpClient): Promise<readonly Finding[]> {
  return [checkBrowserTransport(http), ...(await Promise.all(hosts.map(host => checkSite(host, http))))];
}
