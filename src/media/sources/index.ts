import type { SourceDescriptor } from '../extract/source-descriptor.ts';
import { bluesky } from './bluesky/descriptor.ts';
import { facebook } from './facebook/descriptor.ts';
import { instagram } from './instagram/descriptor.ts';
import { pinterest } from './pinterest/descriptor.ts';
import { reddit } from './reddit/descriptor.ts';
import { threads } from './threads/descriptor.ts';
import { tiktok } from './tiktok/descriptor.ts';
import { x } from './x/descriptor.ts';

/** All sources of posts. A link belongs to the first source that knows its host. */
export const sourceDescriptors: readonly [SourceDescriptor, ...SourceDescriptor[]] = [
  instagram,
  facebook,
  threads,
  tiktok,
  x,
  bluesky,
  pinterest,
  reddit,
];
