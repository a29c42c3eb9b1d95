import { hostsBelow } from '../../../infra/http/host-list.ts';
import type { MediaSource, PostRef } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { createPageSource } from '../kit/page-site.ts';
import { readPinterestAnswer, WALL } from './answer.ts';
import { createPinterestConstants, PINTEREST_EXAMPLES, PINTEREST_MEDIA_HOSTS } from './constants.ts';
import { matchPinterestLink, pinterestRefOf } from './link.ts';
import { withFiles } from './streams.ts';

export function createPinterestSource(options: SourceOptions): MediaSource {
  const { profiles, fields } = createPinterestConstants(options.upstreamConstants);
  const queryOf = ({ id }: PostRef) => {
    const data = JSON.stringify({ options: { id, field_set_key: fields } });
    return `https://www.pinterest.com/resource/PinResource/get/?${new URLSearchParams({ data })}`;
  };
  return createPageSource(options, {
    id: 'pinterest',
    match: matchPinterestLink,
    refOf: pinterestRefOf,
    hosts: hostsBelow(['pinterest.com']),
    mediaHosts: PINTEREST_MEDIA_HOSTS,
    examples: PINTEREST_EXAMPLES,
    maxBytes: 4 * 1024 * 1024,
    endpoints: { query: queryOf, page: ({ url }: PostRef) => url },
    profiles,
    read: readPinterestAnswer,
    wall: WALL,
    finish: (post, { signal }) => withFiles(post, { http: options.http, signal }),
  });
}
