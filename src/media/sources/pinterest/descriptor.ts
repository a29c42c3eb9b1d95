import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { PINTEREST_EXAMPLES, PINTEREST_MEDIA_HOSTS } from './constants.ts';
import { PINTEREST_HOSTS } from './link.ts';
import { createPinterestSource } from './source.ts';

export const pinterest: SourceDescriptor = {
  id: 'pinterest',
  name: 'Pinterest',
  colour: '#bd081c',
  hosts: PINTEREST_HOSTS,
  cdnHosts: PINTEREST_MEDIA_HOSTS,
  example: PINTEREST_EXAMPLES[0],
  profileUrl: ({ username }) =>
    username !== null && /^[\w-]{3,100}$/.test(username) ? `https://www.pinterest.com/${username}/` : undefined,
  create: createPinterestSource,
};
