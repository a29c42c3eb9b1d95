import { type PlainAction, type PlainBlock, plainActions, plainBlocks } from '../../bot/plain-blocks.ts';
import type { GalleryItem, Inline, Reply, Text } from '../../bot/reply.ts';
import { type MediaItem, playableVariants, type Variant } from '../../media/post.ts';
import type { Tunnel } from '../../media/tunnel.ts';
import { MEDIA_LIFE_MS, REPLY_LIMITS } from './limits.ts';
import type { WebAction, WebBlock, WebInline, WebMedia, WebReply, WebText } from './page/protocol.ts';

export interface RenderContext {
  /** Makes an address; asks nobody. */
  readonly tunnel: Pick<Tunnel, 'address'>;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Reply -> what the page shows. Pure: everything that does not fit is shortened with an ellipsis. */
export function render(reply: Reply, context: RenderContext): WebReply {
  const all = plainBlocks(reply.blocks);
  const blocks = all.slice(0, REPLY_LIMITS.blocks).map(renderBlock);
  if (all.length > blocks.length || reply.gallery.length > REPLY_LIMITS.gallery) blocks.push(ELLIPSIS_BLOCK);
  return {
    tone: reply.tone,
    blocks,
    gallery: reply.gallery.slice(0, REPLY_LIMITS.gallery).flatMap(item => renderMedia(item, context)),
    actions: plainActions(reply.blocks, reply.actions)
      .filter(isShowable)
      .slice(0, REPLY_LIMITS.actions)
      .map(renderAction),
  };
}

const ELLIPSIS_BLOCK: WebBlock = { kind: 'text', text: ['…'], folded: false };

function renderBlock(block: PlainBlock): WebBlock {
  switch (block.kind) {
    case 'heading':
      return { kind: 'heading', text: shortenText(block.text, REPLY_LIMITS.heading) };
    case 'text':
      return { kind: 'text', text: shortenText(block.text, REPLY_LIMITS.text), folded: block.folded ?? false };
    case 'fields':
      return { kind: 'fields', fields: renderFields(block.fields) };
    case 'image':
      return renderImage(block.url, shorten(block.alt, REPLY_LIMITS.alt));
    case 'divider':
      return { kind: 'divider' };
  }
}

function renderFields(
  fields: Extract<PlainBlock, { kind: 'fields' }>['fields'],
): Extract<WebBlock, { kind: 'fields' }>['fields'] {
  const shown = fields.slice(0, REPLY_LIMITS.fields).map(field => ({
    label: shorten(field.label, REPLY_LIMITS.fieldLabel),
    value: shortenText(field.value, REPLY_LIMITS.fieldValue),
  }));
  return fields.length > shown.length ? [...shown, { label: '…', value: ['…'] }] : shown;
}

/** The page loads nothing from other hosts, so a foreign picture becomes a link to it. */
function renderImage(url: string, alt: string): WebBlock {
  if (isOwnPath(url)) return { kind: 'image', url, alt };
  const label = alt === '' ? url : alt;
  return {
    kind: 'text',
    text: isWebAddress(url) ? [{ kind: 'link', url, children: [label] }] : [label],
    folded: false,
  };
}

function isOwnPath(url: string): boolean {
  return /^\/(?![/\\])/.test(url);
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function isShowable(action: PlainAction): boolean {
  return action.kind === 'button' || isWebAddress(action.url);
}

function renderAction(action: PlainAction): WebAction {
  return { ...action, label: shorten(action.label, REPLY_LIMITS.actionLabel) };
}

function renderMedia({ post, index, form, spoiler }: GalleryItem, { tunnel, now }: RenderContext): WebMedia[] {
  const item = post.items[index];
  const chosen = item && chooseVariant(item, form);
  if (!item || !chosen) return [];
  const kind = form === 'audio' && item.kind === 'video' ? 'audio' : item.kind;
  // Longer than the CDN's own address may live: the tunnel asks for a new one when that has ended.
  const expiresAt = now + MEDIA_LIFE_MS;
  const place = post.items.length > 1 ? `-${index + 1}` : '';
  const name = `medley-${post.source}-${safeName(post.id)}${place}`;
  const file = { post: { source: post.source, id: post.id }, index, expiresAt };
  const fileName = `${name}.${extension(chosen.mime)}`;
  const { width, height } = chosen;
  const src = tunnel.address({ ...file, url: chosen.url, mime: chosen.mime, width, height, fileName });
  const poster =
    item.kind === 'image' || item.thumbnailUrl === null
      ? null
      : tunnel.address({ ...file, url: item.thumbnailUrl, mime: 'image/jpeg', fileName: `${name}-cover.jpg` });
  return [
    {
      kind,
      src,
      mime: chosen.mime,
      poster,
      width: item.width ?? chosen.width,
      height: item.height ?? chosen.height,
      durationMs: item.durationMs,
      alt: shorten(item.alt ?? '', REPLY_LIMITS.alt),
      downloadUrl: `${src}?download=1`,
      fileName,
      spoiler,
      expiresAt,
    },
  ];
}

/** The file a browser plays best: H.264 in MP4 before anything else, up to 1080p, then the largest. */
function chooseVariant(item: MediaItem, form: GalleryItem['form']): Variant | undefined {
  const sound = item.variants.filter(variant => !variant.hasVideo && variant.hasAudio !== false);
  if (form === 'audio' && item.kind !== 'image' && sound.length > 0) return best(sound, soundRank);
  if (item.kind === 'image') return best(item.variants, pictureRank);
  const playable = playableVariants(item);
  // Better a film without its sound than none at all.
  return best(playable.length > 0 ? playable : item.variants, item.kind === 'audio' ? soundRank : filmRank);
}

type Rank = (variant: Variant) => readonly number[];

function best(variants: readonly Variant[], rank: Rank): Variant | undefined {
  return variants
    .map(variant => ({ variant, rank: rank(variant) }))
    .reduce<{ variant: Variant; rank: readonly number[] } | undefined>(
      (winner, next) => (winner === undefined || isHigher(next.rank, winner.rank) ? next : winner),
      undefined,
    )?.variant;
}

function isHigher(left: readonly number[], right: readonly number[]): boolean {
  const differing = left.findIndex((value, place) => value !== right[place]);
  return differing >= 0 && (left[differing] ?? 0) > (right[differing] ?? 0);
}

const FULL_HD = 1080;

function filmRank(variant: Variant): readonly number[] {
  const side = shortSide(variant);
  return [
    variant.hasVideo ? 1 : 0,
    codecRank(variant),
    side <= FULL_HD ? 1 : 0,
    side <= FULL_HD ? side : -side,
    variant.bitrate ?? 0,
  ];
}

function soundRank(variant: Variant): readonly number[] {
  return [/^audio\/(mp4|mpeg|aac)$|^video\/mp4$/.test(variant.mime) ? 1 : 0, variant.bitrate ?? 0];
}

function pictureRank(variant: Variant): readonly number[] {
  return [/heic|heif|tiff/.test(variant.mime) ? 0 : 1, shortSide(variant)];
}

function codecRank({ mime, codecs }: Variant): number {
  if (mime === 'video/mp4' && (codecs === null || codecs.includes('avc1'))) return 3;
  if (codecs?.includes('vp09') || mime === 'video/webm') return 2;
  // Half of all browsers cannot play HEVC.
  return /hvc1|hev1/.test(codecs ?? '') ? 0 : 1;
}

function shortSide({ width, height }: Variant): number {
  return width !== null && height !== null ? Math.min(width, height) : (width ?? height ?? 0);
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/webm': 'weba',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/heic': 'heic',
};

function extension(mime: string): string {
  return EXTENSIONS[mime] ?? 'bin';
}

function safeName(id: string): string {
  return id.replace(/[^\w.-]/g, '_').slice(0, 80);
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text
    .slice(0, max - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

interface Budget {
  left: number;
  /** Whether an ellipsis already says that something is missing. */
  cut: boolean;
}

/** The text cut to `max` visible characters; the tree around what is left stays whole. */
function shortenText(text: Text, max: number): WebText {
  return spend(text, { left: max, cut: false });
}

function spend(text: Text, budget: Budget): WebInline[] {
  const kept: WebInline[] = [];
  for (const inline of text) {
    if (budget.left <= 0) {
      if (!budget.cut) kept.push('…');
      budget.cut = true;
      break;
    }
    kept.push(spendInline(inline, budget));
  }
  return kept;
}

function spendInline(inline: Inline, budget: Budget): WebInline {
  if (typeof inline === 'string') {
    const shown = shorten(inline, budget.left);
    budget.cut ||= inline.length > budget.left;
    budget.left -= inline.length;
    return shown;
  }
  switch (inline.kind) {
    case 'swatch':
      budget.left -= inline.symbol.length;
      return inline.symbol;
    case 'time':
      budget.left -= TIME_LENGTH;
      return inline;
    case 'link': {
      const children = spend(inline.children, budget);
      // Anything but a web address stays readable and is no link.
      return isWebAddress(inline.url) ? { kind: 'link', url: inline.url, children } : { kind: 'emphasis', children };
    }
    default:
      return { kind: inline.kind, children: spend(inline.children, budget) };
  }
}

/** About what a date takes when shown. */
const TIME_LENGTH = 16;
