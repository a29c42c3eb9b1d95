import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { X_EXAMPLES } from './constants.ts';
import { X_MEDIA_HOSTS } from './parse/media.ts';
import { createXSource } from './source.ts';

export const x: SourceDescriptor = {
  id: 'x',
  name: 'X',
  colour: '#1d9bf0',
  hosts: ['x.com', 'twitter.com', 'mobile.twitter.com', 't.co', 'cdn.syndication.twimg.com'],
  cdnHosts: X_MEDIA_HOSTS,
  example: X_EXAMPLES[0],
  profileUrl: ({ username }) =>
    username !== null && /^\w{1,15}$/.test(username) ? `https://x.com/${username}` : undefined,
  create: createXSource,
};
