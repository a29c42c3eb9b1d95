import type { Translator } from '../../i18n/translate.ts';
import type { WebExample } from './page/base/protocol.ts';

interface OfferedExample {
  readonly kind: string;
  /** The example itself: a link, or a command. */
  readonly url: string;
}

/** Examples that work on every server: even without an osu! API key, mirrors answer searches. */
const BEATMAP_EXAMPLES: readonly OfferedExample[] = [
  { kind: 'search', url: '/beatmap search camellia stars>6' },
  { kind: 'taiko', url: '/beatmap search mode:taiko stars>4' },
];

/** The examples for an empty chat: the operator's, and beatmap searches unless the operator has chosen a command. */
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
