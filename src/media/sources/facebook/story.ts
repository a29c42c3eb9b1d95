/** Finds the objects of a page that describe the requested post (its stories) and its attached media. Pure. */
import { child, findValues, firstOf, isJsonObject, type JsonObject } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import { idOfAddress } from './link.ts';
import { isPhoto, isVideo } from './media.ts';
import { type FacebookPage, FOREIGN, knownIdOf, SHARED, textOf, valuesAt } from './page.ts';

const MAX_STORIES = 30;
const MAX_MEDIA = 200;

/** Properties of stories: an object that has none of these is no story of a post. */
const STORY_KEYS = [
  'short_form_video_context',
  'attachments',
  'post_id',
  'comet_sections',
  'feedback_context',
  'shareable',
  'fb_reel_react_button',
];
/** Paths at which a story states the id of its post, beside `post_id`. */
const OWN_ID_PATHS = [
  'shareable.id',
  'video.id',
  'short_form_video_context.video.id',
  'short_form_video_context.playback_video.id',
].map(path => path.split('.'));

export function isStory(object: JsonObject): boolean {
  return STORY_KEYS.some(key => key in object);
}

/** The ids in a story's id: base64 of `S:_I<owner>:<post>`, sometimes with a kind or a second id. */
function idsInside(id: string | null): readonly string[] {
  if (id === null || !id.startsWith('UzpfS') || id.length > 400) return [];
  const plain = Buffer.from(id, 'base64').toString('latin1');
  const match = /^S:_I\d{1,20}:(?:[A-Z]{1,6}:)?(\d{1,20})(?::(\d{1,20}))?$/.exec(plain);
  return match === null ? [] : match.slice(1).filter(part => part !== undefined);
}

/** Says whether a story's post has one of `ids`. Cheap checks come first. */
function isNamed(page: FacebookPage, story: JsonObject, ids: ReadonlySet<string>): boolean {
  const isWanted = (id: unknown) => {
    const text = textOf(id);
    return text !== null && ids.has(text);
  };
  if (isWanted(story.post_id) || OWN_ID_PATHS.some(path => isWanted(child(story, ...path)))) return true;
  if (idsInside(textOf(story.id)).some(isWanted)) return true;
  for (const address of [story.url, story.wwwURL, story.permalink_url]) {
    const names = typeof address === 'string' && [...ids].some(id => address.includes(id));
    if (names && isWanted(idOfAddress(address))) return true;
  }
  const { attachments } = story;
  if (!Array.isArray(attachments)) return false;
  return page.ownValues(attachments, 'media').some(media => isWanted(child(media, 'id')));
}

/** The story in the answers to the page's own queries; undefined when they contain none or several. */
function rootStory(page: FacebookPage): JsonObject | undefined {
  const roots = page.objects().flatMap(({ data }) => {
    const answered = [child(data, 'node_v2'), child(data, 'node'), read.list(child(data, 'nodes'))[0]];
    return answered.filter(isJsonObject).filter(isStory).slice(0, 1);
  });
  const ids = new Set(roots.map(root => textOf(root.id) ?? textOf(root.post_id)));
  return ids.size === 1 ? roots[0] : undefined;
}

/**
 * The post's stories: objects that state one of `ids`, and all further objects that have the story id of one of these.
 */
export function storiesOf(page: FacebookPage, ids: ReadonlySet<string>): readonly JsonObject[] {
  const own: JsonObject[] = [];
  for (const object of page.objects(ids)) {
    if (own.length < MAX_STORIES && isStory(object) && isNamed(page, object, ids)) own.push(object);
  }
  const storyIds = new Set(own.map(story => textOf(story.id) ?? '').filter(id => id.startsWith('Uzpf')));
  const stories = [...new Set([...own, ...[...storyIds].flatMap(page.byId)])].slice(0, MAX_STORIES);
  // The page does not contain the pfbid (an encoded id) of the link, because it changes with each visit. If the page
  // has only one story, that is the post.
  const [asked] = ids;
  const root = stories.length === 0 && asked?.startsWith('pfbid') ? rootStory(page) : undefined;
  return root === undefined ? stories : [root];
}

export function postIdsOf(stories: readonly JsonObject[]): readonly string[] {
  return stories.flatMap(story => [textOf(story.post_id), ...idsInside(textOf(story.id))]).filter(id => id !== null);
}

/** Attached photos and videos in order. Null stands for one whose shape is unknown. */
type Attached = readonly (JsonObject | null)[];

function isMedia(value: unknown): value is JsonObject {
  return isJsonObject(value) && (isPhoto(value) || isVideo(value));
}

/** Types of attachments without a photo or video, such as links and polls (Facebook's names as of 2026). */
const WORDY =
  /^(?:GenericAttachmentMedia|Sticker)$|^StoryAttachment(?:Share|(?:Life)?Event|TextPoll|Map|(?:Custom)?Unavailable)/;

