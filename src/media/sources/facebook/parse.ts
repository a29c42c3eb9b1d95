/** A Facebook page -> the post that was asked for. Pure; never throws. Media are bound to the requested id. */

import type { ErrorCode } from '../../../errors.ts';
import type { PostRef } from '../../extract/source.ts';
import type { Body } from '../../parse/body.ts';
import { type CaptionTags, captionTags } from '../../parse/caption.ts';
import { readInstant } from '../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../parse/json-search.ts';
import type { Author, UnplacedItem } from '../../post.ts';
import type { PostDraft as KitDraft } from '../kit/draft.ts';
import { readAddress } from '../meta/cdn-address.ts';
import { videoItem } from '../meta/media-files.ts';
import { readAuthor } from './author.ts';
import { readCounts } from './counts.ts';
import { restrictionOf } from './failures.ts';
import { type FacebookPage, idOfAddress, openPage } from './page.ts';
import { isPhoto, readPhoto } from './photo.ts';
import {
  type AttachedMedia,
  attachedMedia,
  boundStories,
  distinctMedia,
  holdsMedia,
  mediaIdOf,
  messageOf,
  postIdsOf,
  textOf,
} from './story.ts';
import { isVideo, readVideo } from './video.ts';

export type PostDraft = KitDraft & CaptionTags;

/** What a page says of the post: the post, or why it holds none. */
export type Reading =
  | { readonly kind: 'post'; readonly post: PostDraft }
  /** The post is there and has neither photo nor video. */
  | { readonly kind: 'words' }
  /** A broadcast that is still on the air. */
  | { readonly kind: 'live' }
  /** The post is there, and no file of it can be read; `code` where its own data say why. */
  | { readonly kind: 'unread'; readonly code: ErrorCode | null }
  /** Videos of others only, and no word of the post. */
  | { readonly kind: 'others'; readonly hasPosts: boolean }
  /** `hasPosts`: posts of other people stand in the page. */
  | { readonly kind: 'nothing'; readonly hasPosts: boolean };

const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'watch', 'video']);

interface Found {
  readonly items: readonly (UnplacedItem | null)[];
  /** Objects of the media themselves. */
  readonly nodes: readonly JsonObject[];
  readonly stories: readonly JsonObject[];
  /** Any object at all is the post's or its media's. */
  readonly isHeld: boolean;
  readonly isLive: boolean;
  readonly isWordsOnly: boolean;
}

function nodesOf(page: FacebookPage, id: string): readonly JsonObject[] {
  const legacy = page.legacyVideos.filter(one => textOf(one.video_id) === id);
  return [...page.byId(id), ...legacy];
}

interface MediaReading {
  readonly item: UnplacedItem | null;
  readonly isLive: boolean;
}

/** One photo or video, by everything the page says of its id. A link that says video is never answered by an image. */
function readMedia(page: FacebookPage, media: JsonObject, ref: PostRef): MediaReading {
  const id = mediaIdOf(media);
  const same = id === null ? [] : nodesOf(page, id);
  const nodes = [media, ...same.filter(node => node !== media)];
  if (VIDEO_FORMS.has(ref.form) || isVideo(media) || !isPhoto(media)) return readVideo(nodes);
  return { item: readPhoto(nodes.filter(node => !isVideo(node))), isLive: false };
}

/** Whether the page says that the post has neither photo nor video: an empty list or a link, beside words of its own. */
function isWordsOnly(
  page: FacebookPage,
  ref: PostRef,
  stories: readonly JsonObject[],
  attached: AttachedMedia,
): boolean {
  if (VIDEO_FORMS.has(ref.form) || ref.form === 'photo') return false;
  if (!attached.isKnown || attached.media.length > 0 || messageOf(page, stories) === null) return false;
  return !stories.some(story => isJsonObject(story.attached_story) || holdsMedia(page, story));
}

