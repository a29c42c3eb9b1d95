/** Addresses of media as Meta's CDN writes them: signed over path and query, not over the host, and with an end (2026-08). */
import { createHmac, randomBytes } from 'node:crypto';
import type { MediaFile } from './media.ts';

export interface AddressOptions {
  readonly host?: string;
  /** Stated in `efg`, as the sites do. */
  readonly tag?: Readonly<Record<string, string | number>>;
  /** `stp`, the instruction to resize. */
  readonly transform?: string;
  /** `ig_cache_key`: distinguishes two uses of one file. */
  readonly cacheKey?: string;
}

export type AddressCheck =
  | { readonly ok: true; readonly file: MediaFile }
  | { readonly ok: false; readonly status: 403 | 404; readonly reason: string };

export interface MediaAddresses {
  /** A signed https address of a file of test/fixtures/media. */
  of(name: string, options?: AddressOptions): string;
  /** What the CDN thinks of a path with its query. */
  check(target: URL): AddressCheck;
  /** From now on every address given out so far answers as expired; new ones work. */
  expireAll(): void;
}

export interface MediaAddressOptions {
  readonly files: ReadonlyMap<string, MediaFile>;
  readonly now: () => number;
  /** How long new addresses work. */
  readonly lifetimeMs: number;
}

const DEFAULT_IMAGE_HOST = 'scontent-lhr8-1.cdninstagram.com';
const DEFAULT_VIDEO_HOST = 'scontent-lhr6-2.cdninstagram.com';

/** Digits of an image's name, from its key. */
function imageName(key: string): string {
  const digits = [...key].map(letter => letter.charCodeAt(0) % 10).join('');
  return `4${digits.slice(0, 8)}_18${digits.slice(8, 22)}_4${digits.slice(22, 40)}_n.jpg`;
}

function pathOf(file: MediaFile): string {
  if (file.type === 'image/jpeg') return `/v/t51.2885-15/${imageName(file.key)}`;
  return `/o1/v/t2/f2/m86/AQ${file.key}${file.key.slice(0, 20)}.mp4`;
}

function unsigned(target: URL): string {
  const query = [...target.searchParams].filter(([key]) => key !== 'oh' && key !== 'bytestart' && key !== 'byteend');
  return `${target.pathname}?${new URLSearchParams(query.sort(([a], [b]) => a.localeCompare(b)))}`;
}

export function createMediaAddresses({ files, now, lifetimeMs }: MediaAddressOptions): MediaAddresses {
  const byPath = new Map([...files.values()].map(file => [pathOf(file), file]));
  const secret = randomBytes(16);
  const recent = new Map<string, string>();
  let recentUntil = 0;
  let generation = 0;

  function sign(target: URL, ofGeneration: number): string {
    const hash = createHmac('sha256', secret)
      .update(`${ofGeneration}\n${unsigned(target)}`)
      .digest('base64url');
    return `00_Af${hash.slice(0, 36)}`;
  }

  function fileOf(name: string): MediaFile {
    const file = files.get(name);
    if (file === undefined) throw new Error(`no such file in test/fixtures/media: ${name}`);
    return file;
  }

  function create(name: string, { host, tag, transform, cacheKey }: AddressOptions): string {
    const file = fileOf(name);
    const isImage = file.type === 'image/jpeg';
    const target = new URL(`https://${host ?? (isImage ? DEFAULT_IMAGE_HOST : DEFAULT_VIDEO_HOST)}${pathOf(file)}`);
    const { searchParams } = target;
    if (isImage) searchParams.set('stp', transform ?? 'dst-jpg_e35_tt6');
    searchParams.set('_nc_cat', '104');
    if (cacheKey !== undefined)
      searchParams.set('ig_cache_key', `${Buffer.from(cacheKey).toString('base64')}.3-ccb7-5`);
    searchParams.set('ccb', isImage ? '7-5' : '17-1');
    searchParams.set('_nc_sid', isImage ? '58cdad' : '5e9851');
    searchParams.set('_nc_ht', target.hostname);
    searchParams.set('_nc_ohc', file.key.slice(0, 23));
    if (tag !== undefined) searchParams.set('efg', Buffer.from(JSON.stringify(tag)).toString('base64'));
    searchParams.set('_nc_zt', isImage ? '23' : '28');
    searchParams.set(
      'oe',
      Math.floor((now() + lifetimeMs) / 1000)
        .toString(16)
        .toUpperCase(),
    );
    searchParams.set('oh', sign(target, generation));
    return target.href;
  }

  /** Signing is the dear part of a page: one address serves for a second. */
  function recall(name: string, options: AddressOptions): string {
    if (now() >= recentUntil || recent.size > 5_000) {
      recent.clear();
      recentUntil = now() + 1_000;
    }
    const key = `${name} ${JSON.stringify(options)}`;
    const known = recent.get(key) ?? create(name, options);
    recent.set(key, known);
    return known;
  }

  return {
    of: (name, options = {}) => recall(name, options),
    check(target) {
      const oe = target.searchParams.get('oe') ?? '';
      const oh = target.searchParams.get('oh') ?? '';
      if (!/^[0-9A-F]{8}$/i.test(oe)) return { ok: false, status: 403, reason: 'Bad url timestamp' };
      const signedIn = Array.from({ length: generation + 1 }, (_, index) => index).find(
        one => sign(target, one) === oh,
      );
      if (signedIn === undefined) return { ok: false, status: 403, reason: 'URL signature mismatch' };
      const isOver = signedIn < generation || Number.parseInt(oe, 16) * 1000 < now();
      if (isOver) return { ok: false, status: 403, reason: 'URL signature expired' };
      const file = byPath.get(target.pathname);
      return file === undefined ? { ok: false, status: 404, reason: 'Not Found' } : { ok: true, file };
    },
    expireAll() {
      generation += 1;
      recent.clear();
    },
  };
}
