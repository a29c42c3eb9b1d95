/** What a Facebook page holds before anybody knows which post was asked for. Pure and linear in the page's length. */
import { Parser } from 'htmlparser2';
import { embeddedJson, findObjects, isJsonObject, type JsonObject, pageScripts } from '../../parse/json-search.ts';
import { legacyVideoData } from './legacy.ts';
import { matchFacebookLink } from './link.ts';
import { isVideo } from './video.ts';

/** `<meta>` and `<link>` of the page's head. */
export interface PageMeta {
  readonly canonical: string | null;
  /** `og:…` properties, the first of each. */
  readonly og: ReadonlyMap<string, string>;
}

export interface FacebookPage {
  readonly meta: PageMeta;
  /** Objects that carry this id, in page order: Facebook's ids are unique, so all of them speak of one thing. */
  byId(id: string): readonly JsonObject[];
  /** Objects that may be a post's story, in page order. */
  readonly stories: readonly JsonObject[];
  /** Objects that name the video they are feedback on, in page order. */
  readonly videoFeedback: readonly JsonObject[];
  /** The one story that the page as a whole is about; null when there is none or more than one. */
  readonly rootStory: JsonObject | null;
  /** Whether files of any video at all are in it. */
  readonly hasVideos: boolean;
  /** `videoData` of the player before 2020, still used by embedded players. */
  readonly legacyVideos: readonly JsonObject[];
}

const MAX_TAGS = 500;
const TAG = /<(?:meta|link)\s[^<>]{1,4000}>/gi;

export function readMeta(html: string): PageMeta {
  const og = new Map<string, string>();
  let canonical: string | null = null;
  const parser = new Parser({
    onopentag(name, attributes) {
      const { property, content, rel, href } = attributes;
      if (name === 'meta' && property?.startsWith('og:') && content && !og.has(property)) og.set(property, content);
      if (name === 'link' && rel === 'canonical' && href) canonical ??= href;
    },
  });
  let left = MAX_TAGS;
  for (const [tag] of html.matchAll(TAG)) {
    if (left === 0) break;
    left -= 1;
    parser.write(tag);
  }
  parser.end();
  return { canonical, og };
}

const STORY_KEYS: readonly string[] = [
  'short_form_video_context',
  'attachments',
  'post_id',
  'comet_sections',
  'feedback_context',
  'shareable',
];

function isStory(object: JsonObject): boolean {
  return STORY_KEYS.some(key => key in object);
}

function textId(value: unknown): string | null {
  if (typeof value === 'string' && value.length > 0 && value.length <= 600) return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** The story of a query's answer about one node: `data.node`, `node_v2`, `nodes[0]`. */
function answeredStory(data: unknown): JsonObject | null {
  if (!isJsonObject(data)) return null;
  const first = Array.isArray(data.nodes) ? data.nodes[0] : undefined;
  const story = [data.node_v2, data.node, first].find(one => isJsonObject(one) && isStory(one));
  return isJsonObject(story) ? story : null;
}

/** All objects of the page's JSON, parents before children. */
function* pageObjects(html: string): Generator<JsonObject> {
  for (const json of embeddedJson(html)) yield* findObjects(json, () => true);
}

export function readPage(html: string): FacebookPage {
  const index = new Map<string, JsonObject[]>();
  const stories: JsonObject[] = [];
  const videoFeedback: JsonObject[] = [];
  const roots: JsonObject[] = [];
  const legacyVideos = [...pageScripts(html)].flatMap(script => legacyVideoData(script.text));
  let hasVideos = legacyVideos.length > 0;
  for (const object of pageObjects(html)) {
    const id = textId(object.id);
    const known = id === null ? undefined : index.get(id);
    if (known !== undefined) known.push(object);
    else if (id !== null) index.set(id, [object]);
    if (isStory(object)) stories.push(object);
    if (isJsonObject(object.associated_video)) videoFeedback.push(object);
    hasVideos ||= isVideo(object);
    const root = answeredStory(object.data);
    if (root !== null) roots.push(root);
  }
  const rootIds = new Set(roots.map(root => textId(root.id) ?? textId(root.post_id)));
  return {
    meta: readMeta(html),
    byId: id => index.get(id) ?? [],
    stories,
    videoFeedback,
    rootStory: rootIds.size === 1 ? (roots[0] ?? null) : null,
    hasVideos,
    legacyVideos,
  };
}

/** The id of the post that an address of the site names; null for any other address. */
export function idOfAddress(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > 2_048 || !URL.canParse(address)) return null;
  const match = matchFacebookLink(new URL(address));
  return match?.kind === 'post' ? match.ref.id : null;
}
