/** Pinterest as it answers visitors, by its query and its pages (public notes of 2026-10). People and pins are invented. */
import { pinterest } from '../../../src/media/sources/pinterest/descriptor.ts';
import { type Answer, type Ask, html, json, plain, redirect, scriptJson } from '../answer.ts';
import { answerFile } from '../cdn.ts';
import { BOWL, CLAY, type Clip, DUSK, FERN, type Media, SEA } from '../media.ts';
import type { SandboxSite, SiteStage } from '../site.ts';

interface Pin {
  readonly id: string;
  readonly about: string;
  readonly media: readonly Media[];
  readonly kind: 'plain' | 'idea' | 'carousel' | 'stream';
}

const pin = (id: string, about: string, media: readonly Media[], kind: Pin['kind'] = 'plain'): Pin => {
  return { id, about, media, kind };
};

const PINS: readonly Pin[] = [
  pin('424605071150000101', 'Pinterest: a video', [CLAY]),
  pin('424605071150000102', 'Pinterest: a photo', [BOWL]),
  pin('424605071150000103', 'Pinterest: an idea pin', [CLAY, FERN], 'idea'),
  pin('424605071150000104', 'Pinterest: a carousel', [FERN, BOWL, DUSK], 'carousel'),
  pin('424605071150000105', 'Pinterest: a video that is listed as a stream', [SEA], 'stream'),
  ...pinterest.examples.map(link => pin(/\d+/.exec(link)?.[0] ?? '', 'an example', [CLAY])),
];
const SHORT_LINKS: ReadonlyMap<string, string> = new Map([['SandBowl1', '424605071150000102']]);
const SITE = 'https://www.pinterest.com';

/** Their CDN names files by a hash in three folders. */
function pathOf(name: string, { files }: SiteStage): string {
  const hash = (files.get(name)?.etag ?? '').replaceAll('"', '');
  return `${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash.slice(4, 6)}/${hash}`;
}

function imagesOf(media: Media, stage: SiteStage, original: 'orig' | 'originals') {
  const { width, height } = media;
  const name = media.kind === 'image' ? media.best : media.cover;
  return { [original]: { url: `https://i.pinimg.com/originals/${pathOf(name, stage)}.jpg`, width, height } };
}

function videosOf({ best, width, height, durationMs }: Clip, kind: Pin['kind'], stage: SiteStage) {
  const facts = { width, height, duration: durationMs };
  const file = (place: string, type: string) => {
    return { ...facts, url: `https://v1.pinimg.com/videos/${place}/${pathOf(best, stage)}.${type}` };
  };
  const stream = { V_HLSV4: file('iht/hls', 'm3u8') };
  return { video_list: kind === 'plain' ? { ...stream, V_720P: file('mc/720p', 'mp4') } : stream };
}

const person = (username: string, full_name: string) => ({ id: '1', username, full_name, domain_verified: false });

function pinJson({ id, media, kind }: Pin, stage: SiteStage) {
  const [first] = media;
  const blocks = (one: Media) =>
    one.kind === 'video'
      ? [{ block_type: 3, video: videosOf(one, kind, stage) }]
      : [{ block_type: 2, image: { images: imagesOf(one, stage, 'originals') } }];
  const words = { block_type: 1, text: 'Wedge it first' };
  return {
    id,
    type: 'pin',
    title: 'A bowl for the shore',
    description: ' ',
    created_at: 'Wed, 10 Sep 2025 10:00:00 +0000',
    images: first && imagesOf(first, stage, 'orig'),
    videos: first?.kind === 'video' && kind !== 'idea' ? videosOf(first, kind, stage) : null,
    story_pin_data: kind === 'idea' ? { pages: media.map(one => ({ blocks: [words, ...blocks(one)] })) } : null,
    carousel_data:
      kind === 'carousel' ? { carousel_slots: media.map(one => ({ images: imagesOf(one, stage, 'orig') })) } : null,
    embed: null,
    pinner: person('omar_saves', 'Omar'),
    native_creator: person('maraturnsclay', 'Mara Lindqvist'),
    aggregated_pin_data: { aggregated_stats: { saves: 87 } },
  };
}

function answerCdn(ask: Ask, stage: SiteStage): Answer {
  const hash = /\/([0-9a-f]{32})(?:_720w)?\.(?:mp4|jpg)$/.exec(ask.url.pathname)?.[1];
  const isPlace = ask.host === 'i.pinimg.com' || /^\/videos\/(?:mc|iht)\/720p\//.test(ask.url.pathname);
  const file = isPlace ? [...stage.files.values()].find(({ etag }) => etag === `"${hash}"`) : undefined;
  return file === undefined ? plain(403, 'Forbidden') : answerFile(ask, file);
}

function answerQuery(ask: Ask, stage: SiteStage): Answer {
  // Whoever does not ask as the pages do is refused.
  if (ask.headers['x-pinterest-pws-handler'] === undefined) return plain(403, 'Forbidden');
  const id = /"id":"(\d+)"/.exec(ask.url.searchParams.get('data') ?? '')?.[1];
  const found = stage.isNull ? undefined : PINS.find(one => one.id === id);
  const error = { status: 'failure', code: 7, http_status: 404, message: 'Pin not found.' };
  if (found === undefined) return json({ resource_response: { ...error, error, data: null } }, 404);
  return json({ resource_response: { status: 'success', code: 0, data: pinJson(found, stage) } });
}

function answerPage(ask: Ask, stage: SiteStage): Answer {
  const id = /(\d+)\/?$/.exec(ask.url.pathname)?.[1] ?? '';
  const found = stage.isNull ? undefined : PINS.find(one => one.id === id);
  const related = { ...pinJson(pin('1', '', [DUSK]), stage), native_creator: person('stranger', 'Stranger') };
  const pins = found === undefined ? { '1': related } : { [id]: pinJson(found, stage), '1': related };
  const state = { initialReduxState: { pins }, ...(found === undefined && { __typename: 'PinNotFound' }) };
  return html(`<html><script id="__PWS_DATA__" type="application/json">${scriptJson(state)}</script></html>`);
}

export const pinterestSite: SandboxSite = {
  hosts: ['pin.it', 'pinterest.com', '*.pinterest.com', '*.pinimg.com'],
  endpoints: ['pinterest.query', 'pinterest.page', 'pinterest.short', 'pinterest.cdn'],
  links: [
    ...PINS.filter(({ about }) => about !== 'an example').map(
      ({ id, about }) => ({ url: `${SITE}/pin/${id}/`, about, shows: 'media' }) as const,
    ),
    { url: 'https://pin.it/SandBowl1', about: 'Pinterest: a short link of the photo', shows: 'media' },
  ],
  endpointOf({ host, url: { pathname } }) {
    if (host.endsWith('.pinimg.com')) return 'pinterest.cdn';
    if (host === 'api.pinterest.com') return 'pinterest.short';
    if (pathname === '/resource/PinResource/get/') return 'pinterest.query';
    return /^\/pin\/\d+/.test(pathname) ? 'pinterest.page' : undefined;
  },
  answer(endpoint, ask, stage) {
    if (endpoint === 'pinterest.cdn') return answerCdn(ask, stage);
    if (endpoint === 'pinterest.query') return answerQuery(ask, stage);
    if (endpoint === 'pinterest.page') return answerPage(ask, stage);
    const id = SHORT_LINKS.get(ask.url.pathname.split('/')[2] ?? '');
    return redirect(id === undefined ? `${SITE}/` : `${SITE}/pin/${id}/sent/?sfo=1`);
  },
};
