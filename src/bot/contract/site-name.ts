import type { Translator } from '../../i18n/translate.ts';
import type { SourceDescriptor } from '../../media/extract/source-descriptor.ts';
import type { Post } from '../../media/post.ts';
import type { Colour } from './reply.ts';

/** A source as people see it and switch it on or off. */
export type Site = Pick<SourceDescriptor, 'id' | 'name' | 'onInGroups'>;

/** A source as a card shows it. */
export type CardSite = Site & Pick<SourceDescriptor, 'colour' | 'profileUrl'>;

/** A post's site, as the post's card names it. */
export interface PostSite {
  readonly name: string;
  readonly colour?: Colour;
  /** The author's page on the site. */
  readonly authorUrl?: string;
}

/** A source that no longer exists is called by its id. */
export function postSite({ source, author }: Post, sites: readonly CardSite[], t: Translator): PostSite {
  const site = sites.find(({ id }) => id === source);
  if (site === undefined) return { name: source };
  const authorUrl = site.profileUrl?.(author);
  return { name: siteName(site, t), colour: site.colour, ...(authorUrl !== undefined && { authorUrl }) };
}

/** The names of all sites, as part of a sentence: `A, B or C`. */
export function siteNames(sites: readonly Site[], t: Translator): string {
  return new Intl.ListFormat(t.locale, { type: 'disjunction' }).format(sites.map(site => siteName(site, t)));
}

/** The site's name in the language, else its own name. */
export function siteName({ id, name }: Site, t: Translator): string {
  return t.find(`sites.${id}`) ?? name;
}
