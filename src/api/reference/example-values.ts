/** An example that the operator offers to people: a link, or a chat command. */
interface OfferedExample {
  readonly kind: string;
  readonly url: string;
}

/** The examples when the operator offers no player or beatmap. Both have existed for many years. */
const PUBLIC_EXAMPLES = { player: 'peppy', beatmap: '39804' } as const;

/** Example values for parameters, taken from the operator's example links. Example commands are ignored. */
export function parameterExamples(offered: readonly OfferedExample[]): Readonly<Record<'user' | 'id', string>> {
  const exampleOf = (wanted: string) => offered.find(({ kind, url }) => kind === wanted && !url.startsWith('/'))?.url;
  return {
    user: exampleOf('player') ?? PUBLIC_EXAMPLES.player,
    id: exampleOf('beatmap') ?? PUBLIC_EXAMPLES.beatmap,
  };
}

/** Replaces the source's example by the first of the operator's example links that belongs to this source, if any. */
export function withOwnExample<S extends { readonly id: string; readonly example: string }>(
  source: S,
  offered: readonly OfferedExample[],
  sourceOf: (link: string) => string | undefined,
): S {
  return { ...source, example: offered.find(({ url }) => sourceOf(url) === source.id)?.url ?? source.example };
}
