/** A Facebook page -> the post that was asked for. Pure; never throws. Media are bound to the requested id. */

import type { PostRef } from '../../extract/source.ts';
import { captionTags } from '../../parse/caption.ts';
import { address, instant } from '../../parse/fields.ts';
import { isJsonObject, type JsonObject } from '../../parse/json-search.ts';
import { videoItem } from '../../parse/media-files.ts';
import type { Author, Post, UnplacedItem } from '../../post.ts';
import { readAuthor } from './author.ts';
import { readCounts } from './counts.ts';
import { type FacebookPage, idOfAddress, readPage } from './page.ts';
import { isPhoto, readPhoto } from './photo.ts';
import { attachedMedia, boundStories, child, messageOf, postIdsOf, textOf } from './story.ts';
import { isVideo, readVideo } from './video.ts';

export type PostDraft = Pick<
  Post,
  'author' | 'title' | 'caption' | 'hashtags' | 'mentions' | 'publishedAt' | 'stats'
> & {
  /** In order; null for one that is there and cannot be read. */
  readonly items: readonly (UnplacedItem | null)[];
};

/** What a page says of the post: the post, or why it holds none. */
export type Reading =
  | { readonly kind: 'post'; readonly post: PostDraft }
  /** The post is there and has neither photo nor video. */
  | { readonly kind: 'words' }
  /** A broadcast that is still on the air. */
  | { readonly kind: 'live' }
  /** Videos of others only. */
  | { readonly kind: 'others' }
  | { readonly kind: 'nothing' };

const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'watch', 'video']);

interface Found {
  readonly items: readonly UnplacedItem[];
  /** Objects of the media themselves. */
  readonly nodes: readonly JsonObject[];
  readonly stories: readonly JsonObject[];
  readonly isLive: boolean;
  readonly isWordsOnly: boolean;
}

function legacyNodes(page: FacebookPage, id: string): readonly JsonObject[] {
  return page.legacyVideos.filter(one => textOf(one.video_id) === id);
}

function nodesOf(page: FacebookPage, id: string): readonly JsonObject[] {
  return [...page.byId(id), ...legacyNodes(page, id)];
}

/** One photo or video, by everything the page says of its id. */
function readMedia(
  page: FacebookPage,
  media: JsonObject,
): { readonly item: UnplacedItem | null; readonly isLive: boolean } {
  const id = textOf(media.id);
  const same = id === null ? [] : nodesOf(page, id);
  const nodes = [media, ...same.filter(node => node !== media)];
  if (isVideo(media) || !isPhoto(media)) return readVideo(nodes);
  return { item: readPhoto(nodes.filter(node => !isVideo(node))), isLive: false };
}

/** The media whose own id was asked for. */
function ownMedia(page: FacebookPage, ids: ReadonlySet<string>): readonly JsonObject[] {
  for (const id of ids) {
    const nodes = nodesOf(page, id).filter(node => isVideo(node) || isPhoto(node) || 'video_id' in node);
    if (nodes.length > 0) return nodes;
  }
  return [];
}

function findPost(page: FacebookPage, ref: PostRef, ids: ReadonlySet<string>): Found {
  const bound = boundStories(page, ids);
  // The id in a pfbid address is another one on each visit: the page's one story is then the post.
  const isHidden = ref.id.startsWith('pfbid');
  const stories = bound.length === 0 && isHidden && page.rootStory !== null ? [page.rootStory] : bound;
  const own = ownMedia(page, ids);
  const attached = attachedMedia(stories);
  const isOwn = own.length > 0 && (VIDEO_FORMS.has(ref.form) || ref.form === 'photo' || attached.media.length === 0);
  const first = own[0];
  const media = isOwn && first !== undefined ? [own.find(isVideo) ?? first] : attached.media;
  const seen = new Set<string>();
  const distinct = media.filter(one => {
    const id = textOf(one.id);
    return id === null || (!seen.has(id) && seen.add(id));
  });
  const readings = distinct.map(one => readMedia(page, one));
  return {
    items: readings.flatMap(reading => reading.item ?? []),
    nodes: distinct.flatMap(one => [one, ...nodesOf(page, textOf(one.id) ?? '')]),
    stories,
    isLive: readings.some(reading => reading.item === null && reading.isLive),
    isWordsOnly: stories.length > 0 && attached.isKnown && media.length === 0,
  };
}

function firstText(values: readonly unknown[]): string | null {
  return values.map(textOf).find(value => value !== null) ?? null;
}

function authorOf(page: FacebookPage, ref: PostRef, { nodes, stories }: Found): Author {
  const actors = stories.flatMap(story => {
    const list = Array.isArray(story.actors)
      ? story.actors
      : child(story, 'comet_sections', 'content', 'story', 'actors');
    return Array.isArray(list) ? list.slice(0, 1) : [];
  });
  const owners = [
    ...nodes.map(node => node.owner),
    ...stories.map(story => child(story, 'short_form_video_context', 'video_owner')),
  ];
  // Whoever shares a video is the author of the post, and its owner that of the video.
  const candidates =
    VIDEO_FORMS.has(ref.form) || ref.form === 'photo' ? [...owners, ...actors] : [...actors, ...owners];
  const objects = candidates.filter(isJsonObject);
  const first = objects[0];
  const id = textOf(first?.id);
  if (first === undefined) return readAuthor([]);
  return readAuthor(id === null ? [first] : [first, ...objects.filter(one => textOf(one.id) === id), ...page.byId(id)]);
}

