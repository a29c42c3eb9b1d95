/** Whether a lower-case host name matches one pattern: `example.com` exactly, `*.example.com` any subdomain of it. */
export function matchesHostPattern(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host;
  const labels = host.length - pattern.length + 1;
  // An empty label (`.example.com`, `a..example.com`) is no subdomain.
  return labels > 0 && host.endsWith(pattern.slice(1)) && host[0] !== '.' && host[labels - 1] !== '.';
}

/** Whether a lower-case host name, as `URL.hostname` gives it, is on the list. */
export function matchesHost(hosts: readonly string[], host: string): boolean {
  for (const pattern of hosts) if (matchesHostPattern(pattern, host)) return true;
  return false;
}

/** The hosts of these suffixes, as such a list has them: each suffix itself and what is below it. */
export function hostsBelow(suffixes: readonly string[]): readonly string[] {
  return suffixes.flatMap(host => [host, `*.${host}`]);
}
