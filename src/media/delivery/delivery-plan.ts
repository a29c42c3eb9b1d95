import { AppError } from '../../errors.ts';
import type { Clip } from '../files/clip.ts';
import {
  audioTracks,
  ESTIMATE_TOLERANCE,
  isCommonAudio,
  isCommonFile,
  isCommonImage,
  type Learned,
  type MediaForm,
  pixels,
  ranked,
  sendableVariants,
  toChoice,
  type VariantChoice,
  type VideoCandidate,
  videoCandidates,
} from '../files/variant-ranking.ts';
import type { MediaItem, Post, Variant } from '../post.ts';
import { MIN_BITRATE } from '../transcode/compression-plan.ts';
import { mostMp3Bytes } from '../transcode/convert.ts';
import { choosePlayerFile, type PlayerFile } from '../tunnel/player-file.ts';
import type { FileFailure } from './file-store.ts';

export interface DeliveryRequest {
  readonly post: Post;
  /** Index into `post.items`. */
  readonly index: number;
  readonly form: MediaForm;
  /** The chat's real limit for one file. */
  readonly maxBytes: number;
  /** Keys (by `variantKey`) of the variants that the chat has refused as too large. A smaller variant is chosen. */
  readonly refused?: readonly string[];
  /** The part of the video to cut out; absent for the whole video. */
  readonly clip?: Clip;
  /** True when a small preview image is wanted beside the video. */
  readonly thumbnail?: boolean;
}

/** The ways to get a file, the quickest first. */
export type StepKind =
  /** The file is sent as the CDN serves it. */
  | 'file'
  /** Separate video and audio, or the pieces of a stream, are joined into one file without encoding. */
  | 'mux'
  /** The video is encoded again as H.264 and AAC within the budget. */
  | 'compress'
  /** The audio is extracted, or a photo is converted to a common format. */
  | 'convert'
  /** The audio is encoded as MP3, unless it is an MP3 already. */
  | 'mp3';

/** Why a request gets no file. `stream`: the pieces of the stream cannot be joined. */
export type NoFileReason = 'too_large' | 'upstream_unavailable' | 'timeout' | 'stream';

/** The page or file that opens when a person follows the link that replaces a file. */
export type LinkTarget =
  /** Medley's own page that plays the video. */
  | 'page'
  /** The file itself, through Medley's tunnel. */
  | 'tunnel'
  /** The original post on its site. */
  | 'original';

export interface Step {
  readonly kind: StepKind;
  /** Identifies the file that the step makes, also after a restart. */
  readonly key: string;
  /** The variants that the file is made from: one file, or a video and an audio track. */
  readonly parts: readonly VariantChoice[];
  /** The file's size limit: that of the chat, or less after the chat has refused a file of that size. */
  readonly maxBytes: number;
}

export interface PlanWish extends Learned {
  readonly form: MediaForm;
  readonly maxBytes: number;
  /** Keys of variants that are too large for the chat or for Medley. */
  readonly refused: Iterable<string>;
  /** Keys of files that could not be fetched or made. */
  readonly broken?: ReadonlySet<string>;
}

/** The tools that are installed beside Medley. */
export interface Means {
  /** True when ffmpeg is installed, so that videos can be encoded. */
  readonly transcode: boolean;
  /** True when the installed ffmpeg can encode MP3. */
  readonly mp3?: boolean;
}

/** The largest file that is downloaded in order to encode or convert it. */
export const MAX_SOURCE_BYTES = 512 * 1024 * 1024;

/** Audio hardly ever has fewer bits a second than this. If the limit allows only fewer, no video is fetched for it. */
const MIN_AUDIO_BITRATE = 24_000;
/** A video whose shorter side is below this looks poor, so encoding a larger one may be worth the time. */
const POOR_SHORT_SIDE = 360;
/** Encoding a larger video is only worth the time if the size limit allows this many bits a second. */
const GOOD_BITRATE = 600_000;
/** After the chat refused a file as too large, the next file is encoded to at most this share of that size. */
export const SHARE_AFTER_REFUSAL = 0.6;
/** Frames whose short side exceeds this take long to encode, so a smaller video is encoded if there is one. */
const ENOUGH_SHORT_SIDE = 1_080;
const MEBIBYTE = 1024 * 1024;