function feedbackOf(page: FacebookPage, ids: ReadonlySet<string>, { stories, nodes }: Found): readonly JsonObject[] {
  const named = [...stories, ...nodes].flatMap(one => [
    textOf(child(one, 'feedback', 'id')),
    textOf(child(one, 'feedback_context', 'feedback_target_with_context', 'id')),
  ]);
  const associated = page.videoFeedback
    .filter(one => ids.has(textOf(child(one.associated_video, 'id')) ?? ''))
    .map(one => textOf(one.id));
  const numbered = [...ids, ...postIdsOf(stories)].map(id => Buffer.from(`feedback:${id}`).toString('base64'));
  const feedbackIds = new Set([...named, ...associated, ...numbered].filter(id => id !== null));
  const story = stories.flatMap(one => [one.feedback, child(one, 'feedback_context', 'feedback_target_with_context')]);
  const inline = story.filter(isJsonObject);
  return [...[...feedbackIds].flatMap(id => page.byId(id)), ...inline, ...nodes];
}

/** `og:title` without the counts before it and the names after it. */
function ownTitle(title: string | undefined, authorName: string | null): string | null {
  const parts = (title ?? '').split(' | ').map(part => part.trim());
  const own = parts.filter(
    part =>
      part !== '' &&
      part !== 'Facebook' &&
      part !== authorName &&
      !/^\d[\d.,]*[KMB]? (?:views|reactions|likes)\b/i.test(part),
  );
  return own.length === 0 ? null : own.join(' | ');
}

function isAboutPost(page: FacebookPage, ids: ReadonlySet<string>): boolean {
  const named = [page.meta.canonical, page.meta.og.get('og:url')].map(idOfAddress);
  return named.some(id => id !== null && ids.has(id));
}

/** The post as the page tells it to crawlers: one file, few words. */
function readOpenGraph(page: FacebookPage): readonly UnplacedItem[] {
  const { og } = page.meta;
  const file = address.parse(og.get('og:video:secure_url') ?? og.get('og:video:url') ?? og.get('og:video'));
  const item = videoItem({
    files: [{ url: file, width: null, height: null }],
    covers: [{ url: address.parse(og.get('og:image')), width: null, height: null }],
    original: { width: null, height: null },
    dashManifest: null,
    durationMs: null,
    hasAudio: null,
    alt: null,
  });
  return item === null ? [] : [item];
}

function draft(page: FacebookPage, ref: PostRef, ids: ReadonlySet<string>, found: Found): PostDraft {
  const { nodes, stories, items } = found;
  const author = authorOf(page, ref, found);
  const isAbout = isAboutPost(page, ids);
  const og = (property: string) => (isAbout ? page.meta.og.get(property) : undefined);
  const caption =
    messageOf(stories) ??
    firstText(
      nodes.flatMap(node => [child(node, 'message', 'text'), child(node, 'creation_story', 'message', 'text')]),
    ) ??
    firstText([...nodes.map(node => child(node, 'savable_description', 'text')), og('og:description')]);
  const times = [
    ...nodes.map(node => node.publish_time),
    ...stories.map(story => story.creation_time),
    ...stories.map(story => child(story, 'comet_sections', 'content', 'story', 'creation_time')),
    ...nodes.flatMap(node => [node.creation_time, node.created_time]),
  ];
  return {
    author,
    title:
      firstText(nodes.flatMap(node => [node.name, child(node, 'title', 'text')])) ??
      ownTitle(og('og:title'), author.name),
    caption,
    ...captionTags(caption),
    publishedAt: times.map(time => instant.parse(time)).find(time => time !== null) ?? null,
    stats: readCounts(feedbackOf(page, ids, found)),
    items,
  };
}

/**
 * Reads the page of `ref`. `finalUrl` is where the site answered from: the id in it is the site's own word for the post.
 */
export function parseFacebookPage(html: string, ref: PostRef, finalUrl: string): Reading {
  const page = readPage(html);
  const moved = idOfAddress(finalUrl);
  const attempts = [new Set([ref.id]), ...(moved === null || moved === ref.id ? [] : [new Set([ref.id, moved])])];
  let isLive = false;
  let isWordsOnly = false;
  for (const ids of attempts) {
    const found = findPost(page, ref, ids);
    if (found.items.length > 0) return { kind: 'post', post: draft(page, ref, ids, found) };
    const items = isAboutPost(page, ids) ? readOpenGraph(page) : [];
    if (items.length > 0) return { kind: 'post', post: draft(page, ref, ids, { ...found, items }) };
    isLive ||= found.isLive;
    isWordsOnly ||= found.isWordsOnly;
  }
  if (isLive) return { kind: 'live' };
  if (isWordsOnly) return { kind: 'words' };
  return { kind: page.hasVideos ? 'others' : 'nothing' };
}
