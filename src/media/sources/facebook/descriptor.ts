import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { FACEBOOK_EXAMPLES } from './constants.ts';
import { createFacebookSource } from './source.ts';

export const facebook: SourceDescriptor = {
  id: 'facebook',
  name: 'Facebook',
  colour: '#1877f2',
  hosts: ['www.facebook.com', 'facebook.com', 'm.facebook.com', 'fb.watch'],
  cdnHosts: META_MEDIA_HOSTS,
  example: FACEBOOK_EXAMPLES[0],
  onInGroups: true,
  // A profile or page without a name is found by its numeric id.
  profileUrl: ({ username, id }) =>
    [username, id].flatMap(name =>
      name !== null && /^[\w.-]{1,80}$/.test(name) ? [`https://www.facebook.com/${name}`] : [],
    )[0],
  sessionCookie: 'xs',
  // The CDN throttles the user agents of browsers (2026-08): for videos the crawler's is fast, for images a plain one.
  cdnUserAgent: mime => (mime.startsWith('video/') ? 'facebookexternalhit/1.1' : 'Mozilla/5.0'),
  create: createFacebookSource,
};
