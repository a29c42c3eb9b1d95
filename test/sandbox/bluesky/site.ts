/** Bluesky as it answers visitors: its API, the directory of ids, its servers of files and its CDN (public notes of 2026-11). */
import { type Answer, type Ask, json, plain } from '../answer.ts';
import { answerFile } from '../cdn.ts';
import type { Media } from '../media.ts';
import type { SandboxSite, SiteEndpoint, SiteStage } from '../site.ts';
import { BLUESKY_POSTS, type BlueskyPerson, type BlueskyPost } from './posts.ts';

type Shape = Readonly<Record<string, unknown>>;

const failure = (error: string, message: string, status = 400): Answer => json({ error, message }, status);
const uriOf = ({ author, key }: BlueskyPost) => `at://${author.did}/app.bsky.feed.post/${key}`;
/** The id of a file's content, in the letters that such ids have. */
const cidOf = (name: string) =>
  `bafkrei${name
    .replace(/\W/g, '')
    .replaceAll(/[0189]/g, 'q')
    .toLowerCase()}sandboxfile`;

function photoOf(media: Media, { did }: BlueskyPerson, small: 'thumb' | 'thumbnail'): Shape {
  const { best, width, height } = media;
  const address = (size: string) => `https://cdn.bsky.app/img/${size}/plain/${did}/${cidOf(best)}@jpeg`;
  const alt = media.kind === 'image' ? media.alt : '';
  const aspectRatio = { width, height };
  return { [small]: address('feed_thumbnail'), fullsize: address('feed_fullsize'), alt, aspectRatio };
}

function mediaOf({ media, author, isGallery }: BlueskyPost): { readonly view: Shape; readonly record: Shape } | null {
  const [first] = media;
  if (first === undefined) return null;
  const blob = ({ best }: Media, mimeType: string) => ({
    $type: 'blob',
    ref: { $link: cidOf(best) },
    mimeType,
    size: 963_604,
  });
  const aspectRatio = { width: first.width, height: first.height };
  if (first.kind === 'video') {
    const root = `https://video.bsky.app/watch/${encodeURIComponent(author.did)}/${cidOf(first.best)}`;
    const files = { cid: cidOf(first.best), playlist: `${root}/playlist.m3u8`, thumbnail: `${root}/thumbnail.jpg` };
    const view = { $type: 'app.bsky.embed.video#view', ...files, aspectRatio };
    return { view, record: { $type: 'app.bsky.embed.video', video: blob(first, 'video/mp4'), aspectRatio } };
  }
  const [type, list, small] = isGallery
    ? (['gallery', 'items', 'thumbnail'] as const)
    : (['images', 'images', 'thumb'] as const);
  const written = media.map(one => ({ alt: one.kind === 'image' ? one.alt : '', image: blob(one, 'image/jpeg') }));
  return {
    view: { $type: `app.bsky.embed.${type}#view`, [list]: media.map(one => photoOf(one, author, small)) },
    record: { $type: `app.bsky.embed.${type}`, [list]: written },
  };
}

function viewOf(post: BlueskyPost, isQuoted = false): Shape {
  const { author, text, label } = post;
  const media = mediaOf(post);
  const quoted = BLUESKY_POSTS.find(({ key }) => key === post.quotes);
  const quote = quoted && { record: { $type: 'app.bsky.embed.record#viewRecord', ...viewOf(quoted, true) } };
  const withMedia = { $type: 'app.bsky.embed.recordWithMedia#view', media: media?.view, record: quote };
  const embed = quote === undefined ? media?.view : withMedia;
  const tag = text.indexOf('#');
  const features = [{ $type: 'app.bsky.richtext.facet#tag', tag: text.slice(tag + 1) }];
  const record = {
    $type: 'app.bsky.feed.post',
    createdAt: '2025-10-20T06:12:00.000Z',
    text,
    ...(tag >= 0 && { facets: [{ index: { byteStart: tag, byteEnd: text.length }, features }] }),
    ...(media !== null && { embed: media.record }),
  };
  const val = (name: string) => ({ src: author.did, uri: `at://${author.did}/app.bsky.actor.profile/self`, val: name });
  return {
    uri: uriOf(post),
    cid: cidOf(post.key),
    author: {
      did: author.did,
      handle: author.handle,
      displayName: author.name,
      avatar: `https://cdn.bsky.app/img/avatar/plain/${author.did}/${cidOf(author.avatar)}@jpeg`,
      labels: author.isForMembers === true ? [val('!no-unauthenticated')] : [],
    },
    ...(isQuoted ? { value: record, embeds: embed === undefined ? [] : [embed] } : { record, embed }),
    replyCount: 17,
    repostCount: 96,
    likeCount: 1_204,
    quoteCount: 4,
    indexedAt: '2025-10-20T06:12:02.000Z',
    labels: label === undefined ? [] : [val(label)],
  };
}

function find(uri: string, { isNull }: SiteStage): BlueskyPost | undefined {
  const [, actor, key] = /^at:\/\/([^/]+)\/app\.bsky\.feed\.post\/(\w+)$/.exec(uri) ?? [];
  const fits = ({ did, handle }: BlueskyPerson) => did === actor || handle === actor;
  return isNull ? undefined : BLUESKY_POSTS.find(post => post.key === key && fits(post.author));
}

