import {
  type Choice,
  films,
  isCommonFilm,
  isCommonPicture,
  isCommonSound,
  pictureTracks,
  sendableVariants,
  soundTracks,
  toChoice,
  type VariantWish,
} from '../files/variant-choice.ts';
import type { MediaItem, Variant } from '../post.ts';

/** Ways to come to a file, from the quickest down. */
export type FileRung =
  /** As the CDN has it. */
  | 'file'
  /** Picture and sound put together, nothing encoded again. */
  | 'mux'
  /** Encoded again as H.264 and AAC within the budget. */
  | 'compress'
  /** The sound alone, or a photo in a common format. */
  | 'convert';

/** Where a reader is led when there is no file. */
export type LinkRung =
  /** Medley's own page that plays it. */
  | 'page'
  /** The file itself, through Medley. */
  | 'tunnel'
  /** The post. */
  | 'original';

export interface Step {
  readonly rung: FileRung;
  /** Names the file that comes of it, the same after a restart. */
  readonly key: string;
  /** One file, or the picture and the sound. */
  readonly parts: readonly Choice[];
  /** Of what comes of it; smaller than the chat's when a larger one was refused. */
  readonly maxBytes: number;
}

export interface PlanWish extends VariantWish {
  /** Keys of files that turned out to play on few devices, whatever was said of them. */
  readonly uncommon?: { has(key: string): boolean };
  /** Keys of what could not be had or made. */
  readonly broken?: ReadonlySet<string>;
}

/** What there is to work with. */
export interface Means {
  /** Whether films can be encoded. */
  readonly transcode: boolean;
}

/** What is fetched to be made smaller. */
export const MAX_SOURCE_BYTES = 512 * 1024 * 1024;

const ESTIMATE_TOLERANCE = 1.1;
/** Fewer bits a second are no film any more. */
const MIN_FILM_BITRATE = 150_000;
/** The sound of a film never has fewer. */
const MIN_SOUND_BITRATE = 24_000;
/** Pictures with a shorter side below this look poor on any screen; then it is worth the time to make a better one... */
const POOR_SHORT_SIDE = 360;
/** ...where the budget carries so many bits a second. */
const GOOD_BITRATE = 600_000;
/** Bits per pixel at 30 pictures a second under which a film is all blocks; its smaller sister looks better. */
const STARVED_BITS = 0.008;
/** What is left below a refused size. */
const SMALLER = 0.6;
/** Larger pictures cost time and are made smaller again. */
const ENOUGH_SHORT_SIDE = 1_080;
const MEBIBYTE = 1024 * 1024;

/** One way to have the whole film. */
interface Source {
  readonly rung: 'file' | 'mux';
  readonly key: string;
  readonly parts: readonly Choice[];
  readonly picture: Variant;
  readonly bytes: number | null;
  readonly estimatedBytes: number | null;
  readonly isCommon: boolean;
}

/**
 * Ways to a file of the item within the budget, best first; empty when there is none. Pure. Files that every player knows come before
 * others, larger pictures before smaller ones, and whole files before those that have to be made; a film is encoded again only when
 * nothing good fits as it is.
 */
export function planDelivery(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  if (wish.form === 'audio') return soundSteps(item, wish, means);
  if (item.kind === 'image') return pictureSteps(item, wish);
  return item.kind === 'audio' ? trackSteps(item, wish, means) : filmSteps(item, wish, means);
}

/** Where a reader is led when none of the steps came to a file, and whether people can reach Medley itself. Pure. */
export function planLink(
  item: MediaItem | undefined,
  form: VariantWish['form'],
  isReachable: boolean,
): { readonly rung: Exclude<LinkRung, 'original'>; readonly variant: Variant } | { readonly rung: 'original' } {
  const variant = item && sendableVariants(item, form)[0];
  if (variant === undefined || !isReachable) return { rung: 'original' };
  const isPlayable = form === 'original' && variant.hasVideo && isCommonFilm(variant);
  return { rung: isPlayable ? 'page' : 'tunnel', variant };
}

/** Budgets that are nearly alike share a file: whole MiB. */
function budgetClass(maxBytes: number): number {
  return maxBytes < MEBIBYTE ? maxBytes : Math.floor(maxBytes / MEBIBYTE) * MEBIBYTE;
}

function filmSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  const all = filmSources(item, wish);
  const limit = limitOf(all, wish);
  const fitting = all.filter(source => !isOut(source, wish) && fits(source, limit, wish));
  const isGood = (source: Source) => source.isCommon && !(means.transcode && isWorthMore(source, all, item, wish));
  const good = fitting.filter(isGood);
  const steps = fitting.map(({ rung, key, parts }): Step => ({ rung, key, parts, maxBytes: wish.maxBytes }));
  const stepOf = new Map(fitting.map((source, index) => [source, steps[index]]));
  const chosen = (some: readonly Source[]) => some.flatMap(source => stepOf.get(source) ?? []);
  return [
    ...chosen(good),
    ...(means.transcode ? compressSteps(all, limit, item, wish) : []),
    ...chosen(fitting.filter(source => !good.includes(source))),
  ];
}

