import type { Translator } from '../../i18n/translate.ts';
import type { WebExample } from './page/base/protocol.ts';

interface OfferedExample {
  readonly kind: string;
  /** A link, or a command. */
  readonly url: string;
}

/** These work on every server: searches are answered by mirrors where there is no osu! key. */
const BEATMAP_EXAMPLES: readonly OfferedExample[] = [
  { kind: 'search', url: '/beatmap search camellia stars>6' },
  { kind: 'taiko', url: '/beatmap search mode:taiko stars>4' },
];

/** The empty chat offers what the operator chose, and searches for beatmaps where they chose no command. */
export function createWebExamples(
  own: readonly OfferedExample[],
  isPost: (link: string) => boolean,
): (t: Translator) => readonly WebExample[] {
  const offered = own.some(({ url }) => url.startsWith('/')) ? own : [...own, ...BEATMAP_EXAMPLES];
  return t =>
    offered.map(({ kind, url }) => ({
      label: t.find(`webExamples.${kind}`) ?? t.find(`sites.${kind}`) ?? kind,
      text: url,
      ...(!isPost(url) && ({ about: 'beatmaps' } as const)),
    }));
}
