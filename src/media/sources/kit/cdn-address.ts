/** Reads facts about a file from the query of its address on Meta's CDN (as seen in 2026-08). */
import { addressReader, child, type PixelSize, parseJson, UNKNOWN_SIZE } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';

export const META_MEDIA_HOSTS: readonly string[] = ['cdninstagram.com', 'fbcdn.net'];

/** Reads a file's address. Below `/rsrc.php/` are only the site's own files, such as placeholders, which give null. */
export const readAddress = addressReader(META_MEDIA_HOSTS, '/rsrc.php/');

/** The expiry of an address, unix milliseconds: from `oe=` (hex seconds) or from an old `/vp/HASH/HEX/` path. */
export function addressExpiry(url: string): number | null {
  const hex = /[?&]oe=([^&]*)/.exec(url)?.[1] ?? /\/vp\/[0-9a-f]{1,64}\/([0-9a-f]{8})\//i.exec(url)?.[1];
  if (hex === undefined || !/^[0-9a-f]{6,9}$/i.test(hex)) return null;
  return Number.parseInt(hex, 16) * 1000;
}

/** Facts about a file that its address states in `efg=`; all null when it is missing or has another format. */
export function addressTag(url: string) {
  const efg = /[?&]efg=([^&]*)/.exec(url)?.[1] ?? '';
  // Base64 contains no `%`, so only escaped `=`, `+` and `/` have to be decoded.
  const base64 = efg
    .replace(/%3D/gi, '=')
    .replace(/%2B|%20/gi, '+')
    .replace(/%2F/gi, '/');
  const tag = base64 === '' ? undefined : parseJson(Buffer.from(base64, 'base64').toString('utf8'));
  const encoding = read.text(child(tag, 'vencode_tag'))?.slice(0, 200) ?? null;
  return {
    /** The name of the encoding, such as `xpv_progressive.INSTAGRAM.CLIPS.C3.720.dash_baseline_1_v1`. */
    encoding,
    /** The site gives whole seconds only, so the true duration may be up to a second longer. */
    durationMs: read.seconds(child(tag, 'duration_s')),
    /** The shorter side in pixels, as in the encoding (`.720.`). Audio has `.0.` there, which gives null. */
    shortSide: read.positive(encoding?.split('.').find(piece => /^\d{3,4}$/.test(piece))),
    bitrate: read.positive(child(tag, 'bitrate')),
  };
}

type Round = (pixels: number) => number;
type Factor = (...sides: [number, number]) => number;

/** Multiplies both sides by the factor that `factorOf` returns. Factors above 1 are ignored: nothing is enlarged. */
export function scaledDown({ width, height }: PixelSize, factorOf: Factor, round: Round): PixelSize {
  if (width === null || height === null) return UNKNOWN_SIZE;
  const scale = Math.min(1, factorOf(width, height));
  return scale === 1 ? { width, height } : { width: round(width * scale), height: round(height * scale) };
}

/** The original's size reduced to a short side. If `shortSide` is unknown, the original's size. */
export function atShortSide(original: PixelSize, shortSide: number | null, round: Round): PixelSize {
  return scaledDown(original, (...sides) => (shortSide === null ? 1 : shortSide / Math.min(...sides)), round);
}

/**
 * The size of an image, by its address. The query parameter `stp` states a crop (`c0.135.1080.1080a`), or a frame that
 * the image is scaled to cover (`p640x640`) or to fit in (`s640x640`). The name of the file's encoding states its size
 * (`.1080x1350.`) or only its short side (`.640.`).
 */
export function imageSize(url: string, original: PixelSize): PixelSize {
  const stp = /[?&]stp=([^&]*)/.exec(url)?.[1] ?? '';
  const crop = /^c\d{1,5}\.\d{1,5}\.(\d{2,5})\.(\d{2,5})/.exec(stp);
  const { encoding, shortSide } = addressTag(url);
  const named = crop ?? /\.(\d{2,5})x(\d{2,5})\./.exec(encoding ?? '');
  const kept = atShortSide(original, shortSide, Math.round);
  const size = named === null ? kept : { width: Number(named[1]), height: Number(named[2]) };
  const frame = /(?:^|_)([ps])(\d{2,5})x(\d{2,5})(?:_|$)/.exec(stp);
  if (frame === null) return size;
  const choose = frame[1] === 'p' ? Math.max : Math.min;
  return scaledDown(size, (width, height) => choose(Number(frame[2]) / width, Number(frame[3]) / height), Math.round);
}
