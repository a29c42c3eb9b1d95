/** Ways to break one endpoint alone. */
import type { ServerResponse } from 'node:http';
import { type Answer, type Ask, html, json, redirect } from './answer.ts';
import { FACEBOOK_ENDPOINTS, type FacebookEndpoint, type PageKind } from './facebook/callers.ts';
import { blockedPage, facebookLogin } from './facebook/site.ts';
import { INSTAGRAM_ENDPOINTS, type InstagramEndpoint } from './instagram/callers.ts';
import { loginPage, type SessionTokens, throttledPage } from './instagram/pages.ts';
import { MIRROR_ENDPOINTS, type MirrorEndpoint } from './mirrors.ts';
import { OSU_ENDPOINTS, type OsuEndpoint } from './osu.ts';
import type { NewSite, SiteEndpoint } from './site.ts';
import { SITES } from './sites.ts';

export type Endpoint = InstagramEndpoint | FacebookEndpoint | SiteEndpoint | OsuEndpoint | MirrorEndpoint | 'cdn';

const ENDPOINTS: readonly Endpoint[] = [
  ...INSTAGRAM_ENDPOINTS,
  ...FACEBOOK_ENDPOINTS,
  ...SITES.flatMap(({ endpoints }) => endpoints),
  'cdn',
  ...OSU_ENDPOINTS,
  ...MIRROR_ENDPOINTS,
];

/**
 * - `status:N`: that status with an empty body; `retry-after:N`: 429 with that header
 * - `html`: a page where JSON or a file was due; `login`: what the site says to send a visitor to its login
 * - `wall`: the redirect to its login page, from every endpoint; `wait`: 401 and the words of its limit for strangers, likewise
 * - `throttle`: what it says to a visitor that asks too much; `null`: as if the post did not exist
 * - `ignore-query`: a search that answers its default list, whatever was asked
 * - `empty`, `garbage` (random bytes), `truncate` (half the answer, properly ended), `cut` (half, then the connection is gone)
 * - `shape-changed`: the keys that matter have other names
 * - `delay:N`: the right answer, N milliseconds late
 * - `hang`: no answer ever; `stall`: the beginning, then nothing; `drip`: a byte at a time; `endless`: never ends; `reset`
 * - `redirect-loop`, `redirect-private` (to a metadata address), `redirect-off-site`
 */
export type Fault =
  | `status:${number}`
  | `retry-after:${number}`
  | 'html'
  | 'login'
  | 'wall'
  | 'wait'
  | 'throttle'
  | 'null'
  | 'ignore-query'
  | 'empty'
  | 'garbage'
  | 'truncate'
  | 'cut'
  | 'shape-changed'
  | `delay:${number}`
  | 'hang'
  | 'stall'
  | 'drip'
  | 'endless'
  | 'reset'
  | 'redirect-loop'
  | 'redirect-private'
  | 'redirect-off-site';

type Site = 'instagram' | 'facebook' | NewSite | 'osu' | 'osu-direct' | 'hinai' | 'catboy';

/** An endpoint, all of a site's, or all of those below a name: `facebook.page`, `facebook.page.reel`. */
export type EndpointGroup =
  | Endpoint
  | `${Site}.*`
  | 'facebook.page'
  | `facebook.page.${PageKind}`
  | 'facebook.embed'
  | 'instagram.graphql-shortcode'
  | 'instagram.page'
  | 'instagram.embed';

export function isOfGroup(endpoint: string, group: string): boolean {
  return endpoint === group || endpoint.startsWith(`${group.replace(/\.\*$/, '')}.`);
}

export interface Faults {
  /** Breaks an endpoint or several, until cleared or for the next `times` requests. */
  set(group: EndpointGroup, fault: Fault, times?: number): void;
  /** Mends an endpoint or several, or all. */
  clear(group?: EndpointGroup): void;
  /** The fault for the next request, which counts as used. */
  take(endpoint: Endpoint): Fault | undefined;
}

export function createFaults(initial: Partial<Readonly<Record<Endpoint, Fault>>> = {}): Faults {
  const active = new Map<Endpoint, { readonly fault: Fault; left: number }>();
  const faults: Faults = {
    set(group, fault, times = Number.POSITIVE_INFINITY) {
      for (const one of ENDPOINTS) {
        if (isOfGroup(one, group)) active.set(one, { fault, left: times });
      }
    },
    clear(group) {
      for (const one of [...active.keys()]) {
        if (group === undefined || isOfGroup(one, group)) active.delete(one);
      }
    },
    take(endpoint) {
      const entry = active.get(endpoint);
      if (entry === undefined) return undefined;
      entry.left -= 1;
      if (entry.left <= 0) active.delete(endpoint);
      return entry.fault;
    },
  };
  for (const endpoint of ENDPOINTS) {
    const fault = initial[endpoint];
    if (fault !== undefined) faults.set(endpoint, fault);
  }
  return faults;
}

const KEYS_THAT_MATTER =
  /"(author_name|mediaDetails|uri|thread|posts|legacy|text|rest_id|id_str|thumbnail_url|xig_polaris_media|if_not_gated_logged_out|xdt_api__v1__media__shortcode__web_info|items|media_type|video_versions|image_versions2|carousel_media|pk|code|contextJSON|gql_data|shortcode_media|playback_video|videoDelivery\w+|videoData|[hs]d_src\w*|browser_native_\w+|progressive_urls|attachments|all_subattachments|viewer_image|image|currMedia|media)(\\?")/g;

