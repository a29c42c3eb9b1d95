import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { INSTAGRAM_EXAMPLES } from './constants.ts';
import { createInstagramSource } from './source.ts';

export const instagram: SourceDescriptor = {
  id: 'instagram',
  name: 'Instagram',
  colour: '#e1306c',
  hosts: ['www.instagram.com', 'instagram.com', 'm.instagram.com', 'instagr.am'],
  cdnHosts: META_MEDIA_HOSTS,
  example: INSTAGRAM_EXAMPLES[0],
  onInGroups: true,
  profileUrl: ({ username }) =>
    username !== null && /^[\w.]{1,30}$/.test(username) ? `https://www.instagram.com/${username}/` : undefined,
  sessionCookie: 'sessionid',
  create: createInstagramSource,
};
