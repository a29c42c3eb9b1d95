/** Reads the requested post from a Facebook page, which also contains other posts and their media. Pure. */
import { AppError } from '../../../errors.ts';
import { weakNotFound } from '../../extract/refusal.ts';
import { isVideoLink, type PostRef } from '../../extract/source.ts';
import type { Body, SiteAnswer } from '../../parse/body.ts';
import { findValues, firstOf, isJsonObject, type JsonObject } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import { type Author, NO_STATS, type Post, type Stats, type UnplacedItem } from '../../post.ts';
import { readAddress } from '../kit/cdn-address.ts';
import { isComplete, type PostDraft, type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { failureOfAnswer, restrictionIn } from './failures.ts';
import { idOfAddress } from './link.ts';
import { isPhoto, isVideo, readNamedVideo, readPhoto, readVideo } from './media.ts';
import { type FacebookPage, knownIdOf, openPage, textOf, valuesAt } from './page.ts';
import { attachedMedia, isStory, isWordsOnly, messageOf, postIdsOf, sharedBy, storiesOf } from './story.ts';

type Found = ReturnType<typeof findPost>;

/** Names of properties that say why an object is not shown. */
const REASON_KEY = /gat(?:ed|ing)|restrict|geo_?block|unavailab|cix_screen|warning_screen|error/;
/** Paths to the texts of the warning over a photo or video. The texts tell whether the media are sensitive. */
const WARNINGS = ['cix_screen', 'warning_screen_renderer.cix_screen', 'photo_cix_screen', 'video_cix_screen'].flatMap(
  place => ['title.text', 'subtitle.text', 'validator'].map(part => `${place}.view_model.${part}`),
);
/** The most objects that are read for one author, photo or video. Real pages have fewer. */
const MAX_NODES = 40;
const MAX_FEEDBACK_NODES = 200;

/** The name in `facebook.com/NAME`; null for a profile with a number. */
function usernameOf(url: unknown): string | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { hostname, pathname } = new URL(url);
  if (!/(?:^|\.)facebook\.com$/.test(hostname)) return null;
  return /^\/(?!\d+\/?$|[^/]*\.php)([\w.-]{1,80})\/?$/.exec(pathname)?.[1] ?? null;
}

function readAuthor(nodes: readonly JsonObject[]): Author {
  const all = nodes.slice(0, MAX_NODES);
  const images = ['profile_picture.uri', 'displayPicture.uri', 'profilePicture.uri', 'owner_as_page.profile_pic_uri'];
  return {
    id: firstOf(valuesAt(all, 'id'), textOf),
    name: firstOf(valuesAt(all, 'name', 'owner_as_page.name'), read.text),
    username: firstOf(all, one => read.text(one.username) ?? firstOf([one.url, one.profile_url], usernameOf)),
    verified: firstOf(valuesAt(all, 'is_verified'), read.boolean),
    avatarUrl: firstOf(valuesAt(all, ...images), readAddress),
  };
}

/** Says whether the post's heading has the badge of a verified author; null when the page does not say so. */
function hasBadge(page: FacebookPage, stories: Found['stories']): boolean | null {
  const badges = valuesAt(page.ownValues(stories, 'title'), 'story.comet_sections.badge');
  return firstOf(badges, badge => (badge === undefined ? null : isJsonObject(badge)));
}

function authorOf(page: FacebookPage, { nodes, stories, isMediaItself }: Found): Author {
  const actors = stories.flatMap(story => {
    const lists = valuesAt([story], 'actors', 'comet_sections.content.story.actors');
    return read.list(lists.find(Array.isArray), 1);
  });
  const owners = [
    ...valuesAt(nodes, 'owner', 'creation_story.short_form_video_context.video_owner'),
    ...valuesAt(stories, 'short_form_video_context.video_owner'),
  ];
  // For a link to a photo or video, the author is its owner; for a link to a post, who posted or shared it.
  const people = (isMediaItself ? [...owners, ...actors] : [...actors, ...owners])
    .filter(isJsonObject)
    .filter(one => textOf(one.id) !== null || textOf(one.name) !== null);
  const id = textOf(people[0]?.id);
  if (id === null) return readAuthor(people.slice(0, 1));
  return readAuthor([...people.filter(one => textOf(one.id) === id), ...page.byId(id)]);
}

function readTotal(value: unknown): number | null {
  if (!isJsonObject(value)) return read.count(value);
  return read.count(value.total_count) ?? read.count(value.count);
}

