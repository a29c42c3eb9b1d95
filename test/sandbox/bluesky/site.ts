/** Bluesky as it answers visitors: its API, the directory of ids, its servers of files and its CDN (public notes of 2026-11). */

import { piecesOf, streamOf } from '../../fakes/stream.ts';
import { type Answer, type Ask, json, plain } from '../answer.ts';
import { answerFile } from '../cdn.ts';
import { type Clip, type Media, SEA, TRAM } from '../media.ts';
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

const RENDITIONS = ['360p', '720p'] as const;
const PIECES = 3;
const PLAYLIST = { 'content-type': 'application/vnd.apple.mpegurl' };

/** The clips as streams, by the name of the file that each is made of. */
const streams = new Map<string, Promise<Buffer>>();

function streamedFile(name: string): Promise<Buffer> {
  const known = streams.get(name) ?? streamOf(name, 'ts', 'both');
  streams.set(name, known);
  return known;
}

function masterOf({ width, height }: Clip): string {
  const short = Math.min(width, height);
  const lines = RENDITIONS.flatMap(name => {
    const scale = Number.parseInt(name, 10) / short;
    const size = `${Math.round(width * scale)}x${Math.round(height * scale)}`;
    return [
      `#EXT-X-STREAM-INF:BANDWIDTH=${Math.round(3_440_800 * scale ** 2)},CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=${size}`,
      `${name}/video.m3u8?session_id=s`,
    ];
  });
  return ['#EXTM3U', '#EXT-X-VERSION:3', ...lines].join('\n');
}

function mediaPlaylistOf({ durationMs }: Clip): string {
  const piece = (durationMs / PIECES / 1_000).toFixed(3);
  const pieces = Array.from({ length: PIECES }, (_, index) => `#EXTINF:${piece},\nvideo${index}.ts`);
  const head = ['#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-PLAYLIST-TYPE:VOD', `#EXT-X-TARGETDURATION:${PIECES}`];
  return [...head, ...pieces, '#EXT-X-ENDLIST'].join('\n');
}

/** A clip's list of renditions, the list of one's pieces, or a piece. */
async function answerStream(clip: Clip, path: string): Promise<Answer> {
  const [, rendition, piece] = /\/(360p|720p)\/video(?:\.m3u8|(\d)\.ts)$/.exec(path) ?? [];
  if (path.endsWith('/playlist.m3u8')) return { status: 200, headers: PLAYLIST, body: masterOf(clip) };
  if (rendition === undefined) return plain(404, 'Not Found');
  if (piece === undefined) return { status: 200, headers: PLAYLIST, body: mediaPlaylistOf(clip) };
  const stream = await streamedFile((rendition === '360p' ? clip.small : null) ?? clip.best);
  const body = piecesOf(stream, PIECES)[Number(piece)];
  return body === undefined
    ? plain(404, 'Not Found')
    : { status: 200, headers: { 'content-type': 'video/mp2t' }, body };
}

function answerCdn(ask: Ask, stage: SiteStage): Answer | Promise<Answer> {
  const path = decodeURIComponent(ask.url.pathname);
  const cid = /\/(bafkrei\w+)/.exec(path)?.[1] ?? null;
  const file = fileOf(cid, stage);
  const clip = [SEA, TRAM].find(({ best }) => best === file?.name);
  if (clip !== undefined && /\.(?:m3u8|ts)$/.test(path)) return answerStream(clip, path);
  const name = clip?.cover ?? file?.name ?? '';
  const isSmall = path.includes('/feed_thumbnail/');
  const shown = (isSmall ? stage.files.get(name.replace('.jpg', '-480.jpg')) : undefined) ?? stage.files.get(name);
  return shown === undefined ? plain(404, 'Not Found') : answerFile(ask, shown);
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
