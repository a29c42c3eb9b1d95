/** What the operator of a server offers to try: a link, or a command of the chats. */
interface OfferedExample {
  readonly kind: string;
  readonly url: string;
}

/** What the reference sends where no player or beatmap is offered: both have been there since osu! was young. */
const PUBLIC_EXAMPLES = { player: 'peppy', beatmap: '39804' } as const;

/** Of parameters: what a command names is not taken for them. */
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