/**
 * The ways to get a file of the item within the limit, best first; empty when there is none. Pure. Files that every
 * player can play come first, then larger videos; of equal ones, a whole file comes before one that has to be made. A
 * video is encoded again only when no good file fits.
 */
export function planDelivery(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  if (wish.form === 'audio') return audioSteps(item, wish, means);
  if (item.kind === 'image') return imageSteps(item, wish);
  return item.kind === 'audio' ? trackSteps(item, wish, means) : videoSteps(item, wish, means);
}

/** The best video of the site, of any size, without encoding; undefined when none can be fetched. Pure. */
export function bestVideo(item: MediaItem, learned: Pick<PlanWish, keyof Learned | 'broken'>) {
  const broken = [...(learned.broken ?? [])];
  return videoCandidates(item, learned).find(candidate => !uses(candidate, broken));
}

/** Chooses the link that people get when there is no file. `isReachable`: Medley has a public address. Pure. */
export function planLink(
  item: MediaItem | undefined,
  form: MediaForm,
  isReachable: boolean,
): { readonly target: LinkTarget; readonly file?: PlayerFile } {
  const file = item && choosePlayerFile(item, form);
  if (file === undefined || !isReachable) return { target: 'original' };
  const isPlayable = form === 'original' && file.variant.hasVideo && isCommonFile(file);
  return { target: isPlayable ? 'page' : 'tunnel', file };
}

function videoSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  const all = videoCandidates(item, wish);
  const isGood = (candidate: VideoCandidate) =>
    candidate.isCommon && !(means.transcode && isWorthMore(candidate, all, item, wish));
  return withMade(all, means.transcode ? compressSteps(all, item, wish) : [], isGood, wish);
}

/** Joins the steps: first the candidates that `isGood` accepts, then `made`, then the other candidates that fit. */
function withMade(
  candidates: readonly VideoCandidate[],
  made: readonly Step[],
  isGood: (candidate: VideoCandidate) => boolean,
  wish: PlanWish,
): readonly Step[] {
  const limit = limitOf(candidates, wish);
  const fitting = candidates.filter(candidate => !isExcluded(candidate, wish) && fits(candidate, limit, wish));
  const good = fitting.filter(isGood);
  const others = fitting.filter(candidate => !good.includes(candidate));
  const stepsOf = (some: readonly VideoCandidate[]) =>
    some.map(({ kind, key, parts }) => ({ kind, key, parts, maxBytes: wish.maxBytes }));
  return [...stepsOf(good), ...made, ...stepsOf(others)];
}

/** The size limit to plan with: the chat's, or one byte less than the smallest known size that the chat refused. */
function limitOf(all: readonly VideoCandidate[], { refused, sizes, maxBytes }: PlanWish): number {
  const out = new Set(refused);
  const learned = [...out].flatMap(key => sizes?.get(key) ?? []);
  const known = all.flatMap(({ key, bytes }) => (bytes !== null && out.has(key) ? [bytes] : []));
  return Math.min(maxBytes, ...[...learned, ...known].map(bytes => bytes - 1));
}

function isExcluded(candidate: Pick<VideoCandidate, 'key' | 'parts'>, { refused, broken }: PlanWish): boolean {
  return uses(candidate, [...refused, ...(broken ?? [])]);
}

/** Says whether one of these keys identifies the file, or one of the files that it is made from. */
function uses({ key, parts }: Pick<VideoCandidate, 'key' | 'parts'>, keys: readonly string[]): boolean {
  return keys.some(each => each === key || parts.some(part => part.key === each));
}

