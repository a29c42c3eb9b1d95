import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { META_MEDIA_HOSTS } from '../meta/cdn-address.ts';
import { createInstagramConstants, INSTAGRAM_EXAMPLES } from './constants.ts';
import { createInstagramSource } from './source.ts';

export const instagram: SourceDescriptor = {
  id: 'instagram',
  name: 'Instagram',
  hosts: ['www.instagram.com', 'instagram.com', 'm.instagram.com', 'instagr.am'],
  cdnHosts: META_MEDIA_HOSTS,
  example: INSTAGRAM_EXAMPLES[0],
  sessionCookie: 'sessionid',
  create: ({ upstreamConstants, ...options }) =>
    createInstagramSource({ ...options, constants: createInstagramConstants(upstreamConstants) }),
};
