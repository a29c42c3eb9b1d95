export interface Override {
  /** Lower-case name, or `*.suffix`, which does not include the bare suffix. */
  readonly host: string;
  /** Origin asked instead, such as `http://127.0.0.1:9001`. With https, loopback is the place where certificates are not checked. */
  readonly origin: string;
}

/** Origins that are asked in place of some hosts. */
export interface Overrides {
  /** The origin asked instead of the host; an exact name beats `*.suffix`, a longer suffix a shorter. */
  find(host: string): string | undefined;
}

export function createOverrides(list: readonly Override[]): Overrides {
  const exact = new Map<string, string>();
  const suffixes = new Map<string, string>();
  for (const { host, origin } of list) {
    if (host.startsWith('*.')) suffixes.set(host.slice(1), origin);
    else exact.set(host, origin);
  }
  return { find: host => exact.get(host) ?? findBySuffix(suffixes, host) };
}

function findBySuffix(suffixes: ReadonlyMap<string, string>, host: string): string | undefined {
  if (suffixes.size === 0) return undefined;
  for (let dot = host.indexOf('.', 1); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    const origin = suffixes.get(host.slice(dot));
    if (origin !== undefined) return origin;
  }
  return undefined;
}