function fits(candidate: VideoCandidate, limit: number, { sizes, maxBytes }: PlanWish): boolean {
  const { bytes, estimatedBytes, key, parts } = candidate;
  const known = sizes?.get(key) ?? bytes;
  if (parts.some(part => (part.bytes ?? 0) > limit)) return false;
  return known === null ? (estimatedBytes ?? 0) <= maxBytes * ESTIMATE_TOLERANCE : known <= limit;
}

/** Says whether encoding a larger video that exceeds the limit gives a better picture than sending this small video. */
function isWorthMore(
  { variant }: VideoCandidate,
  all: readonly VideoCandidate[],
  { durationMs }: MediaItem,
  wish: PlanWish,
): boolean {
  const side = shortSide(variant);
  if (side === null || side >= POOR_SHORT_SIDE || durationMs === null) return false;
  const largest = Math.max(...all.map(candidate => shortSide(candidate.variant) ?? 0));
  return largest >= side * 2 && (wish.maxBytes * 8_000) / durationMs >= GOOD_BITRATE;
}

/** Returns at most one step, because encoding takes long: the step encodes the largest video up to 1080p. */
function compressSteps(all: readonly VideoCandidate[], { durationMs }: MediaItem, wish: PlanWish): readonly Step[] {
  const broken = [...(wish.broken ?? [])];
  if ([...wish.refused, ...broken].some(key => key.startsWith('compress-'))) return [];
  const limit = limitOf(all, wish);
  const budget = limit < wish.maxBytes ? Math.floor(limit * SHARE_AFTER_REFUSAL) : wish.maxBytes;
  // Budgets are rounded down to whole MiB, so that requests with nearly the same budget share a file.
  const maxBytes = budget < MEBIBYTE ? budget : Math.floor(budget / MEBIBYTE) * MEBIBYTE;
  if (durationMs !== null && (maxBytes * 8_000) / durationMs < MIN_BITRATE) return [];
  const usable = all.filter(
    candidate => !uses(candidate, broken) && (candidate.bytes ?? candidate.estimatedBytes ?? 0) <= MAX_SOURCE_BYTES,
  );
  const [candidate] = ranked(usable, ({ variant, isCommon, kind }) => {
    const isEnough = (shortSide(variant) ?? 0) <= ENOUGH_SHORT_SIDE;
    return [isEnough ? 1 : 0, isEnough ? pixels(variant) : -pixels(variant), isCommon ? 1 : 0, kind === 'file' ? 1 : 0];
  });
  if (candidate === undefined) return [];
  return [{ kind: 'compress', key: `compress-${maxBytes}-${candidate.key}`, parts: candidate.parts, maxBytes }];
}

/** The steps to an item's audio: an MP3 if it surely fits, else the audio in the site's format. */
function audioSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  if (item.kind === 'image') return [];
  const { durationMs } = item;
  const isHopeless = durationMs !== null && (wish.maxBytes * 8_000) / durationMs < MIN_AUDIO_BITRATE;
  // All videos of an item have the same audio. If it was too large once, no other video need be fetched for it.
  const isOver = (kind: StepKind) => isHopeless || [...wish.refused].some(key => key.startsWith(`${kind}-`));
  const isMp3 = means.mp3 === true && mostMp3Bytes(durationMs) <= wish.maxBytes && !isOver('mp3');
  const videos = item.kind === 'audio' ? [] : sendableVariants(item, 'audio').filter(({ hasVideo }) => hasVideo);
  const choicesOf = (variants: readonly Variant[]) => variants.map(variant => toChoice(variant, item, wish.sizes));
  return [
    ...(isMp3 ? converted(choicesOf([...audioTracks(item), ...videos]), wish, 'mp3') : []),
    ...trackSteps(item, wish, means),
    ...(isOver('convert') ? [] : converted(choicesOf(videos), wish)),
  ];
}

