import {
  audioTracks,
  isCommonAudio,
  isCommonImage,
  isCommonVideo,
  isOneFile,
  type MediaForm,
  muxKey,
  pixels,
  ranked,
  sendableVariants,
  toChoice,
  type VariantChoice,
  variantKey,
  wholeVideos,
} from '../files/variant-choice.ts';
import type { MediaItem, Variant } from '../post.ts';
import { choosePlayerFile, isCommonFile, type PlayerFile } from '../tunnel/player-file.ts';

/** How a file is come by, the quickest first. */
export type StepKind =
  /** The file as the CDN has it. */
  | 'file'
  /** Video and audio, or the pieces of a stream, put together, nothing encoded again. */
  | 'mux'
  /** Encoded again as H.264 and AAC within the budget. */
  | 'compress'
  /** The audio alone, or a photo in a common format. */
  | 'convert';

/** A reader is led there when there is no file. */
export type LinkTarget =
  /** Medley's own page that plays it. */
  | 'page'
  /** The file itself, through Medley. */
  | 'tunnel'
  /** The post. */
  | 'original';

export interface Step {
  readonly kind: StepKind;
  /** Names the file that comes of it, the same after a restart. */
  readonly key: string;
  /** One file, or the video and the audio. */
  readonly parts: readonly VariantChoice[];
  /** The limit of the file that comes of it; smaller than the chat's when a larger one was refused. */
  readonly maxBytes: number;
}

export interface PlanWish {
  readonly form: MediaForm;
  readonly maxBytes: number;
  /** Keys of variants that are out of the question. */
  readonly refused: Iterable<string>;
  /** Sizes learned meanwhile, by key. */
  readonly sizes?: Pick<ReadonlyMap<string, number>, 'get'>;
  /** Keys of files that turned out to play on few devices, whatever the site says of them. */
  readonly uncommon?: { has(key: string): boolean };
  /** Keys of what could not be had or made. */
  readonly broken?: ReadonlySet<string>;
}

/** The tools there are to work with. */
export interface Means {
  /** True when videos can be encoded. */
  readonly transcode: boolean;
}

/** No larger file is fetched to be made smaller. */
export const MAX_SOURCE_BYTES = 512 * 1024 * 1024;

const ESTIMATE_TOLERANCE = 1.1;
/** Fewer bits a second are no video any more. */
const MIN_VIDEO_BITRATE = 150_000;
/** The audio of a video never has fewer. */
const MIN_AUDIO_BITRATE = 24_000;
/** Videos with a shorter side below this look poor on any screen; then it is worth the time to make a better one... */
const POOR_SHORT_SIDE = 360;
/** ...where the budget carries so many bits a second. */
const GOOD_BITRATE = 600_000;
/** Bits per pixel at 30 frames a second under which a video is all blocks; a smaller variant looks better. */
const STARVED_BITS = 0.008;
/** The share of a refused size that is tried next. */
const SMALLER = 0.6;
/** Larger videos cost time and are made smaller again. */
const ENOUGH_SHORT_SIDE = 1_080;
const MEBIBYTE = 1024 * 1024;

/** One way to have the whole video. */
interface Source {
  readonly kind: 'file' | 'mux';
  readonly key: string;
  readonly parts: readonly VariantChoice[];
  /** The file, or the video track. */
  readonly video: Variant;
  readonly bytes: number | null;
  readonly estimatedBytes: number | null;
  readonly isCommon: boolean;
}

/**
 * Ways to a file of the item within the budget, best first; empty when there is none. Pure. Files that every player knows come before
 * others, larger videos before smaller ones, and whole files before those that have to be made; a video is encoded again only when
 * nothing good fits as it is.
 */
export function planDelivery(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  if (wish.form === 'audio') return audioSteps(item, wish, means);
  if (item.kind === 'image') return imageSteps(item, wish);
  return item.kind === 'audio' ? trackSteps(item, wish, means) : videoSteps(item, wish, means);
}

