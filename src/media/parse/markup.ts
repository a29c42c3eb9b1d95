import { DomHandler, DomUtils, Parser } from 'htmlparser2';
import type { Variant } from '../post.ts';
import { firstOf } from './json.ts';

export type Attributes = Readonly<Record<string, string>>;
/** An element or a text of parsed markup. */
export type MarkupNode = DomHandler['dom'][number];
type MarkupElement = NonNullable<ReturnType<typeof DomUtils.findOne>>;

const CHUNK_CHARS = 8 * 1024;
/** Deeper markup is ignored: the parser's time grows with the depth squared. Sites nest less than 100 levels. */
const MAX_DEPTH = 512;

class MarkupTree extends DomHandler {
  get depth(): number {
    return this.tagStack.length;
  }
}

/** Parses untrusted markup in linear time. Markup that nests too deeply is left out. Never throws. */
export function parseMarkup(text: string, isXml = false): readonly MarkupNode[] {
  const tree = new MarkupTree();
  const parser = new Parser(tree, { xmlMode: isXml });
  for (let start = 0; start < text.length && tree.depth <= MAX_DEPTH; start += CHUNK_CHARS) {
    parser.write(text.slice(start, start + CHUNK_CHARS));
  }
  parser.end();
  return tree.dom;
}

/** All elements at and below these nodes in the order of the markup. `skips`: elements left out with all inside them. */
export function elementsIn(
  nodes: readonly MarkupNode[],
  skips: (element: MarkupElement) => boolean = () => false,
): readonly MarkupElement[] {
  const found: MarkupElement[] = [];
  const visit = (node: MarkupNode) => {
    if (!DomUtils.isTag(node) || skips(node)) return;
    found.push(node);
    for (const inner of node.children) visit(inner);
  };
  for (const node of nodes) visit(node);
  return found;
}

/** The text at and below these nodes, with `br` as a line break. `skips`: elements left out with all inside them. */
export function textIn(nodes: readonly MarkupNode[], skips: (element: MarkupElement) => boolean = () => false): string {
  const texts = nodes.map(node => {
    if (DomUtils.isText(node)) return node.data;
    if (!DomUtils.isTag(node) || skips(node)) return '';
    return node.name === 'br' ? '\n' : textIn(node.children, skips);
  });
  return texts.join('');
}

/** The names of an element's classes. */
export function classesOf({ class: names = '' }: Attributes): readonly string[] {
  return names.split(/\s+/);
}

/** The markup of a page that a visitor sees: at most `maxChars` of it, without scripts. */
export function visibleMarkup(html: string, maxChars: number): string {
  return html.replace(/<script(?=[\s>])[\s\S]*?(?:<\/script[^>]*>?|$)/gi, '').slice(0, maxChars);
}

/** The metadata for crawlers in a page's head. */
export interface PageMeta {
  readonly canonical: string | null;
  /** The `og:`, `al:` and `twitter:` properties. If a property is repeated, the first one counts. */
  readonly og: ReadonlyMap<string, string>;
}

const MAX_TAGS = 500;
const MAX_TAG_CHARS = 8_192;
const PROPERTY = /^(?:og|al|twitter):/;

/** Every `<meta …>` and `<link …>` tag. */
function* headTags(head: string): Generator<string> {
  const open = /<(?:meta|link)\s/gi;
  for (let count = 0; count < MAX_TAGS; count += 1) {
    const start = open.exec(head);
    if (start === null) return;
    const end = head.indexOf('>', open.lastIndex);
    if (end === -1) return;
    if (end - start.index > MAX_TAG_CHARS) continue;
    yield head.slice(start.index, end + 1);
    open.lastIndex = end + 1;
  }
}

/** @param head the part of the page before its body */
export function readMeta(head: string): PageMeta {
  const og = new Map<string, string>();
  let canonical: string | null = null;
  const parser = new Parser({
    onopentag(name, attributes) {
      const { content, rel, href } = attributes;
      const property = attributes.property ?? attributes.name;
      if (name === 'meta' && property && PROPERTY.test(property) && content && !og.has(property)) {
        og.set(property, content);
      }
      if (name === 'link' && rel === 'canonical' && href) canonical ??= href;
    },
  });
  for (const tag of headTags(head)) parser.write(tag);
  parser.end();
  return { canonical, og };
}

/** The files of `srcset="ADDRESS 640w, ADDRESS 1080w"`, widest first. The blank after a comma may be missing. */
export function readSrcset(text = ''): readonly { readonly url: string; readonly width: number | null }[] {
  const entries = text.split(/,\s+|(?<=\s\d{1,5}[wx]),/, 50).map(entry => {
    const [url = '', size = ''] = entry.trim().split(/\s+/, 2);
    const width = /^(\d{2,5})w$/.exec(size)?.[1];
    return { url, width: width === undefined ? null : Number(width) };
  });
  return entries.sort((a, b) => (b.width ?? 0) - (a.width ?? 0));
}

