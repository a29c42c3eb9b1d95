import { failureOfPublicPost } from '../../extract/refusal.ts';
import type { MediaSource, PostRef } from '../../extract/source.ts';
import type { SourceDescriptor, SourceOptions } from '../../extract/source-descriptor.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { createAccountStrategies, createSource, createStrategy } from '../kit/source.ts';
import { isCalledPublic, readFacebookPage } from './answer.ts';
import { createFacebookClient } from './client.ts';
import { createFacebookConstants, FACEBOOK_EXAMPLES } from './constants.ts';
import { ADDRESSES, facebookRefOf, matchFacebookLink, oembedQuestion } from './link.ts';

export const facebook: SourceDescriptor = {
  id: 'facebook',
  name: 'Facebook',
  colour: '#1877f2',
  hosts: ['www.facebook.com', 'facebook.com', 'm.facebook.com', 'fb.watch'],
  cdnHosts: META_MEDIA_HOSTS,
  example: FACEBOOK_EXAMPLES[0],
  onInGroups: true,
  // A profile or page without a name has an address with its numeric id.
  profileUrl: ({ username, id }) =>
    [username, id].flatMap(name =>
      name !== null && /^[\w.-]{1,80}$/.test(name) ? [`https://www.facebook.com/${name}`] : [],
    )[0],
  sessionCookie: 'xs',
  // The CDN slows down browsers (2026-08): the crawler's user agent is fast for videos, a plain one for images.
  cdnUserAgent: mime => (mime.startsWith('video/') ? 'facebookexternalhit/1.1' : 'Mozilla/5.0'),
  create: createFacebookSource,
};

function createFacebookSource(options: SourceOptions): MediaSource {
  const { http, accounts, extraStrategies = [], now = Date.now } = options;
  const constants = createFacebookConstants(options.upstreamConstants);
  const client = createFacebookClient(http, constants, now);
  const asking = { http, read: readFacebookPage, now };

  const pages = Object.entries(constants.profiles).flatMap(([name, profile]) => {
    const addressOf = ADDRESSES[name.replace(/\/.*/, '')];
    if (addressOf === undefined || profile.session === 'account') return [];
    return createStrategy(asking, {
      ...{ name, profile, kind: 'page', timeoutMs: profile.timeoutMs },
      fits: ref => addressOf(ref) !== null,
      ask: (ref, signal) => client.page(addressOf(ref) ?? ref.url, profile, signal),
    });
  });

  const profile = constants.profiles['post-page/account'];
  const byAccount =
    accounts &&
    createAccountStrategies({ ...asking, accounts, site: 'facebook.com' }, [
      {
        ...{ name: 'post-page/account', profile, kind: 'page', isLastResort: true, byAccount: true },
        fits: () => accounts.isReady(),
        ask: (ref, signal, jar) => client.page(ref.url, profile, signal, jar),
      },
    ]);
  /** Posts that the Graph API calls public, by the reference object that one call of `fetch` has. */
  const publicPosts = new WeakSet<PostRef>();
  return createSource(options, {
    id: 'facebook',
    match: matchFacebookLink,
    refOf: facebookRefOf,
    resolveShort: (url, { signal }) => client.resolveShort(url, signal),
    strategies: [...pages, ...extraStrategies, ...(byAccount ?? [])],
    examples: FACEBOOK_EXAMPLES,
    mediaHosts: META_MEDIA_HOSTS,
    canFetchStories: false,
    /** Asks the Graph API whether the post is public, after a page did not show it. */
    async diagnose(ref, signal) {
      const { endpoint, url } = oembedQuestion(ref);
      if (isCalledPublic(await client.oembed(endpoint, url, signal))) publicPosts.add(ref);
    },
    explain: (ref, failure) => (publicPosts.has(ref) ? failureOfPublicPost(failure) : failure),
  });
}