function filmSources(item: MediaItem, { sizes, uncommon }: PlanWish): readonly Source[] {
  const choiceOf = (variant: Variant) => toChoice(variant, item, sizes);
  const sound = soundTracks(item)[0];
  const direct = films(item).map((variant): Source => {
    const choice = choiceOf(variant);
    const { key, bytes, estimatedBytes } = choice;
    const isCommon = isCommonFilm(variant) && uncommon?.has(key) !== true;
    return { rung: 'file', key, parts: [choice], picture: variant, bytes, estimatedBytes, isCommon };
  });
  const own = new Set(direct.map(({ picture }) => picture));
  const tracks = sound === undefined ? [] : pictureTracks(item).filter(track => !own.has(track));
  const muxed = tracks.map((track): Source => {
    const parts = [choiceOf(track), ...(sound === undefined ? [] : [choiceOf(sound)])];
    const key = `mux-${parts.map(part => part.key).join('-')}`;
    const isKnown = sound !== undefined && isCommonFilm(track) && isCommonSound(sound);
    return {
      rung: 'mux',
      key,
      parts,
      picture: track,
      bytes: sum(parts.map(part => part.bytes)),
      estimatedBytes: sum(parts.map(part => part.bytes ?? part.estimatedBytes)),
      isCommon: isKnown && uncommon?.has(key) !== true,
    };
  });
  return ranked([...direct, ...muxed], source => [
    source.isCommon ? 1 : 0,
    isStarved(source) ? 0 : 1,
    pixels(source.picture),
    source.rung === 'file' ? 1 : 0,
    source.picture.bitrate ?? 0,
    source.bytes ?? 0,
  ]);
}

/** Below what a platform has refused, if its size is known. */
function limitOf(all: readonly Source[], { refused, sizes, maxBytes }: PlanWish): number {
  const out = new Set(refused);
  const learned = [...out].flatMap(key => sizes?.get(key) ?? []);
  const told = all.flatMap(({ key, bytes }) => (bytes !== null && out.has(key) ? [bytes] : []));
  return Math.min(maxBytes, ...[...learned, ...told].map(bytes => bytes - 1));
}

function isOut({ key, parts }: Pick<Source, 'key' | 'parts'>, { refused, broken = new Set() }: PlanWish): boolean {
  return (
    isBroken({ key, parts }, broken) || [...refused].some(out => out === key || parts.some(part => part.key === out))
  );
}

function isBroken({ key, parts }: Pick<Source, 'key' | 'parts'>, broken: ReadonlySet<string>): boolean {
  return broken.has(key) || parts.some(part => broken.has(part.key));
}

function fits({ bytes, estimatedBytes, key, parts }: Source, limit: number, { sizes, maxBytes }: PlanWish): boolean {
  const known = sizes?.get(key) ?? bytes;
  if (parts.some(part => (part.bytes ?? 0) > limit)) return false;
  return known === null ? (estimatedBytes ?? 0) <= maxBytes * ESTIMATE_TOLERANCE : known <= limit;
}

/** Whether a picture is so small that a better one should be made of what does not fit. */
function isWorthMore({ picture }: Source, all: readonly Source[], { durationMs }: MediaItem, wish: PlanWish): boolean {
  const side = shortSide(picture);
  if (side === null || side >= POOR_SHORT_SIDE || durationMs === null) return false;
  const largest = Math.max(...all.map(source => shortSide(source.picture) ?? 0));
  return largest >= side * 2 && (wish.maxBytes * 8_000) / durationMs >= GOOD_BITRATE;
}

/** At most one, since it takes long: of the smallest film that is large enough. */
function compressSteps(all: readonly Source[], limit: number, item: MediaItem, wish: PlanWish): readonly Step[] {
  const { broken = new Set<string>() } = wish;
  if ([...wish.refused, ...broken].some(key => key.startsWith('compress-'))) return [];
  const maxBytes = budgetClass(limit < wish.maxBytes ? Math.floor(limit * SMALLER) : wish.maxBytes);
  const { durationMs } = item;
  if (durationMs !== null && (maxBytes * 8_000) / durationMs < MIN_FILM_BITRATE) return [];
  const usable = all.filter(
    source => !isBroken(source, broken) && (source.bytes ?? source.estimatedBytes ?? 0) <= MAX_SOURCE_BYTES,
  );
  const [source] = ranked(usable, ({ picture, isCommon, rung }) => {
    const isEnough = (shortSide(picture) ?? 0) <= ENOUGH_SHORT_SIDE;
    return [isEnough ? 1 : 0, isEnough ? pixels(picture) : -pixels(picture), isCommon ? 1 : 0, rung === 'file' ? 1 : 0];
  });
  if (source === undefined) return [];
  return [{ rung: 'compress', key: `compress-${maxBytes}-${source.key}`, parts: source.parts, maxBytes }];
}