/** Says where a reader is led when none of the steps came to a file, by whether people can reach Medley itself. Pure. */
export function planLink(
  item: MediaItem | undefined,
  form: MediaForm,
  isReachable: boolean,
):
  | { readonly target: Exclude<LinkTarget, 'original'>; readonly file: PlayerFile }
  | { readonly target: Extract<LinkTarget, 'original'> } {
  const file = item && choosePlayerFile(item, form);
  if (file === undefined || !isReachable) return { target: 'original' };
  const isPlayable = form === 'original' && file.variant.hasVideo && isCommonFile(file);
  return { target: isPlayable ? 'page' : 'tunnel', file };
}

/** Budgets that are nearly alike share a file: whole MiB. */
function budgetClass(maxBytes: number): number {
  return maxBytes < MEBIBYTE ? maxBytes : Math.floor(maxBytes / MEBIBYTE) * MEBIBYTE;
}

function videoSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  const all = videoSources(item, wish);
  const limit = limitOf(all, wish);
  const fitting = all.filter(source => !isOut(source, wish) && fits(source, limit, wish));
  const isGood = (source: Source) => source.isCommon && !(means.transcode && isWorthMore(source, all, item, wish));
  const good = fitting.filter(isGood);
  const steps = fitting.map(({ kind, key, parts }): Step => ({ kind, key, parts, maxBytes: wish.maxBytes }));
  const stepOf = new Map(fitting.map((source, index) => [source, steps[index]]));
  const chosen = (some: readonly Source[]) => some.flatMap(source => stepOf.get(source) ?? []);
  return [
    ...chosen(good),
    ...(means.transcode ? compressSteps(all, limit, item, wish) : []),
    ...chosen(fitting.filter(source => !good.includes(source))),
  ];
}

function videoSources(item: MediaItem, { sizes, uncommon }: PlanWish): readonly Source[] {
  const all = wholeVideos(item).map(({ video, audio }): Source => {
    const parts = [video, ...(audio === undefined ? [] : [audio])].map(variant => toChoice(variant, item, sizes));
    const isFile = isOneFile({ video, audio });
    const key = isFile ? variantKey(video) : muxKey(parts.map(part => part.key));
    const isKnown = isCommonVideo(video) && (audio === undefined || isCommonAudio(audio));
    return {
      kind: isFile ? 'file' : 'mux',
      key,
      parts,
      video,
      bytes: sum(parts.map(part => part.bytes)),
      estimatedBytes: sum(parts.map(part => part.bytes ?? part.estimatedBytes)),
      isCommon: isKnown && uncommon?.has(key) !== true,
    };
  });
  return ranked(all, source => [
    source.isCommon ? 1 : 0,
    isStarved(source) ? 0 : 1,
    pixels(source.video),
    source.kind === 'file' ? 1 : 0,
    source.video.bitrate ?? 0,
    source.bytes ?? 0,
  ]);
}

/** Below what a platform has refused, if its size is known. */
function limitOf(all: readonly Source[], { refused, sizes, maxBytes }: PlanWish): number {
  const out = new Set(refused);
  const learned = [...out].flatMap(key => sizes?.get(key) ?? []);
  const known = all.flatMap(({ key, bytes }) => (bytes !== null && out.has(key) ? [bytes] : []));
  return Math.min(maxBytes, ...[...learned, ...known].map(bytes => bytes - 1));
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

/** Says whether a video is so small that a better one should be made of what does not fit. */
function isWorthMore({ video }: Source, all: readonly Source[], { durationMs }: MediaItem, wish: PlanWish): boolean {
  const side = shortSide(video);
  if (side === null || side >= POOR_SHORT_SIDE || durationMs === null) return false;
  const largest = Math.max(...all.map(source => shortSide(source.video) ?? 0));
  return largest >= side * 2 && (wish.maxBytes * 8_000) / durationMs >= GOOD_BITRATE;
}

/** At most one, since it takes long: of the smallest video that is large enough. */
function compressSteps(all: readonly Source[], limit: number, item: MediaItem, wish: PlanWish): readonly Step[] {
  const { broken = new Set<string>() } = wish;
  if ([...wish.refused, ...broken].some(key => key.startsWith('compress-'))) return [];
  const maxBytes = budgetClass(limit < wish.maxBytes ? Math.floor(limit * SMALLER) : wish.maxBytes);
  const { durationMs } = item;
  if (durationMs !== null && (maxBytes * 8_000) / durationMs < MIN_VIDEO_BITRATE) return [];
  const usable = all.filter(
    source => !isBroken(source, broken) && (source.bytes ?? source.estimatedBytes ?? 0) <= MAX_SOURCE_BYTES,
  );
  const [source] = ranked(usable, ({ video, isCommon, kind }) => {
    const isEnough = (shortSide(video) ?? 0) <= ENOUGH_SHORT_SIDE;
    return [isEnough ? 1 : 0, isEnough ? pixels(video) : -pixels(video), isCommon ? 1 : 0, kind === 'file' ? 1 : 0];
  });
  if (source === undefined) return [];
  return [{ kind: 'compress', key: `compress-${maxBytes}-${source.key}`, parts: source.parts, maxBytes }];
}

/** The audio of a video, or of what is audio alone. */
function audioSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  if (item.kind === 'image') return [];
  const { durationMs } = item;
  const isHopeless = durationMs !== null && (wish.maxBytes * 8_000) / durationMs < MIN_AUDIO_BITRATE;
  // All videos of an item have the same audio: where one was too large, the others need not be fetched.
  const isOver = isHopeless || [...wish.refused].some(key => key.startsWith('convert-'));
  const withAudio =
    item.kind === 'audio' || isOver ? [] : sendableVariants(item, 'audio').filter(({ hasVideo }) => hasVideo);
  const copies = withAudio.map(variant => converted(toChoice(variant, item, wish.sizes), wish));
  return [...trackSteps(item, wish, means), ...unrefused(copies, wish)];
}

