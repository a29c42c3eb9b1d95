/** Reads the requested post from its page or its embed (as seen in 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import { weakNotFound } from '../../extract/refusal.ts';
import { child, firstOf, parseJson, UNKNOWN_SIZE } from '../../parse/json.ts';
import { type Attributes, readMarkup, readSrcset } from '../../parse/markup.ts';
import * as read from '../../parse/read.ts';
import { NO_STATS, type Stats, type UnplacedItem } from '../../post.ts';
import { type DraftItem, EMPTY_DRAFT, type PostDraft, readableItems, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { gifOf, imageOf, linkedItem, namedVideo, packagedVideo, readAddress } from './items.ts';
import { redditRefOf } from './link.ts';

/**
 * The place of a text in a page. `shared`: the title of the post that a crosspost shares; `foreign`: in a comment, an
 * advertisement or another post.
 */
type Region = 'title' | 'shared' | 'words' | 'votes' | 'comments' | 'foreign' | null;

/** Elements that begin a new line of the post's text. */
const LINE = /^(?:p|li|br|h[1-6]|blockquote|pre|hr)$/;

/** Matches the address of a post, on the site or relative. */
const POST_ADDRESS = /\/comments\/([a-z0-9]{4,12})(?:[/?]|$)/;

type Place = { readonly order: number } | undefined;

/** Collects everything in a page's markup that belongs to one post. */
class PostMarkup {
  readonly #name: string;
  /** The region of each open element, the innermost last. */
  readonly #open: Region[] = [];
  /** The images found. `place` is the position that the markup states, `order` is that or the order of discovery. */
  readonly slides: { readonly place: Place; readonly order: number; readonly item: UnplacedItem }[] = [];
  /** Ids of all posts to which the page contains links. */
  readonly named = new Set<string>();
  post: Attributes | undefined;
  player: Attributes | undefined;
  embed: unknown;
  isRemoved = false;
  author: string | undefined;
  title = '';
  shared = '';
  words = '';
  /** The texts in which an embed shows the counts of votes and of comments. */
  votes: string | undefined;
  comments = '';
  /** The stated position of the last slide; each slide has its own object. */
  #place: Place;

  constructor(id: string) {
    this.#name = `t3_${id}`;
  }

  onopentag(name: string, attributes: Attributes): void {
    const region = this.#open.at(-1) ?? this.#regionOf(name, attributes);
    this.#open.push(this.#isForeign(name, attributes) ? 'foreign' : region);
    if (this.#open.at(-1) === 'foreign') return;
    if (name === 'shreddit-post') this.post ??= attributes;
    if (name === 'shreddit-screenview-data') this.embed ??= parseJson(attributes.data ?? '');
    if (name === 'shreddit-player' || name === 'shreddit-player-2') this.player ??= attributes;
    const slot = /^page-(\d{1,3})$/.exec(attributes.slot ?? '')?.[1];
    if (name === 'li') this.#place = slot === undefined ? undefined : { order: Number(slot) };
    if (name === 'img') this.#addImage(attributes);
    if (region === 'votes') this.votes ??= attributes.number;
    this.isRemoved ||= attributes.slot === 'post-removed-banner';
    if (region === 'words' && LINE.test(name)) this.words += name === 'p' ? '\n\n' : '\n';
    if (name === 'a') this.#follow(attributes.href ?? '');
  }

  ontext(text: string): void {
    const region = this.#open.at(-1);
    if (region === 'title' || region === 'shared' || region === 'words' || region === 'comments') this[region] += text;
  }

  onclosetag(): void {
    this.#open.pop();
  }

  /** The text in lines, without the white space that indents the markup. */
  get text(): string {
    const lines = this.words.split('\n').map(line => line.trim());
    return lines
      .join('\n')
      .trim()
      .replace(/\n{3,}/g, '\n\n');
  }

  #regionOf(name: string, { slot, id, class: style, 'data-testid': part }: Attributes): Region {
    if ((name === 'shreddit-embed-title' || id === 'embed-title') && this.title === '') return 'title';
    if (style?.includes('crosspost-title') === true) return 'shared';
    if (part === 'upvote') return 'votes';
    if (part === 'cta' && this.comments === '') return 'comments';
    const isText = slot === 'text-body' || id?.endsWith('-post-rtjson-content') === true;
    return isText && this.words === '' ? 'words' : null;
  }

  #isForeign(name: string, attributes: Attributes): boolean {
    const isAnothers = 'post-promoted' in attributes || 'comment-id' in attributes;
    if (isAnothers || name === 'shreddit-comment' || name === 'shreddit-ad-post') return true;
    if (name === 'shreddit-post') return attributes.id !== this.#name;
    // A crosspost shows the files of the post that it shares, which have that post's id.
    const isShared = this.post?.['post-type'] === 'crosspost';
    return attributes['post-id'] !== undefined && attributes['post-id'] !== this.#name && !isShared;
  }

  #follow(address: string): void {
    const [, post] = POST_ADDRESS.exec(address) ?? [];
    if (post !== undefined) this.named.add(post);
    this.author ??= /^(?:https:\/\/www\.reddit\.com)?\/user\/([\w-]{2,40})\/?(?:\?|$)/.exec(address)?.[1];
  }

  /** Adds the image of a slide. The markup repeats it, first as a blurred background, which is left out. */
  #addImage({ src, srcset, width, height, alt, class: style = '' }: Attributes): void {
    if (style.includes('background')) return;
    const largest = firstOf(readSrcset(srcset), ({ url }) => readAddress(url));
    const item = imageOf(largest ?? src, { ...read.dimensions({ width, height }), alt: read.text(alt) });
    const place = this.#place;
    const url = item?.variants[0]?.url;
    const isKnown = this.slides.some(one => (place && one.place === place) || one.item.variants[0]?.url === url);
    if (item !== null && !isKnown) this.slides.push({ place, order: place?.order ?? this.slides.length + 1, item });
  }
}

