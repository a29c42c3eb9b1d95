import type { FastifyInstance } from 'fastify';

/** The methods that a path would answer: for 405 and its `Allow`, asked only once nothing matched. */
export interface KnownRoutes {
  /** In the order of registration; empty for an unknown path. */
  methodsOf(path: string): readonly string[];
}

/** Watches the routes that are registered from now on. Wildcards alone make no path known. */
export function watchRoutes(app: FastifyInstance): KnownRoutes {
  const exact = new Map<string, Set<string>>();
  const wild = new Map<string, Set<string>>();
  app.addHook('onRoute', route => {
    const isWild = route.url.endsWith('*');
    const table = isWild ? wild : exact;
    const pattern = isWild ? route.url.slice(0, -1) : route.url;
    const methods = table.get(pattern) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    table.set(pattern, methods);
  });
  return {
    methodsOf(path) {
      const found = new Set<string>();
      for (const [pattern, methods] of exact)
        if (matchesPattern(pattern, path)) for (const method of methods) found.add(method);
      if (found.size === 0) return [];
      for (const [prefix, methods] of wild)
        if (path.startsWith(prefix)) for (const method of methods) found.add(method);
      return [...found];
    },
  };
}

function matchesPattern(pattern: string, path: string): boolean {
  if (!pattern.includes(':')) return pattern === path;
  const want = pattern.split('/');
  const have = path.split('/');
  return (
    want.length === have.length && want.every((part, i) => (part.startsWith(':') ? have[i] !== '' : part === have[i]))
  );
}