/** Whole audio files as they are; DASH's come in fragments, which few players measure, and have to be put in order. */
function trackSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  const choices = audioTracks(item).map(variant => toChoice(variant, item, wish.sizes));
  const made = choices
    .filter(({ variant }) => (isCommonAudio(variant) ? variant.adaptive : means.transcode))
    // A track that is copied as it is stays as large.
    .filter(
      ({ variant, bytes, estimatedBytes }) =>
        !isCommonAudio(variant) || (bytes ?? estimatedBytes ?? 0) <= wish.maxBytes * ESTIMATE_TOLERANCE,
    )
    .map(choice => converted(choice, wish));
  return withMade(choices, made, variant => isCommonAudio(variant) && !variant.adaptive, wish);
}

function imageSteps(item: MediaItem, wish: PlanWish): readonly Step[] {
  const choices = sendableVariants(item, 'original').map(variant => toChoice(variant, item, wish.sizes));
  const made = choices.filter(({ variant }) => !isCommonImage(variant)).map(choice => converted(choice, wish));
  return withMade(choices, made, isCommonImage, wish);
}

/** Files that every chat takes come first, then those that are made, then the others. */
function withMade(
  choices: readonly VariantChoice[],
  made: readonly Step[],
  isReady: (variant: Variant) => boolean,
  wish: PlanWish,
): readonly Step[] {
  const sources = choices.map((choice): Source => {
    const { key, variant, bytes, estimatedBytes } = choice;
    return { kind: 'file', key, parts: [choice], video: variant, bytes, estimatedBytes, isCommon: true };
  });
  const limit = limitOf(sources, wish);
  const fitting = sources.filter(source => !isOut(source, wish) && fits(source, limit, wish));
  const stepsOf = (some: readonly Source[]) =>
    some.map(({ key, parts }): Step => ({ kind: 'file', key, parts, maxBytes: wish.maxBytes }));
  const ready = fitting.filter(({ video }) => isReady(video));
  return [...stepsOf(ready), ...unrefused(made, wish), ...stepsOf(fitting.filter(one => !ready.includes(one)))];
}

function converted(choice: VariantChoice, { maxBytes }: PlanWish): Step {
  return { kind: 'convert', key: `convert-${choice.key}`, parts: [choice], maxBytes };
}

function unrefused(steps: readonly Step[], wish: PlanWish): readonly Step[] {
  return steps.filter(step => !isOut(step, wish) && (step.parts[0]?.bytes ?? 0) <= MAX_SOURCE_BYTES);
}

function isStarved({ video }: Source): boolean {
  const { bitrate } = video;
  return bitrate !== null && pixels(video) > 0 && bitrate / (pixels(video) * 30) < STARVED_BITS;
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

function shortSide({ width, height }: Variant): number | null {
  return width === null || height === null ? null : Math.min(width, height);
}
