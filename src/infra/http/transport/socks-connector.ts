import { type buildConnector, errors } from 'undici';

const DEFAULT_PORT = 1_080;

/**
 * Connects by a SOCKS5 proxy, which looks the target up itself; TLS is then spoken with the target.
 *
 * @param secure makes a plain connection one of TLS
 */
export function createSocksConnector(
  proxyUrl: string,
  timeoutMs: number,
  secure: buildConnector.connector,
): buildConnector.connector {
  const { hostname, port, username, password } = new URL(proxyUrl);
  const proxy = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || DEFAULT_PORT,
    type: 5,
    ...(username !== '' && { userId: decodeURIComponent(username), password: decodeURIComponent(password) }),
  } as const;

  async function openTunnel(target: buildConnector.Options) {
    // Few have such a proxy.
    const { SocksClient } = await import('socks');
    const { socket } = await SocksClient.createConnection({
      proxy,
      command: 'connect',
      destination: { host: target.hostname, port: Number(target.port) || 443 },
      timeout: timeoutMs,
    });
    return socket;
  }

  return (target, callback) => {
    openTunnel(target).then(
      httpSocket => secure({ ...target, httpSocket }, callback),
      (error: unknown) => callback(withoutCredentials(error), null),
    );
  };
}

/** The library's errors carry the options that it was called with. */
function withoutCredentials(error: unknown): Error {
  const reason = error instanceof Error ? error.message : 'unknown failure';
  const message = `the SOCKS proxy: ${reason}`;
  // By an error of its own undici would connect again and again.
  return /timed out/.test(reason)
    ? new errors.ConnectTimeoutError(message)
    : Object.assign(new Error(message), { code: 'ECONNABORTED' });
}
