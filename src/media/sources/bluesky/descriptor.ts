import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { BLUESKY_EXAMPLES } from './constants.ts';
import { BLUESKY_MEDIA_HOSTS } from './parse/media.ts';
import { createBlueskySource } from './source.ts';

export const bluesky: SourceDescriptor = {
  id: 'bluesky',
  name: 'Bluesky',
  colour: '#1185fe',
  hosts: ['bsky.app'],
  cdnHosts: BLUESKY_MEDIA_HOSTS,
  example: BLUESKY_EXAMPLES[0],
  profileUrl: ({ username, id }) =>
    [username, id].flatMap(name =>
      name !== null && /^[\w.:-]{3,253}$/.test(name) ? [`https://bsky.app/profile/${name}`] : [],
    )[0],
  create: createBlueskySource,
};