/** The fields of each count, best first. An exact count in any object is better than a rounded one in another. */
const COUNTS: readonly (readonly [keyof Stats, (value: unknown) => number | null, ...string[]])[] = [
  ['likes', readTotal, 'reaction_count', 'unified_reactors', 'reactors'],
  ['likes', read.shownCount, 'i18n_reaction_count'],
  ['likes', readTotal, 'likers'],
  ['comments', read.count, 'total_comment_count'],
  ['comments', readTotal, 'comment_count'],
  ['comments', read.count, 'comment_rendering_instance.comments.total_count'],
  ['comments', read.shownCount, 'i18n_comment_count'],
  ['shares', readTotal, 'share_count'],
  ['shares', read.shownCount, 'i18n_share_count', 'share_count_reduced'],
  ['views', read.count, 'video_view_count', 'video_post_view_count'],
  ['plays', read.count, 'play_count'],
  ['plays', read.shownCount, 'play_count_reduced'],
];

function readCounts(objects: readonly JsonObject[]): Stats {
  const all = objects.slice(0, MAX_FEEDBACK_NODES);
  const stats: Record<keyof Stats, number | null> = { ...NO_STATS };
  for (const [key, reader, ...paths] of COUNTS) {
    stats[key] ??= firstOf(paths, path => firstOf(valuesAt(all, path), reader));
  }
  return stats;
}

/** The objects that contain a post's counts: its feedback object, which may be anywhere on the page, and its media. */
function feedbackOf(page: FacebookPage, { ids, stories, nodes }: Found): readonly JsonObject[] {
  const places = ['feedback', 'feedback_context.feedback_target_with_context', 'fb_reel_react_button.story.feedback'];
  const within = (objects: readonly JsonObject[]) => valuesAt(objects, ...places);
  const ofVideo = page
    .objects(ids)
    .filter(({ associated_video: video }) => isJsonObject(video) && ids.has(textOf(video.id) ?? ''));
  const named = valuesAt([...within(stories), ...within(nodes), ...ofVideo], 'id').map(textOf);
  const numbered = [...ids, ...postIdsOf(stories)].map(id => Buffer.from(`feedback:${id}`).toString('base64'));
  const feedbackIds = new Set([...named, ...numbered].filter(id => id !== null));
  return [...[...feedbackIds].flatMap(page.byId), ...within(stories).filter(isJsonObject), ...nodes];
}

/** The title in `og:title`, without the counts and names that Facebook adds; null when nothing is left. */
function ownTitle(title: string | undefined, authorName: string | null): string | null {
  const own = (title ?? '')
    .split(' | ')
    .map(part => part.trim())
    .filter(part => !['', 'Facebook', authorName].includes(part))
    .filter(part => !/^\d[\d.,]*[KMB]? (?:views|reactions|likes)\b/i.test(part));
  return own.length === 0 ? null : own.join(' | ');
}

function isAboutPost({ meta }: FacebookPage, ids: ReadonlySet<string>): boolean {
  return [meta.canonical, meta.og.get('og:url')].some(address => ids.has(idOfAddress(address) ?? ''));
}

function readFacts(page: FacebookPage, objects: Found): Omit<PostDraft, 'items'> {
  const { ids, nodes, stories } = objects;
  const author = authorOf(page, objects);
  const og = isAboutPost(page, ids) ? page.meta.og : undefined;
  const texts = [
    ...valuesAt(nodes, 'message.text', 'creation_story.message.text', 'message_preferred_body.text'),
    ...valuesAt(nodes, 'savable_description.text'),
    og?.get('og:description'),
  ];
  const times = [
    ...valuesAt(nodes, 'publish_time'),
    ...valuesAt(stories, 'creation_time'),
    ...valuesAt(stories, 'comet_sections.content.story.creation_time'),
    ...valuesAt(nodes, 'creation_time', 'created_time'),
    ...valuesAt(nodes, 'creation_story.creation_time'),
  ];
  return {
    author: { ...author, verified: author.verified ?? hasBadge(page, stories) },
    title: firstOf(valuesAt(nodes, 'name', 'title.text'), textOf) ?? ownTitle(og?.get('og:title'), author.name),
    caption: messageOf(page, stories) ?? firstOf(texts, textOf) ?? messageOf(page, sharedBy(page, stories)),
    publishedAt: firstOf(times, read.instant),
    stats: readCounts(feedbackOf(page, objects)),
    sensitive: valuesAt(nodes, ...WARNINGS).some(text => /sensitive|graphic|violen/i.test(textOf(text) ?? '')),
    coverUrl: null,
  };
}

function nodesOf(page: FacebookPage, media: JsonObject | null): readonly JsonObject[] {
  if (media === null) return [];
  const id = knownIdOf(media);
  return [...new Set([media, ...(id === null ? [] : page.byId(id))])].slice(0, MAX_NODES);
}

/** Reads a video or photo. A link to a video never gives a photo. */
function readMedia(nodes: readonly JsonObject[], ref: PostRef): UnplacedItem | null {
  const isImage = nodes[0] !== undefined && isPhoto(nodes[0]) && !isVideoLink(ref);
  return isImage ? readPhoto(nodes.filter(node => !isVideo(node))) : readVideo(nodes);
}