function isWordy(page: FacebookPage, attachment: unknown): boolean {
  return page.ownValues(attachment, '__typename').some(name => WORDY.test(textOf(name) ?? ''));
}

function distinctMedia(media: Attached): Attached {
  const seen = new Set<string>();
  return media.filter(one => {
    const id = one === null ? null : knownIdOf(one);
    return id === null || (!seen.has(id) && seen.add(id) !== undefined);
  });
}

function withMissing(media: Attached, missing: number): Attached {
  return [...media, ...Array<null>(Math.max(0, missing)).fill(null)];
}

/** The media of an attachment. The page may list only the first; `all_subattachments` says how many there are. */
function mediaOf(page: FacebookPage, attachment: unknown): Attached {
  if (attachment === null) return [null];
  const listsOf = (fits: (key: string) => boolean) =>
    page.ownValues(attachment, fits).map(list => ({
      nodes: read.list(child(list, 'nodes'), MAX_MEDIA),
      total: Math.min(read.count(child(list, 'count')) ?? 0, MAX_MEDIA),
    }));
  const list = listsOf(key => key === 'all_subattachments').find(one => one.nodes.length > 0);
  if (list !== undefined) {
    const listed = list.nodes.map(node => page.ownValues(node, 'media').find(isMedia) ?? null);
    return withMissing(listed, list.total - listed.length);
  }
  const media = page.ownValues(attachment, 'media');
  const values = media.some(isMedia) ? media : [...media, ...page.ownValues(attachment, 'playback_video')];
  const known = distinctMedia(values.filter(isMedia)).slice(0, MAX_MEDIA);
  const parts = listsOf(key => key.endsWith('subattachments'));
  const shown = Math.max(0, ...parts.map(one => one.nodes.length));
  const total = Math.max(0, ...parts.map(one => one.total));
  // The lists may show only the first media. Unless more media than in the longest list were found, at least one counts
  // as missing.
  if (shown > 0 || total > 0) return withMissing(known, Math.max(total - known.length, known.length > shown ? 0 : 1));
  if (known.length > 0) return known;
  return values.length > 0 && !isWordy(page, attachment) ? [null] : [];
}

function countKnown(media: Attached): number {
  return media.filter(one => one !== null).length;
}

/** The candidate with the most media of a known shape; if several have as many, the first one. */
function fullest(candidates: readonly Attached[]): Attached {
  const sorted = candidates.filter(({ length }) => length > 0).toSorted((a, b) => countKnown(b) - countKnown(a));
  return sorted[0] ?? [];
}

/** All lists of the stories' attachments. A page may describe the same attachments in several lists. */
function attachmentLists(page: FacebookPage, stories: unknown): readonly (readonly unknown[])[] {
  return page.ownValues(stories, 'attachments').filter(list => Array.isArray(list));
}

function attachedTo(page: FacebookPage, story: unknown): Attached {
  const lists = attachmentLists(page, story);
  const media = fullest(lists.map(list => read.list(list, MAX_MEDIA).flatMap(one => mediaOf(page, one))));
  const reel = child(story, 'short_form_video_context', 'playback_video');
  return countKnown(media) === 0 && isJsonObject(reel) ? [reel] : media;
}

export function sharedBy({ budget }: FacebookPage, stories: readonly JsonObject[]): readonly JsonObject[] {
  return findValues(stories, key => SHARED.includes(key), { budget }).filter(isJsonObject);
}

/** The media attached to the post, each once. If it has none, the media of the post that it shares. */
export function attachedMedia(page: FacebookPage, stories: readonly JsonObject[]): Attached {
  const own = fullest(stories.map(story => attachedTo(page, story)));
  if (countKnown(own) > 0) return distinctMedia(own);
  const ofShared = fullest(sharedBy(page, stories).map(story => attachedTo(page, story)));
  return distinctMedia(countKnown(ofShared) > 0 ? ofShared : own);
}

export function messageOf(page: FacebookPage, stories: readonly JsonObject[]): string | null {
  return firstOf(valuesAt(page.ownValues(stories, 'message'), 'text'), textOf);
}

/** Says whether the post and what it shares are text alone: neither has attachments other than links and the like. */
export function isWordsOnly(page: FacebookPage, stories: readonly JsonObject[]): boolean {
  const shared = sharedBy(page, stories);
  const isStated = (part: readonly JsonObject[]) =>
    attachmentLists(page, part).some(list => list.length === 0 || list.some(one => isWordy(page, one)));
  if (!isStated(stories) || (shared.length > 0 && !isStated(shared))) return false;
  const skip = new Set([...FOREIGN].filter(key => !SHARED.includes(key)));
  const parts = [...stories, ...findValues(stories, () => true, { skip, budget: page.budget })];
  return messageOf(page, [...stories, ...shared]) !== null && !parts.some(isMedia);
}
