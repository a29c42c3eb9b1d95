import { AppError } from '../../errors.ts';
import { createMemoryCache } from '../../infra/cache/cache.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import { OSU_ASSET_HOSTS } from './osu-api.ts';
import { assertAnswered, OSU } from './upstream-answer.ts';

export type Artwork = ReturnType<typeof createArtwork>;

/** A size in pixels. */
interface Shape {
  readonly width: number;
  readonly height: number;
}

export interface ArtworkOptions {
  readonly http: Pick<HttpClient, 'request'>;
  readonly log: Pick<Logger, 'debug'>;
  /** How long a card waits, in milliseconds; an image that comes later is used by the next card. Default 1200. */
  readonly waitMs?: number;
  readonly now?: () => number;
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** The most bytes of images in memory; one takes some 10 KB. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
const KEPT_MS = 6 * 3_600_000;
/** How long it is remembered that there is no image, or none that can be read; some old sets have no cover. */
const MISSING_MS = 10 * 60_000;
/** How long an image is not requested again after osu! did not answer, so that an outage causes few requests. */
const OUTAGE_MS = 30_000;
const MAX_PIXELS = 40_000_000;
const QUALITY = 62;

/** True for a failure that says nothing about the image. */
function isOutage(error: unknown): boolean {
  const codes = ['timeout', 'upstream_unavailable', 'upstream_rate_limited'];
  return error instanceof AppError && codes.includes(error.code);
}

/** Covers and avatars of osu!, reduced for use in a drawn card. */
export function createArtwork({ http, log, waitMs = 1_200, now = Date.now }: ArtworkOptions) {
  const kept = createMemoryCache<string>({ maxSize: MAX_KEPT_BYTES, sizeOf: ({ length }) => length + 100, now });

  async function make(url: string, { width, height }: Shape): Promise<string> {
    const response = await http.request({
      url,
      hosts: OSU_ASSET_HOSTS,
      timeoutMs: 5_000,
      maxBytes: MAX_FILE_BYTES,
      retries: 0,
    });
    assertAnswered(response, OSU, now());
    // The package sharp is loaded only for the first card, because many processes never draw one.
    const { default: sharp } = await import('sharp');
    const image = sharp(response.bytes, { limitInputPixels: MAX_PIXELS }).timeout({ seconds: 5 }).rotate();
    const small = image.resize({ width, height, fit: 'cover' }).flatten({ background: '#202020' });
    const jpeg = await small.toColourspace('srgb').jpeg({ quality: QUALITY }).toBuffer();
    return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
  }

  return {
    /** Loads a small JPEG of this shape as a data address; undefined when it is not there in time. Never rejects. */
    async load(url: string, shape: Shape): Promise<string | undefined> {
      if (!OSU_ASSET_HOSTS.some(host => url.startsWith(`https://${host}/`))) return undefined;
      const key = `${shape.width}x${shape.height} ${url}`;
      const policy = {
        ttlMs: () => KEPT_MS,
        errorTtlMs: (error: unknown) => (isOutage(error) ? OUTAGE_MS : MISSING_MS),
      };
      const made = kept
        .wrap(key, () => make(url, shape), policy)
        .then(
          ({ value }) => value,
          (error: unknown) => {
            log.debug({ err: error }, 'an image card goes without an image');
            return undefined;
          },
        );
      return abortable(made, AbortSignal.timeout(waitMs)).catch(() => undefined);
    },
  };
}
