/** A Facebook page -> the post that was asked for. Pure; never throws. Media are bound to the requested id. */
import type { ErrorCode } from '../../../../errors.ts';
import type { PostRef } from '../../../extract/source.ts';
import type { Body } from '../../../parse/body.ts';
import type { JsonObject } from '../../../parse/json-search.ts';
import type { UnplacedItem } from '../../../post.ts';
import { type PostDraft, readableItems } from '../../kit/draft.ts';
import { restrictionOf } from '../failures.ts';
import { isAboutPost, type PostObjects, readFacts } from './facts.ts';
import { isLive, isPhoto, isVideo, readNamedVideo, readPhoto, readVideo } from './media.ts';
import { type FacebookPage, idOfAddress, openPage } from './page.ts';
import { attachedMedia, distinctMedia, isStory, isWordsOnly, mediaIdOf, storiesOf } from './story.ts';

/** What a page says of the post: the post, or why it holds none. */
export type Reading =
  | { readonly kind: 'post'; readonly post: PostDraft }
  /** The post is there and has neither photo nor video. */
  | { readonly kind: 'words' }
  /** A broadcast that is still on the air. */
  | { readonly kind: 'live' }
  /** The post is there, and no file of it can be read; `code` where its own data say why. */
  | { readonly kind: 'unread'; readonly code: ErrorCode | null }
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

/** The objects that describe a photo or video: all that the page says of its id. */
function nodesOf(page: FacebookPage, media: JsonObject): readonly JsonObject[] {
  const id = mediaIdOf(media);
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
  const media = distinctMedia(isOwn ? [own] : attached.media).map(one => (one === null ? [] : nodesOf(page, one)));
  const items = media.map(nodes => (nodes.length === 0 ? null : readMedia(nodes, ref)));
  return {
    items,
    nodes: media.flat(),
    stories,
    isHeld: stories.length > 0 || named.some(node => Object.keys(node).length > 1),
    isLive: media.some((nodes, index) => items[index] === null && isLive(nodes)),
    isWordsOnly: !isMediaItself(ref) && isWordsOnly(page, stories, attached),
  };
}

/** What the page has of the post by any of the sets of ids: all of it, and what can be read, the fullest first. */
function findFullest(page: FacebookPage, ref: PostRef, attempts: readonly ReadonlySet<string>[]) {
  const all = attempts.map(ids => {
    const found = findPost(page, ref, ids);
    // One file is the whole of a post with one item, and no part of one with several.
    const isSingle = readableItems(found) === 0 && found.items.length <= 1;
    const file = isSingle && isAboutPost(page, ids) ? readNamedVideo(page.meta.og) : null;
    return { ids, found: file === null ? found : { ...found, items: [file] } };
  });
  const readable = all.filter(({ found }) => readableItems(found) > 0);
  const complete = readable.find(({ found }) => readableItems(found) === found.items.length);
  const [fullest] = readable.sort((a, b) => readableItems(b.found) - readableItems(a.found));
  return { all: all.map(({ found }) => found), best: complete ?? fullest, isComplete: complete !== undefined };
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
  if (best !== undefined) {
    const { ids, found } = best;
    return { kind: 'post', post: { ...readFacts(page, ids, found, isMediaItself(ref)), items: found.items } };
  }
  if (all.some(found => found.isLive)) return { kind: 'live' };
  if (all.some(found => found.isWordsOnly)) return { kind: 'words' };
  const held = all.find(found => found.isHeld);
  if (held !== undefined) return { kind: 'unread', code: restrictionOf([...held.stories, ...held.nodes], page.budget) };
  // A page never repeats the pfbid that it was asked by.
  const isNamed = ref.id.startsWith('pfbid') || page.names(new Set([ref.id, moved ?? ref.id]));
  const hasVideos = page.objects().some(isVideo);
  return { kind: hasVideos && !isNamed ? 'others' : 'nothing', hasPosts: hasVideos || page.objects().some(isStory) };
}
