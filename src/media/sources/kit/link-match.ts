/** Reads addresses by tables of the shapes that their paths have. */
import type { LinkMatch } from '../../extract/source.ts';

/** A shape of a path without the slash around it, and its meaning; undefined where the next shape is to be tried. */
export type PathShape = readonly [RegExp, (found: readonly string[], query: URLSearchParams) => LinkMatch | undefined];

export function unsupported(what: string): LinkMatch {
  return { kind: 'unsupported', what };
}

export const PAGE = unsupported('page');

/** Shapes of the pages that hold no single post: by what they are, a pattern of how their paths begin. */
export function pagesOf(kinds: Readonly<Record<string, string>>): readonly PathShape[] {
  return Object.entries(kinds).map(([what, words]) => {
    return [new RegExp(`^(?:${words})(?:/|$)`, 'i'), () => unsupported(what)];
  });
}

/** A page around another address; undefined where it names none. */
export function wrapper(target: string | null | undefined): LinkMatch | undefined {
  return target ? { kind: 'wrapper', target } : undefined;
}

/** The path of an address without empty parts, at most so many of the others. */
export function pathOf(address: URL, maxSegments: number): string {
  const segments = address.pathname.split('/', 2 * maxSegments).filter(segment => segment !== '');
  return segments.slice(0, maxSegments).join('/');
}

export function matchPath(shapes: readonly PathShape[], path: string, query: URLSearchParams): LinkMatch {
  for (const [pattern, match] of shapes) {
    const found = pattern.exec(path);
    const meaning = found === null ? undefined : match(found, query);
    if (meaning !== undefined) return meaning;
  }
  return PAGE;
}

/** The id of the post that an address names; null for any other address. */
export function postIdOf(address: unknown, match: (address: URL) => LinkMatch | undefined): string | null {
  if (typeof address !== 'string' || address.length > 2_048 || !URL.canParse(address)) return null;
  const found = match(new URL(address));
  return found?.kind === 'post' ? found.ref.id : null;
}