export interface DashManifest {
  readonly durationMs: number | null;
  /** One variant per track, video before audio, best first. Addresses are unchecked and their expiry is unknown. */
  readonly variants: readonly Variant[];
}

/** The most characters of a manifest that are read. Manifests of the sites are under 100 KB. */
const MAX_MANIFEST_CHARS = 512 * 1024;
const MAX_REPRESENTATIONS = 200;

/** Reads `PT1H2M3.5S` as milliseconds; null when it is no ISO 8601 duration of days, hours, minutes and seconds. */
export function parseIsoDuration(text: string | undefined): number | null {
  if (text === undefined || text.length > 40) return null;
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text);
  if (match === null) return null;
  const [days, hours, minutes, seconds] = match.slice(1).map(part => Number(part ?? 0));
  const total = (days ?? 0) * 86_400 + (hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  return total > 0 && Number.isFinite(total) ? Math.round(total * 1000) : null;
}

export function positiveInteger(text: string | undefined): number | null {
  const number = text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : 0;
  return number > 0 ? number : null;
}

/** `video`, `audio`, or null for subtitles and unknown kinds. */
function trackKind(representation: Attributes, set: Attributes): 'video' | 'audio' | null {
  const mime = representation.mimeType ?? set.mimeType ?? set.contentType ?? '';
  if (mime.startsWith('video')) return 'video';
  if (mime.startsWith('audio')) return 'audio';
  if (mime !== '') return null;
  return representation.width === undefined ? null : 'video';
}

function toVariant(representation: Attributes, set: Attributes, url: string): Variant | null {
  const kind = trackKind(representation, set);
  if (kind === null || url === '') return null;
  const isVideo = kind === 'video';
  const mime = representation.mimeType ?? set.mimeType;
  return {
    url,
    mime: mime !== undefined && /^(?:video|audio)\/[a-z0-9.+-]{1,40}$/.test(mime) ? mime : `${kind}/mp4`,
    width: isVideo ? positiveInteger(representation.width ?? set.width) : null,
    height: isVideo ? positiveInteger(representation.height ?? set.height) : null,
    bitrate: positiveInteger(representation.bandwidth),
    bytes: positiveInteger(representation.FBContentLength),
    codecs: (representation.codecs ?? set.codecs)?.slice(0, 100) ?? null,
    hasAudio: !isVideo,
    hasVideo: isVideo,
    adaptive: true,
    expiresAt: null,
  };
}

/** Sorts video before audio, larger frames first, then tracks that play as they are, then higher bit rates. */
export function compareTracks(a: Variant, b: Variant): number {
  const area = (variant: Variant) => (variant.width ?? 0) * (variant.height ?? 0);
  return (
    Number(b.hasVideo) - Number(a.hasVideo) ||
    area(b) - area(a) ||
    Number(a.adaptive) - Number(b.adaptive) ||
    (b.bitrate ?? 0) - (a.bitrate ?? 0)
  );
}

/** The attributes of the nearest set of tracks that contains the node; none when no set contains it. */
function setAround(node: MarkupElement['parent']): Attributes {
  if (node === null || !DomUtils.isTag(node)) return {};
  return node.name === 'AdaptationSet' ? node.attribs : setAround(node.parent);
}

/**
 * Reads a DASH manifest as the sites write it: each track is a whole file, whose address is in `BaseURL`. Never throws;
 * unreadable tracks are left out.
 */
export function parseDashManifest(xml: string): DashManifest {
  const elements = elementsIn(parseMarkup(xml.slice(0, MAX_MANIFEST_CHARS), true));
  const named = (name: string) => elements.filter(element => element.name === name);
  const durations = [
    ...named('MPD').map(({ attribs }) => attribs.mediaPresentationDuration),
    ...named('Period').map(({ attribs }) => attribs.duration),
  ];
  const tracks = named('Representation')
    .slice(0, MAX_REPRESENTATIONS)
    .flatMap(({ attribs, parent, children }) => {
      const inside = elementsIn(children);
      // In a broken manifest one track may contain the next. The address is then that of the inner one.
      if (inside.some(({ name }) => name === 'Representation')) return [];
      const set = setAround(parent);
      const addresses = inside.filter(({ name }) => name === 'BaseURL');
      const address = addresses.map(one => textIn(one.children).trim()).find(text => text !== '');
      const variant = toVariant(attribs, set, address ?? '');
      return variant === null ? [] : [{ variant, language: set.lang }];
    });
  // The first audio is in the video's own language. Audio in other languages is dubbed, so it is left out.
  const own = tracks.find(({ variant }) => variant.hasAudio)?.language;
  const kept = tracks.filter(({ variant, language }) => variant.hasVideo || language === own);
  return {
    durationMs: firstOf(durations, parseIsoDuration),
    variants: kept.map(({ variant }) => variant).sort(compareTracks),
  };
}
