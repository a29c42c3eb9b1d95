/** Which stories of a page belong to the post that was asked for, and what hangs on them. Pure. */
import { findValues, isJsonObject, type JsonObject } from '../../parse/json-search.ts';
import { type FacebookPage, idOfAddress } from './page.ts';
import { isPhoto } from './photo.ts';
import { isVideo } from './video.ts';

/** More objects than one post's story is ever spread over. */
const MAX_STORIES = 30;
const MAX_MEDIA = 200;

/** Parts of a story that hold other people's words and media. */
const FOREIGN: ReadonlySet<string> = new Set([
  'attached_story',
  'feedback',
  'feedback_context',
  'comments',
  'comment_list_renderer',
  'interesting_top_level_comments',
  'video_home_www_related_videos_section',
  'related_videos',
  'creation_story',
  'container_story',
  'lasso_blue_feed',
]);
const SEARCH = { skip: FOREIGN, maxNodes: 60_000 };

export function child(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}

export function textOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A story's own id is `S:_I<owner>:<post>`, some with a kind or a second id, in base64. */
function idsInside(id: string | null): readonly string[] {
  if (id === null || !id.startsWith('UzpfS') || id.length > 400) return [];
  const plain = Buffer.from(id, 'base64').toString('latin1');
  const match = /^S:_I\d{1,20}:(?:[A-Z]{1,6}:)?(\d{1,20})(?::(\d{1,20}))?$/.exec(plain);
  return match === null ? [] : match.slice(1).filter(part => part !== undefined);
}

/** Every id that a story says is its own. */
function idsOf(story: JsonObject): readonly (string | null)[] {
  return [
    textOf(story.post_id),
    textOf(child(story.shareable, 'id')),
    textOf(child(story.video, 'id')),
    textOf(child(story.short_form_video_context, 'video', 'id')),
    textOf(child(story.short_form_video_context, 'playback_video', 'id')),
    idOfAddress(story.url),
    idOfAddress(story.wwwURL),
    idOfAddress(story.permalink_url),
    ...idsInside(textOf(story.id)),
    ...directMedia(story).map(media => textOf(media.id)),
  ];
}

/** Media that hang on the story itself, however the attachment is styled. */
function directMedia(story: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(story.attachments)) return [];
  return [...findValues(story.attachments, 'media', { skip: FOREIGN, maxNodes: 2_000 })].filter(isJsonObject);
}

/**
 * The objects that together are the story of the post: those that name one of `ids` as their own, and those with the same
 * story id elsewhere in the page.
 */
export function boundStories(page: FacebookPage, ids: ReadonlySet<string>): readonly JsonObject[] {
  const own = page.stories.filter(story => idsOf(story).some(id => id !== null && ids.has(id))).slice(0, MAX_STORIES);
  const storyIds = new Set(own.map(story => textOf(story.id)).filter(id => id?.startsWith('Uzpf')));
  const same = [...storyIds].flatMap(id => (id === null ? [] : page.byId(id)));
  return [...new Set([...own, ...same])].slice(0, MAX_STORIES);
}

/** Numbers under which a story's feedback may be kept. */
export function postIdsOf(stories: readonly JsonObject[]): readonly string[] {
  return stories.flatMap(story => [textOf(story.post_id), ...idsInside(textOf(story.id))]).filter(id => id !== null);
}

export interface AttachedMedia {
  /** Photos and videos in order, one object each. */
  readonly media: readonly JsonObject[];
  /** Whether the page says what is attached: nothing, or a link, is then a post of words. */
  readonly isKnown: boolean;
}

/** `all_subattachments` of a post with several, else any other list of them, else what is attached alone. */
function mediaOf(attachment: unknown): readonly JsonObject[] {
  const lists = [...findValues(attachment, 'all_subattachments', SEARCH)];
  const nodes = lists.map(list => child(list, 'nodes')).find(one => Array.isArray(one) && one.length > 0);
  const source = Array.isArray(nodes) ? nodes : attachment;
  const found: JsonObject[] = [];
  for (const media of findValues(source, 'media', SEARCH)) {
    if (isJsonObject(media) && (isPhoto(media) || isVideo(media))) found.push(media);
    if (found.length === MAX_MEDIA) break;
  }
  return found;
}

/** The picture of a page elsewhere that the post links to. */
function isLinkPicture(media: unknown): boolean {
  return child(media, '__typename') === 'GenericAttachmentMedia';
}

function attachedTo(story: unknown): AttachedMedia {
  let isKnown = false;
  const media: JsonObject[] = [];
  for (const attachments of findValues(story, 'attachments', SEARCH)) {
    if (!Array.isArray(attachments)) continue;
    isKnown ||= attachments.length === 0 || [...findValues(attachments, 'media', SEARCH)].some(isLinkPicture);
    for (const attachment of attachments.slice(0, MAX_MEDIA)) media.push(...mediaOf(attachment));
    if (media.length > 0) break;
  }
  const reel = child(story, 'short_form_video_context', 'playback_video');
  if (media.length === 0 && isJsonObject(reel)) media.push(reel);
  return { media, isKnown: isKnown || media.length > 0 };
}

/** What is attached to the post, or to the post that it shares. */
export function attachedMedia(stories: readonly JsonObject[]): AttachedMedia {
  const own = stories.map(attachedTo);
  const shared = () =>
    stories.flatMap(story => [...findValues(story, 'attached_story', { maxNodes: 60_000 })].map(attachedTo));
  const withMedia = own.find(one => one.media.length > 0) ?? shared().find(one => one.media.length > 0);
  return withMedia ?? { media: [], isKnown: own.some(one => one.isKnown) };
}

/** The words of the post; null when it has none. */
export function messageOf(stories: readonly JsonObject[]): string | null {
  for (const story of stories) {
    for (const message of findValues(story, 'message', SEARCH)) {
      const words = textOf(child(message, 'text'));
      if (words !== null) return words;
    }
  }
  return null;
}
