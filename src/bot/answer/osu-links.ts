import { mapPage, matchOsuLink, type OsuLink, scorePage, setPage, userPage } from '../../beatmaps/model/link.ts';
import type { Extractor } from '../../media/extract/extractor.ts';
import { findAddresses } from '../../media/extract/find-links.ts';
import type { Accepted } from '../contract/command.ts';

const OSU_HOST = /^(?:https?:\/\/)?(?:[a-z\d-]+\.)*ppy\.sh(?:[/?#]|$)/i;

/** The osu! addresses in a text of maps, plays and players, in one spelling each. Nearly free for a text without any. */
function findOsuLinks(text: string): readonly string[] {
  if (!/ppy\.sh/i.test(text)) return [];
  const found = findAddresses(text, ({ hostname }) => hostname.endsWith('.ppy.sh')).flatMap(address => {
    const link = matchOsuLink(address);
    return link === undefined ? [] : [canonical(link)];
  });
  return [...new Set(found)];
}

function canonical(link: OsuLink): string {
  switch (link.kind) {
    case 'set':
      return setPage(link.id);
    case 'map':
      return link.ruleset === undefined ? mapPage(link.id) : `${mapPage(link.id)}?mode=${link.ruleset}`;
    case 'score':
      return scorePage(link.id, link.ruleset);
    case 'user': {
      if ('id' in link) return userPage(link.id, link.ruleset);
      const mode = link.ruleset === undefined ? '' : `/${link.ruleset}`;
      return `https://osu.ppy.sh/users/${encodeURIComponent(link.name)}${mode}`;
    }
  }
}

/** The links of posts in a text, then the osu! addresses; each in one spelling. */
export function createLinkFinder(extractor: Pick<Extractor, 'findLinks'>): (text: string) => readonly string[] {
  return text => {
    const osu = findOsuLinks(text);
    const posts = extractor.findLinks(text);
    return osu.length === 0 ? posts : [...posts, ...osu];
  };
}

/** What a command must accept to answer this address. */
export function kindOfLink(url: string): Accepted {
  if (!OSU_HOST.test(url)) return 'link';
  switch (matchOsuLink(url)?.kind) {
    case 'user':
      return 'player-link';
    case 'score':
      return 'score-link';
    default:
      return 'beatmap-link';
  }
}
