/** Instagram, Facebook and their CDN, the other sites, osu! and its mirrors, played by one loopback server that distinguishes them by the Host header. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createMediaAddresses } from './address.ts';
import { type Answer, type Ask, plain } from './answer.ts';
import { type BeatmapWorld, createBeatmapWorld } from './beatmap-world.ts';
import { answerCdn } from './cdn.ts';
import { EXAMPLES } from './examples.ts';
import { type FacebookEndpoint, facebookEndpoint } from './facebook/callers.ts';
import { answerFacebook, answerOtherFacebook, type FacebookSite } from './facebook/site.ts';
import {
  createFaults,
  type Endpoint,
  type EndpointGroup,
  type Fault,
  type Faults,
  faultyAnswer,
  isOfGroup,
  sendFaulty,
} from './faults.ts';
import { type InstagramEndpoint, instagramEndpoint } from './instagram/callers.ts';
import { answerInstagram, answerOtherInstagram, type InstagramSite } from './instagram/site.ts';
import { loadMediaFiles } from './media.ts';
import {
  answerMirror,
  answerOtherMirror,
  MIRROR_ENDPOINTS,
  MIRROR_HOSTS,
  type MirrorEndpoint,
  mirrorEndpoint,
  withoutQuery,
} from './mirrors.ts';
import { answerOsu, answerOtherOsu, OSU_ENDPOINTS, type OsuEndpoint, osuEndpoint } from './osu.ts';
import { answerOsuAsset, OSU_ASSET_HOSTS } from './osu-assets.ts';
import { isSiteEndpoint, SITES, siteOfHost } from './sites.ts';
import { generatedReel, pkOf, WORLD, type World } from './world.ts';

export interface SandboxOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  readonly world?: World;
  readonly faults?: Partial<Readonly<Record<Endpoint, Fault>>>;
  /** Generated beatmapsets beside the few that have a story. Default 0. */
  readonly beatmapsets?: number;
  /** Unknown Instagram codes name generated reels instead of nothing. */
  readonly generate?: boolean;
  /** Whether Facebook sees its visitors come from a data centre: it then shows them less. */
  readonly isDataCentre?: boolean;
  /** How long media addresses work. Default three days. */
  readonly addressLifetimeMs?: number;
  readonly now?: () => number;
}

export interface SandboxRequest {
  readonly host: string;
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** `other` for pages without faults, `unknown` for hosts that are not played. */
  readonly endpoint: Endpoint | 'other' | 'unknown';
}

export interface Sandbox {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** For `UPSTREAM_OVERRIDES`: all played hosts. */
  readonly overrides: string;
  /** The latest requests, oldest first; at most 2,000. */
  readonly requests: readonly SandboxRequest[];
  readonly faults: Faults;
  readonly world: World;
  readonly beatmaps: BeatmapWorld;
  /** How many requests of an endpoint, or of several, are in `requests`. */
  count(group: EndpointGroup | SandboxRequest['endpoint']): number;
  clearRequests(): void;
  /** Media addresses given out so far answer 403 `URL signature expired` from now on. */
  expireAddresses(): void;
  close(): Promise<void>;
}

const HOSTS: readonly string[] = [
  'instagram.com',
  '*.instagram.com',
  'facebook.com',
  '*.facebook.com',
  'fb.watch',
  'cdninstagram.com',
  '*.cdninstagram.com',
  '*.fbcdn.net',
  ...SITES.flatMap(({ hosts }) => hosts),
  'osu.ppy.sh',
  ...OSU_ASSET_HOSTS,
  ...MIRROR_HOSTS,
];
const MAX_REQUESTS = 2_000;
const MAX_FORM_BYTES = 64 * 1024;
const THREE_DAYS_MS = 3 * 86_400_000;
const BODY_TIMEOUT_MS = 10_000;

function isOf(host: string, site: string): boolean {
  return host === site || host.endsWith(`.${site}`);
}

function isMetaCdn(host: string): boolean {
  return isOf(host, 'cdninstagram.com') || host.endsWith('.fbcdn.net');
}

function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const pairs = (header ?? '').split(';').map(pair => pair.trim().split('=', 2));
  return new Map(pairs.flatMap(([name, value]) => (name && value !== undefined ? [[name, value] as const] : [])));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_FORM_BYTES) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function readAsk(request: IncomingMessage): Promise<Ask> {
  const host = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  const url = new URL(`https://${host || 'nowhere.invalid'}${request.url ?? '/'}`);
  const { method = 'GET', headers } = request;
  const body = await readBody(request);
  return { host, url, method, headers, cookies: readCookies(headers.cookie), body, form: new URLSearchParams(body) };
}

function send(answer: Answer, ask: Ask, response: ServerResponse): void {
  const body = Buffer.from(answer.body);
  const length = answer.status === 304 ? {} : { 'content-length': String(body.length) };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  response.end(ask.method === 'HEAD' ? undefined : body);
}

function isInstagram(endpoint: Endpoint): endpoint is InstagramEndpoint {
  return endpoint.startsWith('instagram.');
}

function isFacebook(endpoint: Endpoint): endpoint is FacebookEndpoint {
  return endpoint.startsWith('facebook.');
}

function isOsu(endpoint: Endpoint): endpoint is OsuEndpoint {
  return OSU_ENDPOINTS.some(one => one === endpoint);
}

function isMirror(endpoint: Endpoint): endpoint is MirrorEndpoint {
  return MIRROR_ENDPOINTS.some(one => one === endpoint);
}

