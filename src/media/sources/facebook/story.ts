/** Which stories of a page belong to the post that was asked for, and what hangs on them. Pure. */
import { readCount } from '../../parse/fields.ts';
import { child, findValues, isJsonObject, type JsonObject, type SearchOptions } from '../../parse/json-search.ts';
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

/** How a page's stories are searched: in their own parts, and all of them together within the page's bound. */
function ownParts({ budget }: FacebookPage): SearchOptions {
  return { skip: FOREIGN, budget };
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

/** Media that hang on the story itself, however the attachment is styled. */
function directMedia(story: JsonObject, search: SearchOptions): readonly JsonObject[] {
  return Array.isArray(story.attachments) ? findValues(story.attachments, 'media', search).filter(isJsonObject) : [];
}

/** Whether a story says of one of `ids` that it is its own; the cheapest signs are looked at first. */
function isNamed(story: JsonObject, ids: ReadonlySet<string>, search: SearchOptions): boolean {
  const isWanted = (id: string | null) => id !== null && ids.has(id);
  const reel = story.short_form_video_context;
  const own = [
    story.post_id,
    child(story.shareable, 'id'),
    child(story.video, 'id'),
    child(reel, 'video', 'id'),
    child(reel, 'playback_video', 'id'),
  ];
  if (own.some(id => isWanted(textOf(id)))) return true;
  if (idsInside(textOf(story.id)).some(isWanted)) return true;
  for (const address of [story.url, story.wwwURL, story.permalink_url]) {
    const names = typeof address === 'string' && [...ids].some(id => address.includes(id));
    if (names && isWanted(idOfAddress(address))) return true;
  }
  return directMedia(story, search).some(media => isWanted(textOf(media.id)));
}

/**
 * The objects that together are the story of the post: those that name one of `ids` as their own, and those with the same
 * story id elsewhere in the page.
 */
export function boundStories(page: FacebookPage, ids: ReadonlySet<string>): readonly JsonObject[] {
  const search = ownParts(page);
  const own: JsonObject[] = [];
  for (const story of page.storiesNaming(ids)) {
    if (isNamed(story, ids, search)) own.push(story);
    if (own.length === MAX_STORIES) break;
  }
  const storyIds = new Set(own.map(story => textOf(story.id)).filter(id => id?.startsWith('Uzpf')));
  const same = [...storyIds].flatMap(id => (id === null ? [] : page.byId(id)));
  return [...new Set([...own, ...same])].slice(0, MAX_STORIES);
}

/** Numbers under which a story's feedback may be kept. */
export function postIdsOf(stories: readonly JsonObject[]): readonly string[] {
  return stories.flatMap(story => [textOf(story.post_id), ...idsInside(textOf(story.id))]).filter(id => id !== null);
}

/** A photo or video that is attached; null for one that is there in a shape that is not known. */
type Attached = JsonObject | null;

export interface AttachedMedia {
  /** In order, one entry each. */
  readonly media: readonly Attached[];
  /** Whether the page says what is attached: nothing, or a link, is then a post of words. */
  readonly isKnown: boolean;
}

function isMedia(value: unknown): value is JsonObject {
  return isJsonObject(value) && (isPhoto(value) || isVideo(value));
}

/** The image of a page elsewhere that the post links to. */
function isLinkImage(media: unknown): boolean {
  return child(media, '__typename') === 'GenericAttachmentMedia';
}

/** The id by which a photo or video is known all over a page; short ones are places in lists. */
export function mediaIdOf(media: JsonObject): string | null {
  const id = textOf(media.id);
  return id !== null && id.length >= 6 ? id : null;
}

/** Each media once, in order, with the places of those that are not known. */
export function distinctMedia(media: readonly Attached[]): readonly Attached[] {
  const seen = new Set<string>();
  return media.filter(one => {
    const id = one === null ? null : mediaIdOf(one);
    return id === null || (!seen.has(id) && seen.add(id) !== undefined);
  });
}

interface Sublist {
  readonly nodes: readonly unknown[];
  /** How many the page says there are: it lists the first few. */
  readonly total: number;
}

/** Lists of what a post with several has attached: `all_subattachments`, and parts of it such as `five_photos_subattachments`. */
function sublists(attachment: unknown, fits: (key: string) => boolean, search: SearchOptions): readonly Sublist[] {
  return findValues(attachment, fits, search).map(list => {
    const nodes = child(list, 'nodes');
    return {
      nodes: Array.isArray(nodes) ? nodes.slice(0, MAX_MEDIA) : [],
      total: Math.min(readCount(child(list, 'count')) ?? 0, MAX_MEDIA),
    };
  });
}

function withMissing(media: readonly Attached[], missing: number): readonly Attached[] {
  return [...media, ...Array<null>(Math.max(0, missing)).fill(null)];
}

/** What an attachment holds: several, or what is attached alone. */
function mediaOf(attachment: unknown, search: SearchOptions): readonly Attached[] {
  if (attachment === null) return [null];
  const all = sublists(attachment, key => key === 'all_subattachments', search);
  const list = all.find(one => one.nodes.length > 0);
  if (list !== undefined) {
    const listed = list.nodes.map(node => findValues(node, 'media', search).find(isMedia) ?? null);
    return withMissing(listed, list.total - listed.length);
  }
  const values = findValues(attachment, 'media', search);
  const known = distinctMedia(values.filter(isMedia)).slice(0, MAX_MEDIA);
  const parts = sublists(attachment, key => key.endsWith('subattachments'), search);
  const shown = Math.max(0, ...parts.map(one => one.nodes.length));
  const total = Math.max(0, ...[...all, ...parts].map(one => one.total));
  // A part of the list is not the whole of it.
  if (shown > 0 || total > 0) return withMissing(known, Math.max(total - known.length, known.length > shown ? 0 : 1));
  if (known.length > 0) return known;
  return values.length > 0 && !values.some(isLinkImage) ? [null] : [];
}

/** Whether a photo or a video stands anywhere in a story, in whatever place. */
export function holdsMedia(page: FacebookPage, story: JsonObject): boolean {
  const skip = new Set([...FOREIGN].filter(key => key !== 'attached_story'));
  return [story, ...findValues(story, () => true, { skip, budget: page.budget })].some(isMedia);
}

function knownMedia({ media }: AttachedMedia): number {
  return media.filter(one => one !== null).length;
}

/** The one with most media of a shape that is known; of two alike the first. */
function fullest(candidates: readonly AttachedMedia[]): AttachedMedia {
  const isKnown = candidates.some(one => one.isKnown);
  let best: AttachedMedia = { media: [], isKnown };
  for (const one of candidates) {
    const isFuller = knownMedia(one) > knownMedia(best) || (best.media.length === 0 && one.media.length > 0);
    if (isFuller) best = { media: one.media, isKnown };
  }
  return best;
}

function attachedTo(story: unknown, search: SearchOptions): AttachedMedia {
  const lists: AttachedMedia[] = [];
  for (const attachments of findValues(story, 'attachments', search)) {
    if (!Array.isArray(attachments)) continue;
    const isLink = findValues(attachments, 'media', search).some(isLinkImage);
    lists.push({
      media: attachments.slice(0, MAX_MEDIA).flatMap(attachment => mediaOf(attachment, search)),
      isKnown: attachments.length === 0 || isLink,
    });
  }
  const attached = fullest(lists);
  const reel = child(story, 'short_form_video_context', 'playback_video');
  if (knownMedia(attached) === 0 && isJsonObject(reel)) return { media: [reel], isKnown: true };
  return { ...attached, isKnown: attached.isKnown || knownMedia(attached) > 0 };
}

/** What is attached to the post, or to the post that it shares. */
export function attachedMedia(page: FacebookPage, stories: readonly JsonObject[]): AttachedMedia {
  const search = ownParts(page);
  const own = fullest(stories.map(story => attachedTo(story, search)));
  if (knownMedia(own) > 0) return own;
  const { budget } = page;
  const shared = stories.flatMap(story => findValues(story, 'attached_story', { budget }));
  const ofShared = fullest(shared.map(story => attachedTo(story, search)));
  return knownMedia(ofShared) > 0 ? ofShared : own;
}

/** The words of the post; null when it has none. */
export function messageOf(page: FacebookPage, stories: readonly JsonObject[]): string | null {
  const search = ownParts(page);
  for (const story of stories) {
    for (const message of findValues(story, 'message', search)) {
      const words = textOf(child(message, 'text'));
      if (words !== null) return words;
    }
  }
  return null;
}
