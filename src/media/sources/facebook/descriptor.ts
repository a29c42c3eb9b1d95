import { failureOfPublicPost } from '../../extract/refusal.ts';
import type { PostRef } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { type AskerOf, definePageSite } from '../kit/page-site.ts';
import { createAccountStrategies, type SourceParts } from '../kit/source.ts';
import { isCalledPublic, readFacebookPage } from './answer.ts';
import { askPage, resolveShort, SITE_HOSTS } from './client.ts';
import { FACEBOOK_IDS, type FacebookConstants, facebookProfiles } from './constants.ts';
import { ADDRESSES, facebookRefOf, matchFacebookLink, oembedQuestion } from './link.ts';

export const facebook = definePageSite({
  id: 'facebook',
  name: 'Facebook',
  colour: '#1877f2',
  hosts: ['www.facebook.com', 'facebook.com', 'm.facebook.com', 'fb.watch'],
  cdnHosts: META_MEDIA_HOSTS,
  // A video of the site's own page, a photo, a post with photos.
  examples: [
    'https://www.facebook.com/facebook/videos/10153231379946729/',
    'https://www.facebook.com/photo/?fbid=10160743390456729',
    'https://www.facebook.com/joho.press.jp/posts/pfbid02mfFRpVkErLQxQ8cpD2f1hwXEVsFzK8kfNBKdK2Jndnx6AkmMQZuXhovwDgwvoDNil',
  ],
  onInGroups: true,
  // A profile or page without a name has an address with its numeric id.
  profileUrl: ({ username, id }) =>
    [username, id].flatMap(name =>
      name !== null && /^[\w.-]{1,80}$/.test(name) ? [`https://www.facebook.com/${name}`] : [],
    )[0],
  sessionCookie: 'xs',
  // The CDN slows down browsers (2026-08): the crawler's user agent is fast for videos, a plain one for images.
  cdnUserAgent: mime => (mime.startsWith('video/') ? 'facebookexternalhit/1.1' : 'Mozilla/5.0'),
  match: matchFacebookLink,
  refOf: facebookRefOf,
  askedHosts: SITE_HOSTS,
  // The largest pages seen had 3 MB; a page with comments may be several times as large.
  maxBytes: 16 * 1024 * 1024,
  ids: FACEBOOK_IDS,
  profiles: facebookProfiles,
  addsNoHeaders: true,
  endpoints: () =>
    Object.fromEntries(
      Object.entries(ADDRESSES).map(([name, addressOf]) => [
        name,
        (ref, ask) => askPage(addressOf(ref) ?? ref.url, ask),
      ]),
    ),
  fits: (endpoint, ref) => ADDRESSES[endpoint]?.(ref) !== null,
  read: readFacebookPage,
  own: createOwnParts,
});

function createOwnParts(
  { http, accounts, now = Date.now }: SourceOptions,
  { profiles, graphVersion }: FacebookConstants,
  askerOf: AskerOf,
): Partial<SourceParts> {
  const profile = profiles['post-page/account'];
  const byAccount =
    accounts &&
    createAccountStrategies({ http, read: readFacebookPage, now, accounts, site: 'facebook.com' }, [
      {
        ...{ name: 'post-page/account', profile, kind: 'page', isLastResort: true, byAccount: true },
        fits: () => accounts.isReady(),
        ask: ({ url }, signal, jar) => askPage(url, askerOf(profile, signal, jar)),
      },
    ]);
  /** Posts that the Graph API calls public, by the reference object that one call of `fetch` has. */
  const publicPosts = new WeakSet<PostRef>();
  return {
    strategies: byAccount ?? [],
    resolveShort(url, { signal }) {
      const askers = [askerOf(profiles['share/crawler'], signal), askerOf(profiles['share/plain'], signal)] as const;
      return resolveShort(url, askers, signal, now);
    },
    /** Asks the Graph API whether the post is public, after a page did not show it. */
    async diagnose(ref, signal) {
      const host = 'graph.facebook.com';
      const { endpoint, url } = oembedQuestion(ref);
      const address = `https://${host}/${graphVersion}/${endpoint}?${new URLSearchParams({ url, omitscript: 'true' })}`;
      const answer = await askerOf(profiles.oembed, signal)(address, { hosts: [host] });
      if (isCalledPublic(answer)) publicPosts.add(ref);
    },
    explain: (ref, failure) => (publicPosts.has(ref) ? failureOfPublicPost(failure) : failure),
  };
}