function findPost(page: FacebookPage, ref: PostRef, ids: ReadonlySet<string>): Found {
  const bound = boundStories(page, ids);
  // The id in a pfbid address is another one on each visit: the page's one story is then the post.
  const root = bound.length === 0 && ref.id.startsWith('pfbid') ? page.rootStory() : null;
  const stories = root === null ? bound : [root];
  const named = [...ids].flatMap(id => nodesOf(page, id));
  const own = named.filter(node => isVideo(node) || isPhoto(node) || 'video_id' in node);
  const attached = attachedMedia(page, stories);
  const isOwn = own.length > 0 && (VIDEO_FORMS.has(ref.form) || ref.form === 'photo' || attached.media.length === 0);
  const ownMedia = own.find(isVideo) ?? own[0] ?? null;
  const media = distinctMedia(isOwn ? [ownMedia] : attached.media);
  const readings = media.map(one => (one === null ? { item: null, isLive: false } : readMedia(page, one, ref)));
  return {
    items: readings.map(reading => reading.item),
    nodes: media.flatMap(one => (one === null ? [] : [one, ...nodesOf(page, mediaIdOf(one) ?? '')])),
    stories,
    isHeld: stories.length > 0 || named.some(node => Object.keys(node).length > 1),
    isLive: readings.some(reading => reading.item === null && reading.isLive),
    isWordsOnly: isWordsOnly(page, ref, stories, attached),
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
  // Who shares a video is the author of the post; its owner is the author of the video.
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
  const associated = page.feedbackNaming(ids).map(one => textOf(one.id));
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

/** The post as the page shows it to crawlers: one file, few words. */
function readOpenGraph(page: FacebookPage): readonly UnplacedItem[] {
  const { og } = page.meta;
  const file = readAddress(og.get('og:video:secure_url') ?? og.get('og:video:url') ?? og.get('og:video'));
  const item = videoItem({
    files: [{ url: file, width: null, height: null }],
    covers: [{ url: readAddress(og.get('og:image')), width: null, height: null }],
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
    messageOf(page, stories) ??
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
    publishedAt: times.map(readInstant).find(time => time !== null) ?? null,
    stats: readCounts(feedbackOf(page, ids, found)),
    items,
    coverUrl: null,
  };
}

function readableItems({ items }: Found): number {
  return items.filter(item => item !== null).length;
}

/** The fullest that is found by any of the sets of ids; undefined when nothing of it can be read. */
function findFullest(page: FacebookPage, ref: PostRef, attempts: readonly ReadonlySet<string>[]) {
  const all = attempts.map(ids => {
    const found = findPost(page, ref, ids);
    // One file is the whole of a post with one item, and no part of one with several.
    const isSingle = readableItems(found) === 0 && found.items.length <= 1;
    const items = isSingle && isAboutPost(page, ids) ? readOpenGraph(page) : [];
    return { ids, found: items.length > 0 ? { ...found, items } : found };
  });
  const readable = all.filter(({ found }) => readableItems(found) > 0);
  const complete = readable.find(({ found }) => readableItems(found) === found.items.length);
  const [fullest] = readable.sort((a, b) => readableItems(b.found) - readableItems(a.found));
  return { all, best: complete ?? fullest, isComplete: complete !== undefined };
}

/**
 * Reads the page of `ref`. `finalUrl` is where the site answered from: the id in it is the site's own word for the post. The
 * scripts that name the post are looked at first, and all of them where those do not suffice.
 */
export function parseFacebookPage(body: Body, ref: PostRef, finalUrl: string): Reading {
  const page = openPage(body);
  const moved = idOfAddress(finalUrl);
  const attempts = [new Set([ref.id]), ...(moved === null || moved === ref.id ? [] : [new Set([ref.id, moved])])];
  let look = findFullest(page, ref, attempts);
  if (!look.isComplete && page.readAll()) look = findFullest(page, ref, attempts);
  const { all, best } = look;
  if (best !== undefined) return { kind: 'post', post: draft(page, ref, best.ids, best.found) };
  if (all.some(({ found }) => found.isLive)) return { kind: 'live' };
  if (all.some(({ found }) => found.isWordsOnly)) return { kind: 'words' };
  const held = all.find(({ found }) => found.isHeld)?.found;
  if (held !== undefined) return { kind: 'unread', code: restrictionOf([...held.stories, ...held.nodes], page.budget) };
  // A page never repeats the pfbid that it was asked by.
  const isNamed = ref.id.startsWith('pfbid') || page.names(new Set([ref.id, moved ?? ref.id]));
  return { kind: page.hasVideos() && !isNamed ? 'others' : 'nothing', hasPosts: page.hasPosts() };
}