/**
 * The steps to the audio tracks. Whole files are sent unchanged. A DASH track consists of fragments, of which few
 * players can tell the duration, so it is rewritten as a plain file.
 */
function trackSteps(item: MediaItem, wish: PlanWish, means: Means): readonly Step[] {
  const choices = audioTracks(item).map(variant => toChoice(variant, item, wish.sizes));
  const made = choices
    .filter(({ variant }) => (isCommonAudio(variant) ? variant.adaptive : means.transcode))
    // A track that is only copied keeps its size, so it must fit already.
    .filter(
      ({ variant, bytes, estimatedBytes }) =>
        !isCommonAudio(variant) || (bytes ?? estimatedBytes ?? 0) <= wish.maxBytes * ESTIMATE_TOLERANCE,
    );
  const isReady = ({ variant }: VideoCandidate) => isCommonAudio(variant) && !variant.adaptive;
  return withMade(choices.map(candidateOf), converted(made, wish), isReady, wish);
}

function imageSteps(item: MediaItem, wish: PlanWish): readonly Step[] {
  const all = sendableVariants(item, 'original').map(variant => candidateOf(toChoice(variant, item, wish.sizes)));
  const limit = limitOf(all, wish);
  const isReady = ({ variant }: VideoCandidate) => isCommonImage(variant);
  // A photo that is too large may fit as a JPEG. A GIF is never converted for its size, because a JPEG does not move.
  const isOver = (one: VideoCandidate) => one.variant.mime !== 'image/gif' && !fits(one, limit, wish);
  const made = all.filter(one => !isReady(one) || isOver(one));
  const refused = [...wish.refused].filter(key => key.startsWith('convert-'));
  return withMade(all, converted(made, { ...wish, refused, maxBytes: limit }), isReady, wish);
}

function candidateOf(choice: VariantChoice): VideoCandidate {
  return { ...choice, kind: 'file', parts: [choice], isCommon: true };
}

/** The steps that convert these files. Files that were refused, broken or over `MAX_SOURCE_BYTES` are left out. */
function converted(choices: readonly VariantChoice[], wish: PlanWish, kind: 'convert' | 'mp3' = 'convert') {
  return choices
    .map((choice): Step => ({ kind, key: `${kind}-${choice.key}`, parts: [choice], maxBytes: wish.maxBytes }))
    .filter(step => !isExcluded(step, wish) && (step.parts[0]?.bytes ?? 0) <= MAX_SOURCE_BYTES);
}

function shortSide({ width, height }: Variant): number | null {
  return width === null || height === null ? null : Math.min(width, height);
}

/**
 * Why there is no file after a failed step. A failed `convert` is not `too_large`: it only fails for a file without
 * audio or with an unknown codec.
 */
export function noFileReason(failure: FileFailure, kind: StepKind): NoFileReason {
  const { status } = failure;
  const { cause } = 'cause' in failure ? failure : { cause: undefined };
  if (cause instanceof AppError && cause.params.what === 'stream') return 'stream';
  if (status === 'timeout' || status === 'too_large') return status;
  return status === 'tool' && kind !== 'convert' ? 'too_large' : 'upstream_unavailable';
}

/** Durations may differ by this much, because sites round them. */
const TOLERANCE_MS = 1_500;
const TOLERANCE = 0.03;

/** Says whether a file is about as long as the wanted video or audio. An unknown duration counts as long enough. */
export function isLongEnough(
  { post, index, clip }: Pick<DeliveryRequest, 'post' | 'index' | 'clip'>,
  { durationMs }: { readonly durationMs: number | null },
): boolean {
  const expectedMs = clip === undefined ? (post.items[index]?.durationMs ?? null) : clip.endMs - clip.startMs;
  if (expectedMs === null || durationMs === null) return true;
  return durationMs >= expectedMs - Math.max(TOLERANCE_MS, expectedMs * TOLERANCE);
}
