import { decodeXML } from 'entities';
import { type Handler, Parser } from 'htmlparser2';
import type { Variant } from '../post.ts';

const CHUNK_CHARS = 8 * 1024;
/** Deeper markup is ignored: the parser's time grows with the depth squared. Sites nest less than 100 levels. */
const MAX_DEPTH = 512;

/**
 * Parses untrusted markup in linear time and calls the handler. Markup that nests too deeply is left out. Never throws.
 * `rawEntities`: entities are not decoded, which is faster.
 */
export function readMarkup(
  text: string,
  handler: Partial<Pick<Handler, 'onopentag' | 'ontext' | 'onclosetag'>>,
  { xml, rawEntities = false }: { xml: boolean; rawEntities?: boolean },
): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes, isImplied) {
        depth += 1;
        handler.onopentag?.(name, attributes, isImplied);
      },
      ontext(data) {
        handler.ontext?.(data);
      },
      onclosetag(name, isImplied) {
        depth -= 1;
        handler.onclosetag?.(name, isImplied);
      },
    },
    { xmlMode: xml, decodeEntities: !rawEntities },
  );
  for (let start = 0; start < text.length && depth <= MAX_DEPTH; start += CHUNK_CHARS) {
    parser.write(text.slice(start, start + CHUNK_CHARS));
  }
  parser.end();
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

export type Attributes = Readonly<Record<string, string>>;

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

/** Decodes entities in the attributes. Most attributes contain none and are returned as they are. */
function decoded(attributes: Attributes): Attributes {
  const entries = Object.entries(attributes);
  if (entries.every(([, value]) => !value.includes('&'))) return attributes;
  return Object.fromEntries(entries.map(([name, value]) => [name, decodeXML(value)]));
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

/**
 * Reads a DASH manifest as the sites write it: each track is a whole file, whose address is in `BaseURL`. Never throws;
 * unreadable tracks are left out.
 */
export function parseDashManifest(xml: string): DashManifest {
  let durationMs: number | null = null;
  let set: Attributes = {};
  let representation: Attributes | null = null;
  let text: string | null = null;
  let address = '';
  const tracks: { readonly variant: Variant; readonly language: string | undefined }[] = [];
  readMarkup(
    xml.slice(0, MAX_MANIFEST_CHARS),
    {
      onopentag(name, written) {
        const attributes = decoded(written);
        if (name === 'MPD') durationMs = parseIsoDuration(attributes.mediaPresentationDuration);
        else if (name === 'Period') durationMs ??= parseIsoDuration(attributes.duration);
        else if (name === 'AdaptationSet') set = attributes;
        else if (name === 'Representation') {
          representation = attributes;
          address = '';
        } else if (name === 'BaseURL' && representation !== null) text = '';
      },
      ontext(data) {
        if (text !== null && text.length < 10_000) text += data;
      },
      onclosetag(name) {
        if (name === 'BaseURL' && text !== null) {
          address ||= decodeXML(text).trim();
          text = null;
        } else if (name === 'Representation' && representation !== null) {
          const variant = tracks.length < MAX_REPRESENTATIONS ? toVariant(representation, set, address) : null;
          if (variant !== null) tracks.push({ variant, language: set.lang });
          representation = null;
        } else if (name === 'AdaptationSet') set = {};
      },
    },
    { xml: true, rawEntities: true },
  );
  // The first audio is in the video's own language. Audio in other languages is dubbed, so it is left out.
  const own = tracks.find(({ variant }) => variant.hasAudio)?.language;
  const kept = tracks.filter(({ variant, language }) => variant.hasVideo || language === own);
  return { durationMs, variants: kept.map(({ variant }) => variant).sort(compareTracks) };
}