/** Starts it; the caller closes it. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, world = WORLD, generate = false, addressLifetimeMs = THREE_DAYS_MS, now = Date.now } = options;
  const files = loadMediaFiles();
  const addresses = createMediaAddresses({ files, now, lifetimeMs: addressLifetimeMs });
  const faults = createFaults(options.faults);
  const beatmaps = createBeatmapWorld(options.beatmapsets);
  const requests: SandboxRequest[] = [];
  const posts = [...world.instagram, ...EXAMPLES.instagram];
  const byCode = new Map(posts.map(post => [post.code, post]));
  const byId = new Map(posts.map(post => [pkOf(post.code), post]));
  const instagram: InstagramSite = {
    addresses,
    files,
    tokens: { lsd: 'AVsandbox0T' },
    csrf: 'SandboxCsrfTokenOfAVisitor000000',
    shortLinks: world.shortLinks,
    find: code => byCode.get(code) ?? (generate ? generatedReel({ code }) : undefined),
    findById: pk => byId.get(pk) ?? (generate ? generatedReel({ pk }) : undefined),
  };
  const facebook: FacebookSite = {
    addresses,
    files,
    posts: [...world.facebook, ...EXAMPLES.facebook],
    shortLinks: world.shortLinks,
    isDataCentre: options.isDataCentre ?? false,
  };
  const empty = {
    instagram: { ...instagram, shortLinks: [], find: () => undefined, findById: () => undefined },
    facebook: { ...facebook, posts: [], shortLinks: [] },
    beatmaps: { sets: [], players: [] },
  };

  function endpointOf(ask: Ask): SandboxRequest['endpoint'] {
    if (isOf(ask.host, 'instagram.com')) return instagramEndpoint(ask) ?? 'other';
    if (isOf(ask.host, 'facebook.com') || ask.host === 'fb.watch') return facebookEndpoint(ask) ?? 'other';
    const site = siteOfHost(ask.host);
    if (site !== undefined) return site.endpointOf(ask) ?? 'other';
    if (ask.host === 'osu.ppy.sh') return osuEndpoint(ask) ?? 'other';
    if (OSU_ASSET_HOSTS.includes(ask.host)) return 'other';
    if (MIRROR_HOSTS.includes(ask.host)) return mirrorEndpoint(ask) ?? 'other';
    return isMetaCdn(ask.host) ? 'cdn' : 'unknown';
  }

  function answerOther(ask: Ask, endpoint: 'other' | 'unknown'): Answer {
    if (endpoint === 'unknown') return plain(421, 'The sandbox does not play this host');
    if (siteOfHost(ask.host) !== undefined) return plain(404, 'Not Found');
    if (ask.host === 'osu.ppy.sh') return answerOtherOsu();
    if (OSU_ASSET_HOSTS.includes(ask.host)) return answerOsuAsset(ask, beatmaps);
    if (MIRROR_HOSTS.includes(ask.host)) return answerOtherMirror();
    return isOf(ask.host, 'instagram.com') ? answerOtherInstagram(ask, instagram) : answerOtherFacebook();
  }

  function rightAnswer(ask: Ask, endpoint: Endpoint, isNull: boolean): Answer | Promise<Answer> {
    const sites = isNull ? empty : { instagram, facebook, beatmaps };
    if (isInstagram(endpoint)) return answerInstagram(endpoint, ask, sites.instagram);
    if (isFacebook(endpoint)) return answerFacebook(endpoint, ask, sites.facebook);
    if (isSiteEndpoint(endpoint)) {
      return siteOfHost(ask.host)?.answer(endpoint, ask, { files, addresses, isNull, now }) ?? plain(404, 'Not Found');
    }
    if (isOsu(endpoint)) return answerOsu(endpoint, ask, sites.beatmaps);
    if (isMirror(endpoint)) return answerMirror(endpoint, ask, sites.beatmaps);
    return isNull ? plain(404, 'Not Found') : answerCdn(ask, addresses);
  }

  async function respond(ask: Ask, response: ServerResponse): Promise<void> {
    const endpoint = endpointOf(ask);
    requests.push({ host: ask.host, method: ask.method, path: `${ask.url.pathname}${ask.url.search}`, endpoint });
    if (requests.length > MAX_REQUESTS) requests.splice(0, requests.length - MAX_REQUESTS);
    if (endpoint === 'other' || endpoint === 'unknown') {
      send(answerOther(ask, endpoint), ask, response);
      return;
    }
    const fault = faults.take(endpoint);
    const right = await rightAnswer(fault === 'ignore-query' ? withoutQuery(ask) : ask, endpoint, fault === 'null');
    if (fault === undefined || fault === 'null' || fault === 'ignore-query') {
      send(right, ask, response);
      return;
    }
    const wrong = faultyAnswer(fault, endpoint, ask, right, instagram.tokens);
    if (wrong === undefined) sendFaulty(fault, right, response);
    else send(wrong, ask, response);
  }

  const server = createServer({ requestTimeout: BODY_TIMEOUT_MS, keepAliveTimeout: 30_000 }, (request, response) => {
    readAsk(request)
      .then(ask => respond(ask, response))
      .catch(error => {
        // The sandbox's own mistake: say it where the test that asked will see it.
        if (response.headersSent) response.destroy();
        else response.writeHead(500, { 'content-type': 'text/plain' }).end(`sandbox: ${error}`);
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sandbox did not get a port');
  const origin = `http://127.0.0.1:${address.port}`;

  return {
    origin,
    overrides: HOSTS.map(host => `${host}=${origin}`).join(','),
    requests,
    faults,
    world,
    beatmaps,
    count: group => requests.filter(request => isOfGroup(request.endpoint, group)).length,
    clearRequests() {
      requests.length = 0;
    },
    expireAddresses: () => addresses.expireAll(),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) => server.close(error => (error ? reject(error) : resolve())));
    },
  };
}