function itemsOf(found: PostMarkup, type: string, target: string | null): readonly DraftItem[] | null {
  const { player, slides } = found;
  if (player !== undefined) {
    const media = child(parseJson(player['packaged-media-json'] ?? ''), 'playbackMp4s');
    const known = { thumbnailUrl: readAddress(player.poster), durationMs: read.seconds(child(media, 'duration')) };
    const files = read.list(child(media, 'permutations')).map(one => child(one, 'source'));
    const video = packagedVideo(files, known) ?? namedVideo([player.src, player.preview, target], known);
    // A gif has a player with one whole file.
    const gif = /[?&]format=mp4(?:&|$)/.test(player.src ?? '') ? gifOf(player.src, UNKNOWN_SIZE) : null;
    return [video ?? gif];
  }
  if (type === 'video') return [namedVideo(target)];
  const shown = slides.toSorted((a, b) => a.order - b.order).map(({ item }) => item);
  // Text posts may have images between paragraphs. A crosspost shows the images of the post that it shares.
  if (['gallery', 'multi_media', 'crosspost'].includes(type) && shown.length > 0) return shown;
  if (type === 'image') return [imageOf(target) ?? slides[0]?.item ?? null];
  const item = linkedItem(target, {}, null);
  return item === null ? null : [item];
}

function statsOf({ post, votes, comments }: PostMarkup): Stats {
  const shown = /[\d.,]{1,12}[KM]?(?= comments?\b)/.exec(comments)?.[0];
  const likes = read.count(post?.score ?? votes);
  return { ...NO_STATS, likes, comments: read.count(post?.['comment-count']) ?? read.shownCount(shown) };
}

/** Says whether it is the embed of a removed post, which has a sentence in place of a title (2026-10). */
function saysRemoved({ post, title }: PostMarkup, html: string): boolean {
  return post === undefined && title.trim() === '' && /This post has been (?:deleted|removed)/.test(html);
}

/** Marks of posts that are not for everyone: attributes on a page, properties in an embed's data. */
const SENSITIVE = ['nsfw', 'spoiler', 'quarantine'];

/** Reads a post; undefined when the markup lacks it. @throws AppError when the post or its media were removed */
export function readPostMarkup(html: string, id: string): PostDraft | undefined {
  const found = new PostMarkup(id);
  readMarkup(html, found, { xml: false });
  const { post, embed } = found;
  const shown = child(embed, 'post');
  // An embed may lack its post's id, but then it links to the post. If it links only to other posts, it is not used.
  const own = read.text(child(shown, 'id'));
  const isOther = own === null ? found.named.size > 0 && !found.named.has(id) : own !== `t3_${id}`;
  if (post === undefined && (embed === undefined || isOther)) return undefined;
  const type = post?.['post-type'] ?? read.text(child(shown, 'type')) ?? '';
  const target = post?.['content-href'] ?? read.text(child(shown, 'url'));
  const items = itemsOf(found, type, target);
  if (found.isRemoved && items === null) throw new AppError('not_found', 'the post was removed');
  if (saysRemoved(found, html)) throw weakNotFound('the embed says that the post was removed');
  const username = read.text(post?.author) ?? found.author ?? null;
  const draft = {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, username: username === '[deleted]' ? null : username },
    title: read.text((post?.['post-title'] ?? found.title).trim()),
    caption: read.text(found.text) ?? (type === 'link' && items === null ? target : null),
    publishedAt:
      read.writtenDate(post?.['created-timestamp']?.replace(/(\.\d{3})\d*([+-]\d\d)(\d\d)$/, '$1$2:$3')) ??
      read.count(child(shown, 'created_timestamp')),
    stats: statsOf(found),
    sensitive: SENSITIVE.some(mark => post?.[mark] !== undefined || child(shown, mark) === true),
    items: items ?? [],
    isWordsOnly: items === null && ['self', 'text', 'multi_media', 'link'].includes(type),
  };
  return withShared(draft, found);
}

/** Moves the items of a crosspost to the post that it shares. The page states that post's title, but not its author. */
function withShared(draft: PostDraft, { post, shared }: PostMarkup): PostDraft {
  const ref = redditRefOf(POST_ADDRESS.exec(post?.['content-href'] ?? '')?.[1] ?? '');
  if (post?.['post-type'] !== 'crosspost' || ref === undefined || readableItems(draft) === 0) return draft;
  const { items, sensitive = false } = draft;
  const original = { ...EMPTY_DRAFT, title: read.text(shared.trim()), sensitive, items };
  return { ...draft, items: [], isWordsOnly: true, quoted: { ref, draft: original } };
}
