import type { SourceDescriptor } from '../../extract/source-descriptor.ts';
import { CHROME } from '../kit/browser-headers.ts';
import { TIKTOK_EXAMPLES } from './constants.ts';
import { TIKTOK_HOSTS } from './link.ts';
import { TIKTOK_MEDIA_HOSTS } from './parse/media.ts';
import { createTiktokSource } from './source.ts';

export const tiktok: SourceDescriptor = {
  id: 'tiktok',
  name: 'TikTok',
  colour: '#fe2c55',
  hosts: TIKTOK_HOSTS,
  cdnHosts: TIKTOK_MEDIA_HOSTS,
  example: TIKTOK_EXAMPLES[0],
  profileUrl: ({ username }) =>
    username !== null && /^[\w.]{1,30}$/.test(username) ? `https://www.tiktok.com/@${username}` : undefined,
  // Files are for whoever asked for the page.
  cdnUserAgent: () => CHROME,
  create: createTiktokSource,
};
