/** The facts that a page states of a post beside its files: its author, words, time and counts. Pure. */
import {
  firstOf,
  readCount,
  readFlag,
  readInstant,
  readList,
  readShownCount,
  readText,
} from '../../../parse/fields.ts';
import { isJsonObject, type JsonObject } from '../../../parse/json-search.ts';
import { type Author, NO_STATS, type Stats } from '../../../post.ts';
import { readAddress } from '../../kit/cdn-address.ts';
import type { PostDraft } from '../../kit/draft.ts';
import { type FacebookPage, textOf, valuesAt } from './page.ts';
import { messageOf, postIdsOf } from './story.ts';

export interface PostObjects {
  /** Any of them is the post's own, by which it is known in the page. */
  readonly ids: ReadonlySet<string>;
  /** They describe its photos and videos. */
  readonly nodes: readonly JsonObject[];
  readonly stories: readonly JsonObject[];
}

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

function readAuthor(nodes: readonly JsonObject[]): Author {
  const all = nodes.slice(0, MAX_AUTHOR_NODES);
  return {
    id: firstOf(valuesAt(all, 'id'), readText),
    name: firstOf(valuesAt(all, 'name'), readText),
    username: firstOf(all, one => readText(one.username) ?? usernameOf(one.url)),
    verified: firstOf(valuesAt(all, 'is_verified'), readFlag),
    avatarUrl: firstOf(valuesAt(all, 'profile_picture.uri', 'displayPicture.uri', 'profilePicture.uri'), readAddress),
  };
}

function authorOf(page: FacebookPage, { nodes, stories }: PostObjects, isMediaItself: boolean): Author {
  const actors = stories.flatMap(story => {
    const lists = valuesAt([story], 'actors', 'comet_sections.content.story.actors');
    return readList(lists.find(Array.isArray), 1);
  });
  const owners = [...valuesAt(nodes, 'owner'), ...valuesAt(stories, 'short_form_video_context.video_owner')];
  // The author of a post is who shares a video; the author of a video is its owner.
  const people = (isMediaItself ? [...owners, ...actors] : [...actors, ...owners]).filter(isJsonObject);
  const id = textOf(people[0]?.id);
  if (id === null) return readAuthor(people.slice(0, 1));
  return readAuthor([...people.filter(one => textOf(one.id) === id), ...page.byId(id)]);
}

function readTotal(value: unknown): number | null {
  if (!isJsonObject(value)) return readCount(value);
  return readCount(value.total_count) ?? readCount(value.count);
}

type CountReader = (value: unknown) => number | null;

/** Ways to read each count, best first; an exact one of any object is better than a rounded one of another. */
const COUNTS: readonly (readonly [keyof Stats, CountReader, ...string[]])[] = [
  ['likes', readTotal, 'reaction_count', 'unified_reactors', 'reactors'],
  ['likes', readShownCount, 'i18n_reaction_count'],
  ['likes', readTotal, 'likers'],
  ['comments', readCount, 'total_comment_count'],
  ['comments', readTotal, 'comment_count'],
  ['comments', readCount, 'comment_rendering_instance.comments.total_count'],
  ['comments', readShownCount, 'i18n_comment_count'],
  ['shares', readTotal, 'share_count'],
  ['shares', readShownCount, 'i18n_share_count', 'share_count_reduced'],
  ['views', readCount, 'video_view_count', 'video_post_view_count'],
  ['plays', readCount, 'play_count'],
  ['plays', readShownCount, 'play_count_reduced'],
];

function readCounts(objects: readonly JsonObject[]): Stats {
  const all = objects.slice(0, MAX_FEEDBACK_NODES);
  const stats: Record<keyof Stats, number | null> = { ...NO_STATS };
  for (const [key, read, ...paths] of COUNTS) {
    stats[key] ??= firstOf(paths, path => firstOf(valuesAt(all, path), read));
  }
  return stats;
}

/** The objects with the counts of a post: its feedback, wherever it stands, and its media. */
function feedbackOf(page: FacebookPage, { ids, stories, nodes }: PostObjects): readonly JsonObject[] {
  const within = (objects: readonly JsonObject[]) =>
    valuesAt(objects, 'feedback', 'feedback_context.feedback_target_with_context');
  const ofVideo = page
    .objects(ids)
    .filter(({ associated_video: video }) => isJsonObject(video) && ids.has(textOf(video.id) ?? ''));
  const named = valuesAt([...within(stories), ...within(nodes), ...ofVideo], 'id').map(textOf);
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

/** The head of a page is made for crawlers, and may be about another post. */
export function isAboutPost({ meta, idOf }: FacebookPage, ids: ReadonlySet<string>): boolean {
  return [meta.canonical, meta.og.get('og:url')].some(address => ids.has(idOf(address) ?? ''));
}

/** `isMediaItself`: a video or photo was asked for, not a post that holds it. */
export function readFacts(page: FacebookPage, objects: PostObjects, isMediaItself: boolean): Omit<PostDraft, 'items'> {
  const { ids, nodes, stories } = objects;
  const author = authorOf(page, objects, isMediaItself);
  const og = isAboutPost(page, ids) ? page.meta.og : undefined;
  const texts = [
    ...valuesAt(nodes, 'message.text', 'creation_story.message.text'),
    ...valuesAt(nodes, 'savable_description.text'),
    og?.get('og:description'),
  ];
  const times = [
    ...valuesAt(nodes, 'publish_time'),
    ...valuesAt(stories, 'creation_time'),
    ...valuesAt(stories, 'comet_sections.content.story.creation_time'),
    ...valuesAt(nodes, 'creation_time', 'created_time'),
  ];
  return {
    author,
    title: firstOf(valuesAt(nodes, 'name', 'title.text'), textOf) ?? ownTitle(og?.get('og:title'), author.name),
    caption: messageOf(page, stories) ?? firstOf(texts, textOf),
    publishedAt: firstOf(times, readInstant),
    stats: readCounts(feedbackOf(page, objects)),
    coverUrl: null,
  };
}
