/** What a page says of a post beside its files: who made it, its words, its time and its counts. Pure. */
import { readCount, readFlag, readInstant, readShownCount, readText } from '../../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../../parse/json-search.ts';
import { type Author, NO_STATS, type Stats } from '../../../post.ts';
import { readAddress } from '../../kit/cdn-address.ts';
import type { PostDraft } from '../../kit/draft.ts';
import { type FacebookPage, firstOf, idOfAddress, textOf } from './page.ts';
import { messageOf, postIdsOf } from './story.ts';

export type Facts = Omit<PostDraft, 'items'>;

/** The objects that speak of one post. */
export interface PostObjects {
  /** Those of its photos and videos. */
  readonly nodes: readonly JsonObject[];
  readonly stories: readonly JsonObject[];
}

const IMAGE_KEYS: readonly string[] = ['profile_picture', 'displayPicture', 'profilePicture'];
/** More objects than one author is ever spread over. */
const MAX_AUTHOR_NODES = 40;
/** More objects than the feedback on one post is ever spread over. */
const MAX_FEEDBACK_NODES = 200;

/** `facebook.com/NAME` -> NAME; a numbered profile has no name of its own. */
function usernameOf(url: unknown): string | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { hostname, pathname } = new URL(url);
  if (!/(?:^|\.)facebook\.com$/.test(hostname)) return null;
  const name = /^\/([A-Za-z0-9._-]{1,80})\/?$/.exec(pathname)?.[1];
  return name === undefined || name.includes('.php') || /^\d+$/.test(name) ? null : name;
}

/** Reads all objects that carry one person's id as one person. */
function readAuthor(nodes: readonly JsonObject[]): Author {
  const all = nodes.slice(0, MAX_AUTHOR_NODES);
  return {
    id: firstOf(all, one => readText(one.id)),
    name: firstOf(all, one => readText(one.name)),
    username: firstOf(all, one => readText(one.username) ?? usernameOf(one.url)),
    verified: firstOf(all, one => readFlag(one.is_verified)),
    avatarUrl: firstOf(all, one => firstOf(IMAGE_KEYS, key => readAddress(child(one[key], 'uri')))),
  };
}

function authorOf(page: FacebookPage, { nodes, stories }: PostObjects, isMediaItself: boolean): Author {
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
  const people = (isMediaItself ? [...owners, ...actors] : [...actors, ...owners]).filter(isJsonObject);
  const id = textOf(people[0]?.id);
  if (id === null) return readAuthor(people.slice(0, 1));
  return readAuthor([...people.filter(one => textOf(one.id) === id), ...page.byId(id)]);
}

/** A count by itself, or inside an object about it. */
function readTotal(value: unknown): number | null {
  if (!isJsonObject(value)) return readCount(value);
  return readCount(value.total_count) ?? readCount(value.count);
}

type Reading = (one: JsonObject) => number | null;

/** Ways to read each count; an exact one of any object is better than a rounded one of another. */
const READINGS: readonly (readonly [keyof Stats, ...Reading[]])[] = [
  [
    'likes',
    one => readTotal(one.reaction_count),
    one => readTotal(one.unified_reactors),
    one => readTotal(one.reactors),
    one => readShownCount(one.i18n_reaction_count),
    one => readTotal(one.likers),
  ],
  [
    'comments',
    one => readCount(one.total_comment_count),
    one => readTotal(one.comment_count),
    one => readCount(child(one.comment_rendering_instance, 'comments', 'total_count')),
    one => readShownCount(one.i18n_comment_count),
  ],
  [
    'shares',
    one => readTotal(one.share_count),
    one => readShownCount(one.i18n_share_count),
    one => readShownCount(one.share_count_reduced),
  ],
  ['views', one => readCount(one.video_view_count), one => readCount(one.video_post_view_count)],
  ['plays', one => readCount(one.play_count), one => readShownCount(one.play_count_reduced)],
];

/** Reads all objects that speak of one post; what none of them says is null. */
function readCounts(objects: readonly JsonObject[]): Stats {
  const all = objects.slice(0, MAX_FEEDBACK_NODES);
  const stats: Record<keyof Stats, number | null> = { ...NO_STATS };
  for (const [key, ...readings] of READINGS) stats[key] = firstOf(readings, read => firstOf(all, read));
  return stats;
}

/** The objects with the counts of a post: its feedback, wherever it stands, and its media. */
function feedbackOf(page: FacebookPage, ids: ReadonlySet<string>, { stories, nodes }: PostObjects) {
  const within = (objects: readonly JsonObject[]) =>
    objects.flatMap(one => [one.feedback, child(one, 'feedback_context', 'feedback_target_with_context')]);
  const ofVideo = page.around(ids).filter(one => ids.has(textOf(child(one.associated_video, 'id')) ?? ''));
  const named = [...within(stories), ...within(nodes), ...ofVideo].map(one => textOf(child(one, 'id')));
  const numbered = [...ids, ...postIdsOf(stories)].map(id => Buffer.from(`feedback:${id}`).toString('base64'));
  const feedbackIds = new Set([...named, ...numbered].filter(id => id !== null));
  return [...[...feedbackIds].flatMap(page.byId), ...within(stories).filter(isJsonObject), ...nodes];
}

/** `og:title` without the counts before it and the names after it. */
function ownTitle(title: string | undefined, authorName: string | null): string | null {
  const own = (title ?? '')
    .split(' | ')
    .map(part => part.trim())
    .filter(part => !['', 'Facebook', authorName].includes(part))
    .filter(part => !/^\d[\d.,]*[KMB]? (?:views|reactions|likes)\b/i.test(part));
  return own.length === 0 ? null : own.join(' | ');
}

/** Whether the head of the page, made for crawlers, is about the post. */
export function isAboutPost({ meta }: FacebookPage, ids: ReadonlySet<string>): boolean {
  return [meta.canonical, meta.og.get('og:url')].some(address => ids.has(idOfAddress(address) ?? ''));
}

/** `isMediaItself`: a video or photo was asked for, not a post that holds it. */
export function readFacts(
  page: FacebookPage,
  ids: ReadonlySet<string>,
  objects: PostObjects,
  isMediaItself: boolean,
): Facts {
  const { nodes, stories } = objects;
  const author = authorOf(page, objects, isMediaItself);
  const og = isAboutPost(page, ids) ? page.meta.og : undefined;
  const titles = nodes.flatMap(node => [node.name, child(node, 'title', 'text')]);
  const texts = [
    ...nodes.flatMap(node => [child(node, 'message', 'text'), child(node, 'creation_story', 'message', 'text')]),
    ...nodes.map(node => child(node, 'savable_description', 'text')),
    og?.get('og:description'),
  ];
  const caption = messageOf(page, stories) ?? firstOf(texts, textOf);
  const times = [
    ...nodes.map(node => node.publish_time),
    ...stories.map(story => story.creation_time),
    ...stories.map(story => child(story, 'comet_sections', 'content', 'story', 'creation_time')),
    ...nodes.flatMap(node => [node.creation_time, node.created_time]),
  ];
  return {
    author,
    title: firstOf(titles, textOf) ?? ownTitle(og?.get('og:title'), author.name),
    caption,
    publishedAt: firstOf(times, readInstant),
    stats: readCounts(feedbackOf(page, ids, objects)),
    coverUrl: null,
  };
}