/** Everything on the page about the post that has one of these ids. */
function findPost(page: FacebookPage, ref: PostRef, ids: ReadonlySet<string>) {
  // The link leads to a video or photo itself, not to a post that contains it.
  const isMediaItself = isVideoLink(ref) || ref.form === 'photo';
  const stories = storiesOf(page, ids);
  const named = [...ids].flatMap(page.byId);
  const own = named.find(isVideo) ?? named.find(isPhoto);
  const attached = attachedMedia(page, stories);
  const isOwn = own !== undefined && (isMediaItself || attached.length === 0);
  const media = (isOwn ? [own] : attached).map(one => nodesOf(page, one));
  const items = media.map(nodes => readMedia(nodes, ref));
  // The head may show one of several videos of a post, so it is only used for a post with at most one item.
  const isSingle = readableItems({ items }) === 0 && items.length <= 1;
  const file = isSingle && isAboutPost(page, ids) ? readNamedVideo(page.meta.og) : null;
  // A live broadcast has no file yet.
  const isLive = (nodes: readonly JsonObject[]) => nodes.some(one => one.is_live_streaming === true);
  return {
    ids,
    stories,
    nodes: media.flat(),
    items: file === null ? items : [file],
    /** True when the page contains an object of the post or of its media. */
    isHeld: stories.length > 0 || named.some(node => Object.keys(node).length > 1),
    isLive: media.some((nodes, index) => items[index] === null && isLive(nodes)),
    isMediaItself,
    isWordsOnly: !isMediaItself && attached.length === 0 && isWordsOnly(page, stories),
  };
}

/**
 * The post on a page (`post`), or why it cannot be read: it is being broadcast (`live`), it has no readable file
 * (`unread`, perhaps for one of `reasons`), or the page shows other videos (`others`) or nothing (`nothing`).
 * `finalUrl` is the address after all redirects; it contains the site's own id of the post.
 */
export function parseFacebookPage(body: Body, ref: PostRef, finalUrl: string) {
  const page = openPage(body);
  const moved = idOfAddress(finalUrl) ?? ref.id;
  const attempts = [new Set([ref.id]), ...(moved === ref.id ? [] : [new Set([ref.id, moved])])];
  const look = () => attempts.map(ids => findPost(page, ref, ids));
  let found = look();
  if (!found.some(isComplete) && page.readAll()) found = look();
  const [fullest] = found.toSorted((a, b) => readableItems(b) - readableItems(a));
  const best = found.find(isComplete) ?? fullest;
  if (best !== undefined && readableItems(best) > 0) {
    return { kind: 'post', post: { ...readFacts(page, best), items: best.items } } as const;
  }
  if (found.some(one => one.isLive)) return { kind: 'live' } as const;
  // The page shows the post, so a login form beside it means no refusal.
  const words = found.find(one => one.isWordsOnly);
  if (words !== undefined) {
    return { kind: 'post', post: { ...readFacts(page, words), items: [], isWordsOnly: true } } as const;
  }
  const held = found.find(one => one.isHeld);
  if (held !== undefined) {
    const { budget } = page;
    const reasonsIn = (object: JsonObject) => findValues(object, key => REASON_KEY.test(key), { budget });
    return { kind: 'unread', reasons: [...held.stories, ...held.nodes].flatMap(reasonsIn) } as const;
  }
  // A page never contains the pfbid (an encoded id) by which it was requested, so this id is not searched for.
  const isNamed = ref.id.startsWith('pfbid') || page.names([ref.id, moved]);
  const hasVideos = page.objects().some(isVideo);
  const kind = hasVideos && !isNamed ? 'others' : 'nothing';
  return { kind, hasPosts: hasVideos || page.objects().some(isStory) } as const;
}

/** @throws AppError the reason why no file of the post is in the answer. */
export function draftOfAnswer(answer: SiteAnswer, ref: PostRef, now: number): PostDraft {
  const isPage = answer.status >= 200 && answer.status < 300;
  const reading = isPage ? parseFacebookPage(answer.body, ref, answer.url) : undefined;
  if (reading?.kind === 'post') return reading.post;
  if (reading?.kind === 'live') {
    throw new AppError('unsupported_link', 'a broadcast that is still on the air', { params: { what: 'live' } });
  }
  if (reading?.kind === 'unread') {
    const stated = reading.reasons.filter(reason => typeof reason === 'string' || isJsonObject(reason));
    const restriction = firstOf(stated, reason => restrictionIn(JSON.stringify(reason)));
    throw restriction ?? new AppError('upstream_changed', 'the post came without a file that we know');
  }
  const failure = failureOfAnswer(answer, now, reading?.hasPosts);
  if (failure !== null) throw failure;
  throw reading?.kind === 'others'
    ? weakNotFound('the page shows other videos only')
    : new AppError('upstream_changed', 'a page of an unknown kind');
}

/** @throws AppError as `draftOfAnswer` does. */
export function readFacebookPage(answer: SiteAnswer, context: ReadContext): Post {
  return toPost(draftOfAnswer(answer, context.ref, context.now), context, 'files');
}
