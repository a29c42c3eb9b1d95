/** Reddit as it answers visitors, by its embeds, pages and feeds (public notes of 2026-10). People and posts are invented. */
import { reddit } from '../../../src/media/sources/reddit/descriptor.ts';
import { type Answer, type Ask, escapeHtml, html, plain, redirect } from '../answer.ts';
import { answerFile } from '../cdn.ts';
import { BOWL, CLAY, type Clip, DUSK, FERN, type Media, SEA } from '../media.ts';
import type { SandboxSite, SiteStage } from '../site.ts';

interface RedditPost {
  readonly id: string;
  readonly about: string;
  readonly type: 'video' | 'image' | 'gallery' | 'text';
  readonly media: readonly Media[];
  /** The embed and the page name no whole file, as of videos that are new. */
  readonly isTracksOnly?: boolean;
  readonly isSensitive?: boolean;
}

const POSTS: readonly RedditPost[] = [
  { id: '1sand01', about: 'Reddit: a video', type: 'video', media: [CLAY] },
  { id: '1sand02', about: 'Reddit: an image', type: 'image', media: [BOWL] },
  { id: '1sand03', about: 'Reddit: a gallery', type: 'gallery', media: [FERN, BOWL, DUSK] },
  { id: '1sand04', about: 'Reddit: a video of separate tracks', type: 'video', media: [CLAY], isTracksOnly: true },
  { id: '1sand05', about: 'Reddit: a post of words', type: 'text', media: [] },
  { id: '1sand06', about: 'Reddit: a video for adults', type: 'video', media: [SEA], isSensitive: true },
  ...reddit.examples.map(link => {
    return { id: /comments\/(\w+)/.exec(link)?.[1] ?? '', about: 'an example', type: 'video', media: [CLAY] } as const;
  }),
];
const SHARED: ReadonlyMap<string, string> = new Map([['SandShare1', '1sand02']]);

/** The post that a shared link or the name of a video leads to. */
function sharedBy({ pathname }: URL, stage: SiteStage): string | undefined {
  const [, video] = /^\/video\/(\w+)/.exec(pathname) ?? [];
  if (video === undefined) return SHARED.get(pathname.split('/')[4] ?? '');
  // The last that shows it.
  return POSTS.findLast(({ about, media: [first] }) => {
    return about !== 'an example' && first?.kind === 'video' && nameOf(first.best, stage) === video;
  })?.id;
}
const COMMUNITY = 'sandpottery';
const NAME_CHARS = 13;

function nameOf(file: string, { files }: SiteStage): string {
  return (files.get(file)?.etag ?? '').replaceAll('"', '').slice(0, NAME_CHARS);
}

function targetOf({ id, type, media: [first] }: RedditPost, stage: SiteStage): string {
  if (first?.kind === 'video') return `https://v.redd.it/${nameOf(first.best, stage)}`;
  if (type === 'gallery') return `https://www.reddit.com/gallery/${id}`;
  if (first?.kind === 'image') return `https://i.redd.it/${nameOf(first.best, stage)}.jpg`;
  return `https://www.reddit.com/r/${COMMUNITY}/comments/${id}/`;
}

function playerOf({ best, width, height, durationMs, cover }: Clip, post: RedditPost, stage: SiteStage): string {
  const name = nameOf(best, stage);
  const url = `https://packaged-media.redd.it/${name}/pb/m2-res_${height}p.mp4?m=DASHPlaylist.mpd&v=1&e=${Math.floor(stage.now() / 1_000) + 86_400}`;
  const permutations = [{ source: { url, dimensions: { width, height }, videoCodec: 'H264' } }];
  const media = JSON.stringify({ playbackMp4s: { duration: durationMs / 1_000, permutations } });
  const packaged = post.isTracksOnly === true ? '' : ` packaged-media-json='${escapeHtml(media)}'`;
  const poster = `https://preview.redd.it/${nameOf(cover, stage)}.jpg`;
  return `<shreddit-player post-id="t3_${post.id}" poster="${poster}" src="https://v.redd.it/${name}/HLSPlaylist.m3u8?f=sd"${packaged}></shreddit-player>`;
}

function carouselOf(post: RedditPost, stage: SiteStage): string {
  // The first slide comes last.
  const slides = post.media.map((media, index) => {
    const file = media.kind === 'image' ? media.best : media.cover;
    const src = `https://preview.redd.it/a-bowl-v0-${nameOf(file, stage)}.jpg?width=640&s=1`;
    return `<li slot="page-${index + 1}"><figure><img alt="${index + 1}" width="${media.width}" height="${media.height}" src="${escapeHtml(src)}"></figure></li>`;
  });
  return `<gallery-carousel post-id="t3_${post.id}"><ul>${slides.toReversed().join('')}</ul></gallery-carousel>`;
}

function shownIn(post: RedditPost, stage: SiteStage): string {
  const [first] = post.media;
  if (first?.kind === 'video') return playerOf(first, post, stage);
  if (post.type === 'gallery') return carouselOf(post, stage);
  return post.type === 'text' ? '<div slot="text-body"><p>Wedge it first, then let it rest.</p></div>' : '';
}

const STRANGER =
  '<shreddit-player post-id="t3_1stranger" src="https://v.redd.it/strangerfile1/HLSPlaylist.m3u8"></shreddit-player>';

function answerPage(post: RedditPost, stage: SiteStage): Answer {
  const attributes = `id="t3_${post.id}" post-title="A bowl for the shore" author="maraturnsclay" subreddit-name="${COMMUNITY}" score="1204" comment-count="31" created-timestamp="2026-09-10T10:00:00.000000+0000" post-type="${post.type}" content-href="${targetOf(post, stage)}"${post.isSensitive === true ? ' nsfw' : ''}`;
  return html(
    `<html><body><shreddit-post ${attributes}>${shownIn(post, stage)}</shreddit-post>${STRANGER}</body></html>`,
  );
}

