/** An example that the operator of a server offers to try: a link, or a command of the chats. */
interface OfferedExample {
  readonly kind: string;
  readonly url: string;
}

/** The reference sends these where the operator offers no player or beatmap. Both have existed since osu! was young. */
const PUBLIC_EXAMPLES = { player: 'peppy', beatmap: '39804' } as const;

/** Examples of parameters come from links alone, not from commands. */
export function parameterExamples(offered: readonly OfferedExample[]): Readonly<Record<'user' | 'id', string>> {
  const exampleOf = (wanted: string) => offered.find(({ kind, url }) => kind === wanted && !url.startsWith('/'))?.url;
  return {
    user: exampleOf('player') ?? PUBLIC_EXAMPLES.player,
    id: exampleOf('beatmap') ?? PUBLIC_EXAMPLES.beatmap,
  };
}

/** The same source with the first link of it that is offered. */
export function withOwnExample<S extends { readonly id: string; readonly example: string }>(
  source: S,
  offered: readonly OfferedExample[],
  sourceOf: (link: string) => string | undefined,
): S {
  return { ...source, example: offered.find(({ url }) => sourceOf(url) === source.id)?.url ?? source.example };
}