/** The sound of a film, or of what is sound alone. */
function soundSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  if (item.kind === 'image') return [];
  const { durationMs } = item;
  const isHopeless = durationMs !== null && (wish.maxBytes * 8_000) / durationMs < MIN_SOUND_BITRATE;
  // All films of an item have the same sound: where one was too large, the others need not be fetched.
  const isOver = isHopeless || [...wish.refused].some(key => key.startsWith('convert-'));
  const sounding =
    item.kind === 'audio' || isOver ? [] : sendableVariants(item, 'audio').filter(({ hasVideo }) => hasVideo);
  const copies = sounding.map(variant => converted(toChoice(variant, item, wish.sizes), wish));
  return [...trackSteps(item, wish, means), ...unrefused(copies, wish)];
}

/** Whole sounds as they are; DASH's come in fragments, which few players measure, and have to be put in order. */
function trackSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  const choices = soundTracks(item).map(variant => toChoice(variant, item, wish.sizes));
  const plain = fileSteps(choices, wish);
  const isReady = ({ parts }: Step) => parts.every(({ variant }) => isCommonSound(variant) && !variant.adaptive);
  const made = choices
    .filter(({ variant }) => (isCommonSound(variant) ? variant.adaptive : means.transcode))
    // What is copied as it is stays as large.
    .filter(
      ({ variant, bytes, estimatedBytes }) =>
        !isCommonSound(variant) || (bytes ?? estimatedBytes ?? 0) <= wish.maxBytes * ESTIMATE_TOLERANCE,
    )
    .map(choice => converted(choice, wish));
  return [...plain.filter(isReady), ...unrefused(made, wish), ...plain.filter(step => !isReady(step))];
}

function pictureSteps(item: MediaItem, wish: PlanWish): readonly Step[] {
  const choices = sendableVariants(item, 'original').map(variant => toChoice(variant, item, wish.sizes));
  const plain = fileSteps(choices, wish);
  const isReady = ({ parts }: Step) => parts.every(({ variant }) => isCommonPicture(variant));
  const made = choices.filter(({ variant }) => !isCommonPicture(variant)).map(choice => converted(choice, wish));
  return [...plain.filter(isReady), ...unrefused(made, wish), ...plain.filter(step => !isReady(step))];
}

function fileSteps(choices: readonly Choice[], wish: PlanWish): readonly Step[] {
  const sources = choices.map((choice): Source => {
    const { key, variant, bytes, estimatedBytes } = choice;
    return { rung: 'file', key, parts: [choice], picture: variant, bytes, estimatedBytes, isCommon: true };
  });
  const limit = limitOf(sources, wish);
  return sources
    .filter(source => !isOut(source, wish) && fits(source, limit, wish))
    .map(({ key, parts }): Step => ({ rung: 'file', key, parts, maxBytes: wish.maxBytes }));
}

function converted(choice: Choice, { maxBytes }: PlanWish): Step {
  return { rung: 'convert', key: `convert-${choice.key}`, parts: [choice], maxBytes };
}

function unrefused(steps: readonly Step[], wish: PlanWish): readonly Step[] {
  return steps.filter(step => !isOut(step, wish) && (step.parts[0]?.bytes ?? 0) <= MAX_SOURCE_BYTES);
}

function isStarved({ picture }: Source): boolean {
  const { bitrate } = picture;
  return bitrate !== null && pixels(picture) > 0 && bitrate / (pixels(picture) * 30) < STARVED_BITS;
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

function pixels({ width, height }: Variant): number {
  return (width ?? 0) * (height ?? 0);
}

function shortSide({ width, height }: Variant): number | null {
  return width === null || height === null ? null : Math.min(width, height);
}

/** Larger ranks first; what ranks alike stays in the order of its source, best first. */
function ranked(sources: readonly Source[], rankOf: (source: Source) => readonly number[]): readonly Source[] {
  return sources
    .map(source => ({ source, rank: rankOf(source) }))
    .sort((a, b) => {
      const place = a.rank.findIndex((value, index) => value !== b.rank[index]);
      return place < 0 ? 0 : (b.rank[place] ?? 0) - (a.rank[place] ?? 0);
    })
    .map(({ source }) => source);
}
