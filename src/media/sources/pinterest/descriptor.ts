import * as z from 'zod';
import { hostsBelow } from '../../../infra/http/host-list.ts';
import { headerValue } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { isPlaylist } from '../../files/cdn.ts';
import type { Variant } from '../../post.ts';
import { BROWSER, CHROME, ENGLISH, PLAIN } from '../kit/constants.ts';
import { listedFile } from '../kit/media-files.ts';
import { askRenditions, type CompleteItem, definePageSite } from '../kit/page-site.ts';
import { matchPinterestLink, PINTEREST_HOSTS, pinterestRefOf } from './link.ts';
import { PINTEREST_LOGIN_PATH, PINTEREST_MEDIA_HOSTS, readPinterestAnswer } from './parse.ts';

export const pinterest = definePageSite({
  id: 'pinterest',
  name: 'Pinterest',
  colour: '#bd081c',
  hosts: PINTEREST_HOSTS,
  cdnHosts: PINTEREST_MEDIA_HOSTS,
  // The first pin is a video, the second a photo.
  examples: ['https://www.pinterest.com/pin/664281013778109217/', 'https://www.pinterest.com/pin/858146903966145189/'],
  authorPage: ['https://www.pinterest.com/NAME/', /^[\w-]{3,100}$/, 'username'],
  match: matchPinterestLink,
  refOf: pinterestRefOf,
  askedHosts: hostsBelow(['pinterest.com']),
  maxBytes: 4 * 1024 * 1024,
  ids: z.strictObject({
    userAgent: headerValue.default(CHROME),
    /** The page that the site's own scripts state in a header when they request a pin (2026-10). */
    handler: headerValue.default('www/[username].js'),
    fields: headerValue.default('unauth_react_main_pin'),
  }),
  /** Requests with the `query` profiles look like those of the site's own pages, which send this query too. */
  profiles({ userAgent, handler }) {
    const plain = { ...PLAIN, userAgent, timeoutMs: 9_000 };
    const browser = { ...plain, ...BROWSER };
    const accept = 'application/json, text/javascript, */*; q=0.01';
    const headers = { accept, 'accept-language': ENGLISH, 'x-pinterest-pws-handler': handler };
    return {
      'query/plain': { ...plain, headers },
      'page/plain': plain,
      'query/browser': { ...browser, headers },
      'page/browser': browser,
      'short-link': plain,
    };
  },
  endpoints: (_options, { fields }) => ({
    query({ id }) {
      const data = JSON.stringify({ options: { id, field_set_key: fields } });
      return `https://www.pinterest.com/resource/PinResource/get/?${new URLSearchParams({ data })}`;
    },
    page: ({ url }) => url,
  }),
  read: readPinterestAnswer,
  wall: PINTEREST_LOGIN_PATH,
  completer: createFileFinder,
});

const STREAM = /^https:\/\/(v\d*\.pinimg\.com)\/videos\/(?:iht|mc)\/\w{1,20}\/((?:[0-9a-f]{2}\/){3}[0-9a-f]{32})/;
/** Paths at which the whole file of a stream may be (2026-10). If it is not there, the CDN answers 403. */
const PLACES = ['iht/expMp4/NAME_720w.mp4', 'iht/720p/NAME.mp4', 'mc/720p/NAME.mp4'];

/** Replaces a stream by its whole file, which the CDN usually has, or else by the qualities that its playlist lists. */
function createFileFinder({ http }: SourceOptions): CompleteItem {
  async function neighbourOf(stream: Variant, signal: AbortSignal): Promise<Variant | undefined> {
    const [, host, name] = STREAM.exec(stream.url) ?? [];
    if (host === undefined || name === undefined) return undefined;
    const found = new AbortController();
    const own = AbortSignal.any([signal, found.signal]);
    const bounds = { hosts: [host], maxRedirects: 0, retries: 0, timeoutMs: 2_500, signal: own } as const;
    const asked = PLACES.map(async place => {
      const url = `https://${host}/videos/${place.replace('NAME', name)}`;
      const { status, headers } = await http.request({ ...bounds, url, method: 'HEAD' });
      if (status !== 200 || headers['content-type']?.startsWith('video/') !== true) throw new Error('no such file');
      const length = Number(headers['content-length']);
      return listedFile(url, { mime: 'video/mp4', hasVideo: true, bytes: length > 0 ? length : null });
    });
    const first = await Promise.any(asked).catch(() => undefined);
    found.abort();
    return first;
  }

  return async (item, signal) => {
    const [stream] = item.variants;
    if (stream === undefined || !isPlaylist(stream)) return item;
    const whole = await neighbourOf(stream, signal);
    const playlist = { url: stream.url, hosts: PINTEREST_MEDIA_HOSTS, signal };
    return { ...item, variants: whole === undefined ? await askRenditions(http, playlist) : [whole] };
  };
}