function answerEmbed(post: RedditPost, stage: SiteStage): Answer {
  const type = post.type === 'text' ? 'self' : post.type;
  const data = JSON.stringify({
    post: { id: `t3_${post.id}`, url: targetOf(post, stage), type, nsfw: post.isSensitive === true },
    subreddit: { name: COMMUNITY },
  });
  return html(
    `<html><body><shreddit-screenview-data data='${escapeHtml(data)}'></shreddit-screenview-data><a href="/user/maraturnsclay/">u/maraturnsclay</a>` +
      `<shreddit-embed-title><a href="#">A bowl for the shore</a></shreddit-embed-title>${shownIn(post, stage)}</body></html>`,
  );
}

function answerFeed(post: RedditPost, stage: SiteStage): Answer {
  const content = `<span><a href="${targetOf(post, stage)}">[link]</a></span>`;
  const entry = `<entry><author><name>/u/maraturnsclay</name></author><content type="html">${escapeHtml(content)}</content><id>t3_${post.id}</id><published>2026-09-10T10:00:00+00:00</published><title>A bowl for the shore</title></entry>`;
  return html(`<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">${entry}</feed>`, 200, {
    'content-type': 'application/atom+xml; charset=UTF-8',
  });
}

function manifestOf({ durationMs, dash }: Clip, name: string): string {
  const { width, height } = dash ?? { width: 0, height: 0 };
  return `<?xml version="1.0"?><MPD mediaPresentationDuration="PT${durationMs / 1_000}S"><Period>
<AdaptationSet contentType="video"><Representation id="1" bandwidth="1200000" codecs="avc1.640028" mimeType="video/mp4" width="${width}" height="${height}"><BaseURL>CMAF_${height}.mp4?n=${name}</BaseURL></Representation></AdaptationSet>
<AdaptationSet contentType="audio"><Representation id="2" bandwidth="128000" codecs="mp4a.40.2" mimeType="audio/mp4"><BaseURL>CMAF_AUDIO_128.mp4?n=${name}</BaseURL></Representation></AdaptationSet></Period></MPD>`;
}

function answerCdn(ask: Ask, stage: SiteStage): Answer {
  const { pathname } = ask.url;
  if (ask.host === 'v.redd.it') {
    const [, name = '', file = ''] = pathname.split('/');
    const clip = [CLAY, SEA].find(({ best }) => nameOf(best, stage) === name);
    if (clip?.dash == null) return plain(403, 'Forbidden');
    if (file === 'DASHPlaylist.mpd')
      return html(manifestOf(clip, name), 200, { 'content-type': 'application/dash+xml' });
    const track = stage.files.get(file.startsWith('CMAF_AUDIO') ? clip.dash.audio : clip.dash.video);
    return track === undefined ? plain(403, 'Forbidden') : answerFile(ask, track);
  }
  const [, name] = /(?:^\/|-v0-)([\da-f]{13})[./]/.exec(pathname) ?? [];
  const found = [...stage.files.values()].find(({ etag }) => name !== undefined && etag.startsWith(`"${name}`));
  return found === undefined ? plain(403, 'Forbidden') : answerFile(ask, found);
}

export const redditSite: SandboxSite = {
  hosts: ['reddit.com', '*.reddit.com', 'redd.it', '*.redd.it'],
  endpoints: ['reddit.embed', 'reddit.page', 'reddit.feed', 'reddit.short', 'reddit.cdn'],
  links: [
    ...POSTS.filter(({ about }) => about !== 'an example').map(({ id, about }) => {
      return { url: `https://www.reddit.com/r/${COMMUNITY}/comments/${id}/a_bowl/`, about, shows: 'media' } as const;
    }),
    { url: `https://www.reddit.com/r/${COMMUNITY}/s/SandShare1`, about: 'Reddit: a shared link', shows: 'media' },
  ],
  endpointOf({ host, url: { pathname } }) {
    if (host.endsWith('.redd.it')) return 'reddit.cdn';
    if (/^\/(?:(?:r|u|user)\/[^/]+\/s|video)\//.test(pathname)) return 'reddit.short';
    if (host === 'embed.reddit.com') return 'reddit.embed';
    if (pathname.endsWith('/.rss')) return 'reddit.feed';
    return pathname.includes('/comments/') ? 'reddit.page' : undefined;
  },
  answer(endpoint, ask, stage) {
    if (endpoint === 'reddit.cdn') return answerCdn(ask, stage);
    if (endpoint === 'reddit.short') {
      const id = sharedBy(ask.url, stage);
      return id === undefined
        ? plain(404, 'Not found')
        : redirect(`https://www.reddit.com/r/${COMMUNITY}/comments/${id}/a_bowl/?share_id=1`);
    }
    // Embeds and pages are for browsers, feeds for programs that say who they are.
    const isBrowser = ask.headers['user-agent']?.startsWith('Mozilla/') === true;
    if (isBrowser === (endpoint === 'reddit.feed')) return plain(403, 'Blocked');
    const id = /\/comments\/(\w+)/.exec(ask.url.pathname)?.[1];
    const post = stage.isNull ? undefined : POSTS.find(one => one.id === id);
    if (post === undefined) return html('<html><body><h1>Sorry, there is nothing here.</h1></body></html>', 404);
    if (endpoint === 'reddit.embed') {
      const isBare = ask.url.pathname.startsWith('/comments/');
      return isBare ? html('<html><body><h1>Page not found</h1></body></html>') : answerEmbed(post, stage);
    }
    return endpoint === 'reddit.feed' ? answerFeed(post, stage) : answerPage(post, stage);
  },
};