function answerThread(ask: Ask, stage: SiteStage): Answer {
  const uri = ask.url.searchParams.get('uri') ?? '';
  if (!/^at:\/\/[^/]+\/[\w.]+\/\w+$/.test(uri)) return failure('InvalidRequest', 'Error: uri must be a valid at-uri');
  const post = find(uri, stage);
  if (post === undefined || post.state === 'gone') return failure('NotFound', `Post not found: ${uri}`);
  if (post.state === 'taken-down') return failure('AccountTakedown', 'Account has been suspended');
  const blocked = { $type: 'app.bsky.feed.defs#blockedPost', uri, blocked: true, author: { did: post.author.did } };
  return json({
    thread: post.state === 'blocked' ? blocked : { $type: 'app.bsky.feed.defs#threadViewPost', post: viewOf(post) },
  });
}

/** It takes no names. */
function answerPosts(ask: Ask, stage: SiteStage): Answer {
  const uri = ask.url.searchParams.get('uris') ?? '';
  if (!uri.startsWith('at://did:')) return failure('InvalidRequest', 'Error: uris/0 must be a valid at-uri of a did');
  const post = find(uri, stage);
  return json({ posts: post?.state === 'public' ? [viewOf(post)] : [] });
}

const PEOPLE = BLUESKY_POSTS.map(({ author }) => author);

function answerIdentity(ask: Ask): Answer {
  if (ask.host === 'plc.directory') {
    const person = PEOPLE.find(({ did }) => ask.url.pathname === `/${did}`);
    if (person === undefined) return json({ message: 'DID not registered' }, 404);
    const service = { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: person.server };
    return json({ id: person.did, alsoKnownAs: [`at://${person.handle}`], service: [service] });
  }
  const person = PEOPLE.find(({ handle }) => handle === ask.url.searchParams.get('handle'));
  return person === undefined ? failure('InvalidRequest', 'Unable to resolve handle') : json({ did: person.did });
}

function fileOf(cid: string | null, { files }: SiteStage) {
  return [...files.values()].find(({ name }) => cidOf(name) === cid);
}

function answerBlob(ask: Ask, stage: SiteStage): Answer {
  const { searchParams: query } = ask.url;
  const isTheirs = PEOPLE.some(({ did, server }) => did === query.get('did') && server === `https://${ask.host}`);
  const file = isTheirs ? fileOf(query.get('cid'), stage) : undefined;
  return file === undefined ? failure('BlobNotFound', 'Blob not found') : answerFile(ask, file);
}

const MASTER = [
  '#EXTM3U',
  '#EXT-X-VERSION:3',
  '#EXT-X-STREAM-INF:BANDWIDTH=655600,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=360x640',
  '360p/video.m3u8?session_id=s',
  '#EXT-X-STREAM-INF:BANDWIDTH=3440800,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=720x1280',
  '720p/video.m3u8?session_id=s',
].join('\n');

function answerCdn(ask: Ask, stage: SiteStage): Answer {
  const path = decodeURIComponent(ask.url.pathname);
  const cid = /\/(bafkrei\w+)/.exec(path)?.[1] ?? null;
  const video = fileOf(cid, stage);
  if (video !== undefined && path.endsWith('/playlist.m3u8')) {
    return { status: 200, headers: { 'content-type': 'application/vnd.apple.mpegurl' }, body: MASTER };
  }
  const name = video?.name.replace(/-\d+\.mp4$/, '-cover.jpg') ?? '';
  const isSmall = path.includes('/feed_thumbnail/');
  const file = (isSmall ? stage.files.get(name.replace('.jpg', '-480.jpg')) : undefined) ?? stage.files.get(name);
  return file === undefined || path.endsWith('.m3u8') ? plain(404, 'Not Found') : answerFile(ask, file);
}

const METHODS: Readonly<Record<string, SiteEndpoint>> = {
  '/xrpc/app.bsky.feed.getPostThread': 'bluesky.thread',
  '/xrpc/app.bsky.feed.getPosts': 'bluesky.posts',
  '/xrpc/com.atproto.identity.resolveHandle': 'bluesky.identity',
};

export const blueskySite: SandboxSite = {
  hosts: ['bsky.app', '*.bsky.app', 'plc.directory', '*.host.bsky.network'],
  endpoints: ['bluesky.thread', 'bluesky.posts', 'bluesky.identity', 'bluesky.blob', 'bluesky.cdn'],
  links: BLUESKY_POSTS.filter(({ about }) => !about.endsWith('example')).map(({ key, author, about, state }) => ({
    url: `https://bsky.app/profile/${author.handle}/post/${key}`,
    about,
    shows: state === 'public' && author.isForMembers !== true ? ('media' as const) : ('notice' as const),
  })),
  endpointOf({ host, url }) {
    if (host === 'public.api.bsky.app') return METHODS[url.pathname];
    if (host === 'plc.directory') return 'bluesky.identity';
    if (host.endsWith('.host.bsky.network')) return 'bluesky.blob';
    return host === 'cdn.bsky.app' || host === 'video.bsky.app' ? 'bluesky.cdn' : undefined;
  },
  answer(endpoint, ask, stage) {
    if (endpoint === 'bluesky.thread') return answerThread(ask, stage);
    if (endpoint === 'bluesky.posts') return answerPosts(ask, stage);
    if (endpoint === 'bluesky.identity') return answerIdentity(ask);
    return endpoint === 'bluesky.blob' ? answerBlob(ask, stage) : answerCdn(ask, stage);
  },
};
