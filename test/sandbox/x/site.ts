/** X as it answers visitors: the address of the widgets, the query for guests, short links, and its files (public notes of 2026-11). */
import { X_IDS } from '../../../src/media/sources/x/descriptor.ts';
import { type Answer, type Ask, html, json, plain, redirect } from '../answer.ts';
import { answerFile } from '../cdn.ts';
import type { SandboxSite, SiteEndpoint, SiteStage } from '../site.ts';
import { X_POSTS, X_SHORT, type XPost } from './posts.ts';
import { queried, syndicated } from './shapes.ts';

const { bearer, queryId } = X_IDS.parse({});
const GUEST = '1980000000000000999';
/** The query answers none who leaves one of these out. */
const NEEDED = ['responsive_web_graphql_exclude_directive_enabled', 'view_counts_everywhere_api_enabled'];

const TOMBSTONES = {
  age: undefined,
  private: 'You’re unable to view this Post because this account owner limits who can view their Posts. Learn more',
  suspended: 'This Post is from a suspended account. Learn more',
  deleted: 'This Post was deleted by the Post author. Learn more',
} as const;

function find(id: string | null, { isNull }: SiteStage): XPost | undefined {
  return isNull ? undefined : X_POSTS.find(post => post.id === id);
}

function tombstone(state: keyof typeof TOMBSTONES): object {
  const text = TOMBSTONES[state];
  return {
    __typename: 'TweetTombstone',
    tombstone: text === undefined ? {} : { text: { rtl: false, text, entities: [] } },
  };
}

/** Anyone is answered who brings a token; none is compared with the id. */
function answerWidget(ask: Ask, stage: SiteStage): Answer {
  const { searchParams } = ask.url;
  if (!/^[a-z1-9]+$/.test(searchParams.get('token') ?? '') || ask.headers['user-agent'] === undefined) {
    return html('<!DOCTYPE html><title>Bad request</title>', 400);
  }
  const post = find(searchParams.get('id'), stage);
  if (post === undefined) return html('<!DOCTYPE html><html lang="en"><title>Not Found</title></html>', 404);
  return json(post.state === 'public' ? syndicated(post, stage.files) : tombstone(post.state));
}

function refusal(status: number, code: number, message: string): Answer {
  return json({ errors: [{ code, message }] }, status);
}

function activate(ask: Ask): Answer {
  if (ask.method !== 'POST') return refusal(405, 86, 'This method requires a POST.');
  if (ask.headers.authorization !== `Bearer ${bearer}`) return refusal(403, 200, 'forbidden');
  return json({ guest_token: GUEST });
}

function reasonOf(state: XPost['state']): object {
  const reason = state === 'age' ? 'NsfwLoggedOut' : state === 'private' ? 'Protected' : 'Suspended';
  return { __typename: 'TweetUnavailable', reason };
}

function answerQuery(ask: Ask, stage: SiteStage): Answer {
  if (ask.url.pathname !== `/graphql/${queryId}/TweetResultByRestId`) return plain(404, '');
  if (ask.headers.authorization !== `Bearer ${bearer}`) return refusal(401, 32, 'Could not authenticate you.');
  if (ask.headers['x-guest-token'] !== GUEST) return refusal(403, 239, 'Bad guest token');
  const features = ask.url.searchParams.get('features') ?? '';
  const missing = NEEDED.filter(name => !features.includes(name));
  if (missing.length > 0) return refusal(400, 336, `The following features cannot be null: ${missing.join(', ')}`);
  const id = /"tweetId":"(\d+)"/.exec(ask.url.searchParams.get('variables') ?? '')?.[1] ?? null;
  const post = find(id, stage);
  if (post === undefined || post.state === 'deleted') return json({ data: { tweetResult: {} } });
  const result = post.state === 'public' ? queried(post, stage.files) : reasonOf(post.state);
  return json({ data: { tweetResult: { result } } });
}

/** A browser is led on by a page. */
function answerShort(ask: Ask): Answer {
  const id = X_SHORT.get(ask.url.pathname.slice(1));
  if (id === undefined) return html('<title>Not Found</title>', 404);
  const target = `https://twitter.com/skerrow_light/status/${id}?s=20`;
  const isBrowser = ask.headers['user-agent']?.startsWith('Mozilla/') === true;
  return isBrowser
    ? html(`<noscript><META http-equiv="refresh" content="0;URL=${target}"></noscript>`)
    : redirect(target);
}

/** A photo comes in the size that is asked for by name. */
function answerCdn(ask: Ask, { files }: SiteStage): Answer {
  const key = /([\w]{15})(?:_normal)?\.(?:jpg|mp4)$/.exec(ask.url.pathname)?.[1] ?? '';
  const file = [...files.values()].find(one => one.key.startsWith(key) && key !== '');
  if (file === undefined) return plain(404, 'Not Found');
  const isSmall = ['small', 'medium'].includes(ask.url.searchParams.get('name') ?? '');
  return answerFile(ask, (isSmall ? files.get(file.name.replace('.jpg', '-480.jpg')) : undefined) ?? file);
}

const HOSTS: Readonly<Record<string, SiteEndpoint>> = {
  'cdn.syndication.twimg.com': 'x.syndication',
  't.co': 'x.short-link',
  'pbs.twimg.com': 'x.cdn',
  'video.twimg.com': 'x.cdn',
};

export const xSite: SandboxSite = {
  hosts: ['x.com', '*.x.com', 'twitter.com', '*.twitter.com', ...Object.keys(HOSTS)],
  endpoints: ['x.syndication', 'x.activate', 'x.query', 'x.short-link', 'x.cdn'],
  links: [
    ...X_POSTS.filter(({ about }) => !about.endsWith('example')).map(({ id, author, about, state }) => ({
      url: `https://x.com/${author.username}/status/${id}`,
      about,
      shows: state === 'public' ? ('media' as const) : ('notice' as const),
    })),
    ...[...X_SHORT.keys()].map(name => ({
      url: `https://t.co/${name}`,
      about: 'X: a short link',
      shows: 'media' as const,
    })),
  ],
  endpointOf({ host, url }) {
    if (host === 'api.x.com') return url.pathname === '/1.1/guest/activate.json' ? 'x.activate' : 'x.query';
    return HOSTS[host];
  },
  answer(endpoint, ask, stage) {
    if (endpoint === 'x.syndication') return answerWidget(ask, stage);
    if (endpoint === 'x.activate') return activate(ask);
    if (endpoint === 'x.query') return answerQuery(ask, stage);
    return endpoint === 'x.short-link' ? answerShort(ask) : answerCdn(ask, stage);
  },
};