const BEATMAP_KEYS_THAT_MATTER = /"(beatmapsets|id|title|title_unicode|username|access_token|attributes|count)"/g;

function bodyText(answer: Answer): string {
  return typeof answer.body === 'string' ? answer.body : answer.body.toString('latin1');
}

function renameKeys(endpoint: Endpoint, body: string): string {
  const isBeatmaps = [...OSU_ENDPOINTS, ...MIRROR_ENDPOINTS].some(one => one === endpoint);
  return isBeatmaps ? body.replace(BEATMAP_KEYS_THAT_MATTER, '"new_$1"') : body.replace(KEYS_THAT_MATTER, '"new_$1$2');
}

function isFacebook(endpoint: Endpoint): boolean {
  return endpoint.startsWith('facebook');
}

/** Endpoints whose answers are pages for people. */
function isPage(endpoint: Endpoint): boolean {
  return (
    isFacebook(endpoint) ||
    ['instagram.home', 'instagram.page', 'instagram.embed', 'instagram.share'].some(group => isOfGroup(endpoint, group))
  );
}

const WAIT = { message: 'Please wait a few minutes before you try again.', require_login: true, status: 'fail' };
const LOGIN = { message: 'login_required', require_login: true, status: 'fail' };
const RATE = { data: null, errors: [{ message: 'Rate limit exceeded', code: 1_675_004, severity: 'CRITICAL' }] };

function toLoginPage(endpoint: Endpoint, ask: Ask): Answer {
  const page = isFacebook(endpoint) ? 'https://www.facebook.com/login/' : 'https://www.instagram.com/accounts/login/';
  return redirect(`${page}?next=${encodeURIComponent(ask.url.pathname)}`);
}

function loginAnswer(endpoint: Endpoint, ask: Ask): Answer {
  return isFacebook(endpoint) || isPage(endpoint) ? toLoginPage(endpoint, ask) : json(LOGIN, 401);
}

function throttleAnswer(endpoint: Endpoint, tokens: SessionTokens): Answer {
  if (isFacebook(endpoint)) return html(blockedPage());
  if (isOfGroup(endpoint, 'instagram.page')) return html(throttledPage(tokens));
  return isPage(endpoint) ? html('', 429) : json(RATE, 429);
}

/** The answer in place of the right one; undefined for faults of the connection, which `sendFaulty` plays. */
export function faultyAnswer(
  fault: Fault,
  endpoint: Endpoint,
  ask: Ask,
  right: Answer,
  tokens: SessionTokens,
): Answer | undefined {
  const [name, number] = fault.split(':', 2);
  switch (name) {
    case 'status':
      return { ...html('', Number(number)) };
    case 'retry-after':
      return html('', 429, { 'retry-after': number ?? '1' });
    case 'html':
      return html(isFacebook(endpoint) ? facebookLogin() : loginPage(tokens));
    case 'login':
      return loginAnswer(endpoint, ask);
    case 'wall':
      return toLoginPage(endpoint, ask);
    case 'wait':
      return json(WAIT, 401);
    case 'throttle':
      return throttleAnswer(endpoint, tokens);
    case 'empty':
      return { ...right, status: 200, body: '' };
    case 'garbage':
      return {
        ...right,
        status: 200,
        body: Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7_919) % 251)),
      };
    case 'truncate':
      return { ...right, body: right.body.slice(0, right.body.length / 2) };
    case 'shape-changed':
      return { ...right, body: renameKeys(endpoint, bodyText(right)) };
    case 'redirect-loop':
      return redirect(`https://${ask.host}${ask.url.pathname}${ask.url.search}`);
    case 'redirect-private':
      return redirect('http://169.254.169.254/latest/meta-data/');
    case 'redirect-off-site':
      return redirect('https://example.com/elsewhere');
    default:
      return undefined;
  }
}

const FILLER = Buffer.alloc(64 * 1024, ' ');

function writeEndlessly(response: ServerResponse): void {
  if (response.destroyed) return;
  if (response.write(FILLER)) setImmediate(writeEndlessly, response);
  else response.once('drain', () => writeEndlessly(response));
}

function drip(response: ServerResponse, body: Buffer): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (response.destroyed || sent >= body.length) clearInterval(timer);
    else response.write(body.subarray(sent, ++sent));
  }, 100);
  response.once('close', () => clearInterval(timer));
}

function delayOf(fault: Fault): number {
  return Number(fault.split(':', 2)[1]);
}

/** Plays a fault of the connection. The response is left open: closing the sandbox ends it. */
export function sendFaulty(fault: Fault, right: Answer, response: ServerResponse): void {
  const body = Buffer.from(right.body);
  if (fault === 'hang') return;
  if (fault.startsWith('delay:')) {
    const headers = { ...right.headers, 'content-length': String(body.length) };
    const timer = setTimeout(() => response.writeHead(right.status, headers).end(body), delayOf(fault));
    response.once('close', () => clearTimeout(timer));
    return;
  }
  if (fault === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const whole = fault === 'cut' || fault === 'stall' ? { 'content-length': String(Math.max(2, body.length)) } : {};
  response.writeHead(right.status, { ...right.headers, ...whole });
  if (fault === 'drip') drip(response, body);
  else if (fault === 'endless') {
    response.write(body.subarray(0, body.length / 2));
    writeEndlessly(response);
  } else {
    response.write(body.subarray(0, Math.max(1, body.length / 2)), () => {
      if (fault === 'cut') response.socket?.destroy();
    });
  }
}
