import type { Translator } from '../../i18n/translate.ts';
import type { SourceDescriptor } from '../../media/extract/source-descriptor.ts';

/** What people read and switch by. */
export type Site = Pick<SourceDescriptor, 'id' | 'name'>;

/** The name of a source's site: the language's, else its own. */
export function siteName({ id, name }: Site, t: Translator): string {
  return Object.hasOwn(t.messages.sites, id) ? (t.messages.sites[id] ?? name) : name;
}

/** The same by id; of a source that is no longer there, its id. */
export function siteNameOf(id: string, sites: readonly Site[], t: Translator): string {
  return siteName(sites.find(site => site.id === id) ?? { id, name: id }, t);
}
