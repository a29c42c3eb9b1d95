/** A Facebook page -> the post that was asked for. Pure; never throws. Media are bound to the requested id. */
import type { PostRef } from '../../../extract/source.ts';
import type { Body } from '../../../parse/body.ts';
import type { JsonObject, SearchBudget } from '../../../parse/json-search.ts';
import type { UnplacedItem } from '../../../post.ts';
import { isComplete, type PostDraft, readableItems } from '../../kit/draft.ts';
import { isAboutPost, type PostObjects, readFacts } from './facts.ts';
import { isLive, isPhoto, isVideo, readNamedVideo, readPhoto, readVideo } from './media.ts';
import { type FacebookPage, openPage } from './page.ts';
import { attachedMedia, distinctMedia, isStory, isWordsOnly, knownIdOf, storiesOf } from './story.ts';

/** The post of a page, or why the page holds none. */
export type Reading =
  | { readonly kind: 'post'; readonly post: PostDraft }
  /** The post is there and has neither photo nor video. */
  | { readonly kind: 'words' }
  /** A broadcast is still on the air. */
  | { readonly kind: 'live' }
  /** The post is there, and no file of it can be read: its own objects may say why. */
  | { readonly kind: 'unread'; readonly objects: readonly JsonObject[]; readonly budget: SearchBudget }
  /** Videos of others only, and no word of the post; or nothing. `hasPosts`: posts of other people stand in the page. */
  | { readonly kind: 'others' | 'nothing'; readonly hasPosts: boolean };

interface Found extends PostObjects {
  readonly items: readonly (UnplacedItem | null)[];
  /** Any object at all is the post's or its media's. */
  readonly isHeld: boolean;
  readonly isLive: boolean;
  readonly isWordsOnly: boolean;
}

const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'watch', 'video']);

function isMediaItself({ form }: PostRef): boolean {
  return VIDEO_FORMS.has(form) || form === 'photo';
}

function nodesOf(page: FacebookPage, media: JsonObject | null): readonly JsonObject[] {
  if (media === null) return [];
  const id = knownIdOf(media);
  return [...new Set([media, ...(id === null ? [] : page.byId(id))])];
}

/** A link that says video is never answered by an image. */
function readMedia(nodes: readonly JsonObject[], ref: PostRef): UnplacedItem | null {
  const isImage = nodes[0] !== undefined && isPhoto(nodes[0]) && !VIDEO_FORMS.has(ref.form);
  return isImage ? readPhoto(nodes.filter(node => !isVideo(node))) : readVideo(nodes);
}

function findPost(page: FacebookPage, ref: PostRef, ids: ReadonlySet<string>): Found {
  const stories = storiesOf(page, ids);
  const named = [...ids].flatMap(page.byId);
  const own = named.find(isVideo) ?? named.find(isPhoto);
  const attached = attachedMedia(page, stories);
  const isOwn = own !== undefined && (isMediaItself(ref) || attached.media.length === 0);
  const media = distinctMedia(isOwn ? [own] : attached.media).map(one => nodesOf(page, one));
  const items = media.map(nodes => (nodes.length === 0 ? null : readMedia(nodes, ref)));
  // One file is the whole of a post with one item, and no part of one with several.
  const isSingle = readableItems({ items }) === 0 && items.length <= 1;
  const file = isSingle && isAboutPost(page, ids) ? readNamedVideo(page.meta.og) : null;
  return {
    ids,
    stories,
    nodes: media.flat(),
    items: file === null ? items : [file],
    isHeld: stories.length > 0 || named.some(node => Object.keys(node).length > 1),
    isLive: media.some((nodes, index) => items[index] === null && isLive(nodes)),
    isWordsOnly: !isMediaItself(ref) && isWordsOnly(page, stories, attached),
  };
}

/** The id in `finalUrl`, where the site answered from, is its own word for the post. */
export function parseFacebookPage(body: Body, ref: PostRef, finalUrl: string, idOf: FacebookPage['idOf']): Reading {
  const page = openPage(body, idOf);
  const moved = idOf(finalUrl) ?? ref.id;
  const attempts = [new Set([ref.id]), ...(moved === ref.id ? [] : [new Set([ref.id, moved])])];
  const look = () => attempts.map(ids => findPost(page, ref, ids));
  let found = look();
  if (!found.some(isComplete) && page.readAll()) found = look();
  const [fullest] = found.toSorted((a, b) => readableItems(b) - readableItems(a));
  const best = found.find(isComplete) ?? fullest;
  if (best !== undefined && readableItems(best) > 0) {
    return { kind: 'post', post: { ...readFacts(page, best, isMediaItself(ref)), items: best.items } };
  }
  if (found.some(one => one.isLive)) return { kind: 'live' };
  if (found.some(one => one.isWordsOnly)) return { kind: 'words' };
  const held = found.find(one => one.isHeld);
  if (held !== undefined) return { kind: 'unread', objects: [...held.stories, ...held.nodes], budget: page.budget };
  // A page never repeats the pfbid that it was asked by.
  const isNamed = ref.id.startsWith('pfbid') || page.names([ref.id, moved]);
  const hasVideos = page.objects().some(isVideo);
  return { kind: hasVideos && !isNamed ? 'others' : 'nothing', hasPosts: hasVideos || page.objects().some(isStory) };
}
