import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { REDDIT_EXAMPLES, REDDIT_MEDIA_HOSTS } from './constants.ts';
import { REDDIT_HOSTS } from './link.ts';
import { createRedditSource } from './source.ts';

export const reddit: SourceDescriptor = {
  id: 'reddit',
  name: 'Reddit',
  colour: '#ff4500',
  hosts: REDDIT_HOSTS,
  cdnHosts: REDDIT_MEDIA_HOSTS,
  example: REDDIT_EXAMPLES[0],
  profileUrl: ({ username }) =>
    username !== null && /^[\w-]{2,40}$/.test(username) ? `https://www.reddit.com/user/${username}/` : undefined,
  create: createRedditSource,
};
