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

/**
 * The examples that an empty chat offers: the operator's own ones and two beatmap searches. If one of the operator's
 * own examples is a command, the searches are left out, because then the operator has decided which commands to offer.
 */
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
