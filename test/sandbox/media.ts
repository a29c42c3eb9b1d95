/** The clips and photos of test/fixtures/media, with the facts that the sites state about them. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export interface Clip {
  readonly kind: 'video';
  readonly best: string;
  readonly small: string | null;
  readonly cover: string;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number;
  readonly hasAudio: boolean;
  /** One track each, larger than `best`. */
  readonly dash: {
    readonly video: string;
    readonly audio: string;
    readonly width: number;
    readonly height: number;
  } | null;
  /** False: the sites list the tracks alone. */
  readonly hasWholeFile: boolean;
}

export interface Photo {
  readonly kind: 'image';
  readonly best: string;
  readonly small: string;
  readonly width: number;
  readonly height: number;
  readonly alt: string;
}

export type Media = Clip | Photo;

function clip(name: string, width: number, height: number, durationMs: number, more: Partial<Clip> = {}): Clip {
  const best = `${name}-${Math.min(width, height)}.mp4`;
  const cover = `${name}-cover.jpg`;
  const facts = { best, small: null, cover, width, height, durationMs, hasAudio: true, dash: null, hasWholeFile: true };
  return { kind: 'video', ...facts, ...more };
}

export const SEA = clip('sea', 720, 1280, 8_000, { small: 'sea-360.mp4' });
export const CLAY = clip('clay', 720, 1280, 6_000, {
  small: 'clay-360.mp4',
  dash: { video: 'clay-1080-video.mp4', audio: 'clay-audio.mp4', width: 1080, height: 1920 },
});
export const CLAY_TRACKS: Clip = { ...CLAY, hasWholeFile: false };
export const TRAM = clip('tram', 1280, 720, 8_000, { small: 'tram-360.mp4' });
export const SKY = clip('sky', 640, 640, 5_000);
export const SILENT = clip('silent', 540, 960, 5_000, { hasAudio: false });

function photo(name: string, alt: string): Photo {
  const small = `photo-${name}-480.jpg`;
  return { kind: 'image', best: `photo-${name}.jpg`, small, width: 1080, height: 1350, alt };
}

export const DUSK = photo('dusk', 'Bands of colour after sunset');
export const FERN = photo('fern', 'A glaze that grew ferns in the kiln');
export const BOWL = photo('bowl', 'A clay bowl seen from above');
export const LIGHTS = photo('lights', 'Green northern lights over snow');
export const SHORE = photo('shore', 'A striped lighthouse at sunset');
export const TRAMCAR = photo('tram', 'A yellow tramcar under green hills');

export interface MediaFile {
  readonly name: string;
  readonly body: Buffer;
  readonly type: 'video/mp4' | 'audio/mp4' | 'image/jpeg';
  readonly etag: string;
  /** Stable letters and digits for paths. */
  readonly key: string;
}

const FOLDER = new URL('../fixtures/media/', import.meta.url);

function typeOf(name: string): MediaFile['type'] {
  if (name.endsWith('.jpg')) return 'image/jpeg';
  return name.endsWith('-audio.mp4') ? 'audio/mp4' : 'video/mp4';
}

/** Every file of the folder by its name. */
export function loadMediaFiles(): ReadonlyMap<string, MediaFile> {
  const names = readdirSync(FOLDER).filter(name => /\.(?:mp4|jpg)$/.test(name));
  return new Map(
    names.map(name => {
      const body = readFileSync(new URL(name, FOLDER));
      const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
      const key = createHash('sha256').update(name).digest('base64url').replaceAll('-', 'k').replaceAll('_', 'q');
      return [name, { name, body, type: typeOf(name), etag, key }];
    }),
  );
}
