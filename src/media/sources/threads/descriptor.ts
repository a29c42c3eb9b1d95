import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { THREADS_EXAMPLES } from './constants.ts';
import { THREADS_HOSTS } from './link.ts';
import { createThreadsSource } from './source.ts';

export const threads: SourceDescriptor = {
  id: 'threads',
  name: 'Threads',
  colour: '#101010',
  hosts: THREADS_HOSTS,
  cdnHosts: META_MEDIA_HOSTS,
  example: THREADS_EXAMPLES[0],
  profileUrl: ({ username }) =>
    username !== null && /^[\w.]{1,30}$/.test(username) ? `https://www.threads.com/@${username}` : undefined,
  create: createThreadsSource,
};
