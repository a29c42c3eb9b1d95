import { createLru } from '../../infra/cache/cache.ts';
import type { Logger } from '../../infra/log.ts';
import { isPlaylist } from '../files/cdn.ts';
import { muxKey, pixels, roughBytes, type VariantChoice } from '../files/variant-ranking.ts';
import { itemKey, type MediaItem, type Post, type Variant } from '../post.ts';
import type { RefreshPost } from '../tunnel/tunnel-token.ts';
import {
  bestVideo,
  type DeliveryRequest,
  MAX_SOURCE_BYTES,
  type Means,
  type NoFileReason,
  noFileReason,
  planDelivery,
  type Step,
} from './delivery-plan.ts';
import { createFileSize, type FileSize, type FileSizeOptions } from './download.ts';
import type { FileFailure, HeldFile } from './file-store.ts';
import { fileKey, type MakeRequest, type MediaFiles } from './media-files.ts';

/** The result of a request: a file, or the newest version of the post and the reason why there is no file. */
export type Resolution =
  | {
      readonly kind: 'file';
      readonly file: HeldFile;
      readonly step: Step;
      readonly post: Pick<Post, 'items'>;
      /** True when the site has a better video that was too large. */
      readonly isReduced: boolean;
    }
  | { readonly kind: 'none'; readonly reason: NoFileReason; readonly post: Pick<Post, 'items'> };

export interface FileResolverOptions extends FileSizeOptions {
  readonly files: MediaFiles;
  readonly means: Means;
  /** Asks the site again for a post whose media addresses expired early. */
  readonly refresh: RefreshPost;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly now: () => number;
}

/** An address that expires sooner than this is renewed before it is used. */
const EXPIRY_MARGIN_MS = 10_000;
const MAX_REMEMBERED = 5_000;
/** The pieces of a stream together may be this many times as large as the file made from them. */
const PIECES_OVERHEAD = 1.2;

type PlannedRequest = Omit<DeliveryRequest, 'post'> & { readonly post: Pick<Post, 'items'> };

/** Tries the planned steps, best first, until one yields a file. */
export class FileResolver {
  readonly options: FileResolverOptions;
  readonly sizeOf: FileSize;
  /** Sizes learned from the CDN or the files; they stay valid, because a key always identifies the same bytes. */
  readonly sizes = createLru<string, number>({ max: MAX_REMEMBERED });
  /** Keys of files that turned out to be in a format that few devices play. */
  readonly uncommon = createLru<string, true>({ max: MAX_REMEMBERED });

  constructor(options: FileResolverOptions) {
    this.options = options;
    this.sizeOf = createFileSize(options);
  }

  /** @throws the signal's reason when it aborts */
  resolve(request: DeliveryRequest, signal: AbortSignal): Promise<Resolution> {
    return new FileSearch(this, request, signal).run();
  }

  plan({ post, form, maxBytes, index, refused = [] }: PlannedRequest, broken = new Set<string>()): readonly Step[] {
    const item = post.items[index];
    const { sizes, uncommon } = this;
    return item ? planDelivery(item, { form, maxBytes, refused, broken, sizes, uncommon }, this.options.means) : [];
  }

  /** Says whether the site has a better video than this step makes. */
  isReduced(step: Step, request: PlannedRequest, broken: ReadonlySet<string> = new Set()): boolean {
    const { form, index, maxBytes, post } = request;
    const item = post.items[index];
    if (item?.kind !== 'video' || form !== 'original') return false;
    const whole = bestVideo(item, { sizes: this.sizes, uncommon: this.uncommon, broken });
    if (whole === undefined || whole.key === step.key) return false;
    // An encoded video counts as reduced only if the whole file was too large, not if it was encoded because few
    // devices play its codec or because the files that fit look poor.
    if (step.kind === 'compress') return (this.#bytesOf(whole) ?? 0) > Math.min(maxBytes, step.maxBytes);
    const [own, best] = [step.parts[0]?.variant, whole.parts[0]?.variant];
    if (own && best && pixels(own) < pixels(best)) return true;
    return (this.#bytesOf(step) ?? Infinity) < (this.#bytesOf(whole) ?? 0);
  }

  #bytesOf({ key, parts }: Pick<Step, 'key' | 'parts'>): number | null {
    return this.sizes.get(key) ?? roughBytes(parts);
  }

  /** Says whether an address has expired or will expire within `EXPIRY_MARGIN_MS`. */
  isOver({ expiresAt }: Pick<Variant, 'expiresAt'>): boolean {
    return expiresAt !== null && expiresAt <= this.options.now() + EXPIRY_MARGIN_MS;
  }
}

/** The search for a file for one request: it tries one step after another. */
class FileSearch {
  readonly #resolver: FileResolver;
  readonly #request: DeliveryRequest;
  readonly #signal: AbortSignal;
  /** The post of the request, or the newer version that replaced it. */
  #post: Pick<Post, 'items'>;
  #isRefreshed = false;
  /** The failure of the last step that was tried. */
  #reason: NoFileReason | undefined;
  /** Keys of files that are too large for the platform or for Medley. */
  readonly #refused: Set<string>;
  /** Keys of files that cannot be fetched or made. */
  readonly #broken = new Set<string>();
  /** Input files that are held because a later step may use them. */
  readonly #held: HeldFile[] = [];

  constructor(resolver: FileResolver, request: DeliveryRequest, signal: AbortSignal) {
    this.#resolver = resolver;
    this.#request = request;
    this.#signal = signal;
    this.#post = request.post;
    this.#refused = new Set(request.refused);
  }

  async run(): Promise<Resolution> {
    try {
      return await this.#follow();
    } finally {
      await Promise.all(this.#held.map(file => file.dispose()));
    }
  }

  get #wish() {
    return { ...this.#request, post: this.#post, refused: [...this.#refused] };
  }

  #steps(): readonly Step[] {
    return this.#resolver.plan(this.#wish, this.#broken);
  }

  async #follow(): Promise<Resolution> {
    for (let [step] = this.#steps(); step !== undefined; [step] = this.#steps()) {
      if (!this.#isRefreshed && step.parts.some(part => this.#resolver.isOver(part.variant))) {
        if (await this.#renew()) continue;
        break;
      }
      const outcome = await this.#make(step);
      if (outcome.status === 'done') {
        this.#resolver.sizes.set(step.key, outcome.bytes);
        if (this.#isWelcome(outcome, step)) {
          const isReduced = this.#resolver.isReduced(step, this.#wish, this.#broken);
          return { kind: 'file', file: outcome, step, post: this.#post, isReduced };
        }
        // The file is kept, because a later step may make another file from it.
        this.#held.push(outcome);
      } else if (!(await this.#shouldRetry(outcome, step))) break;
    }
    const anySize = { ...this.#request, maxBytes: Number.POSITIVE_INFINITY, refused: [] };
    const whyNoStep = this.#resolver.plan(anySize).length > 0 ? 'too_large' : 'upstream_unavailable';
    return { kind: 'none', reason: this.#reason ?? whyNoStep, post: this.#post };
  }

  #make(step: Step): Promise<HeldFile | FileFailure> {
    const { files } = this.#resolver.options;
    const { kind, key, parts, maxBytes } = step;
    const madeOf = (limit: number): MakeRequest => ({
      key: this.#keyOf(key),
      maxBytes,
      inputs: parts.map(part => own => this.#fetch(part, limit, own)),
    });
    switch (kind) {
      case 'file':
        return this.#wholeFile(step);
      case 'mux':
        return files.mux(madeOf(maxBytes), this.#signal);
      case 'compress':
        return files.compress(this.#muxedFirst(madeOf(MAX_SOURCE_BYTES), step), this.#signal);
      case 'convert': {
        const isPhoto = this.#post.items[this.#request.index]?.kind === 'image';
        return (isPhoto ? files.toJpeg : files.toM4a)(madeOf(MAX_SOURCE_BYTES), this.#signal);
      }
      case 'mp3':
        return files.toMp3(madeOf(MAX_SOURCE_BYTES), this.#request.post, this.#signal);
    }
  }

  /** The request to encode a video. Tracks are muxed first; so is a stream, whose timestamps need not begin at 0. */
  #muxedFirst(request: MakeRequest, { parts }: Step): MakeRequest {
    if (parts.length < 2 && !parts.some(part => isPlaylist(part.variant))) return request;
    const { mux } = this.#resolver.options.files;
    const key = this.#keyOf(muxKey(parts.map(part => part.key)));
    const whole = { key, maxBytes: MAX_SOURCE_BYTES, inputs: request.inputs };
    return { ...request, inputs: [own => mux(whole, own)] };
  }

  /** The file of the CDN. It is rewritten if a player would have to load all of it before playing. */
  async #wholeFile({ key, parts: [part], maxBytes }: Step): Promise<HeldFile | FileFailure> {
    if (part === undefined) return { status: 'unavailable', cause: undefined };
    const file = await this.#fetch(part, maxBytes, this.#signal);
    if (file.status !== 'done' || file.probe === null || file.probe.kind === 'audio') return file;
    if (file.mime !== 'video/mp4' || (file.probe.fastStart && !file.probe.isFragmented)) return file;
    // The fetched file is held while it is rewritten, so that it need not be fetched again.
    this.#held.push(file);
    const inputs = [(own: AbortSignal) => this.#fetch(part, maxBytes, own)];
    const request = { key: this.#keyOf(`straight-${key}`), maxBytes, inputs };
    const fastStart = await this.#resolver.options.files.mux(request, this.#signal);
    return fastStart.status === 'done' ? fastStart : this.#fetch(part, maxBytes, this.#signal);
  }

  async #fetch(choice: VariantChoice, limit: number, signal: AbortSignal): Promise<HeldFile | FileFailure> {
    const { key, variant, bytes, estimatedBytes } = choice;
    const { url, mime, headers } = variant;
    const { source } = this.#request.post;
    const file = { key: this.#keyOf(key), source, url, mime, ...(headers && { headers }) };
    const maxBytes = isPlaylist({ mime }) ? Math.ceil(limit * PIECES_OVERHEAD) : limit;
    const request = { ...file, maxBytes, expectedBytes: bytes ?? estimatedBytes };
    const fetched = await this.#resolver.options.files.fetch(request, signal);
    return 'cause' in fetched && fetched.status !== 'tool' ? { ...fetched, of: key } : fetched;
  }

  /** The file's key in the store. A step's own key is unique only within its item. */
  #keyOf(key: string): string {
    return fileKey(this.#request.post, this.#request.index, key);
  }

  /** Says whether to take the file: it plays on all devices, or is known as `uncommon` and nothing better is left. */
  #isWelcome({ probe }: HeldFile, { kind, key }: Step): boolean {
    const { uncommon } = this.#resolver;
    if (probe === null || probe.kind === 'audio' || this.#request.form === 'audio') return true;
    if (kind === 'compress' || uncommon.has(key)) return true;
    if (!probe.isCommon) uncommon.set(key, true);
    return probe.isCommon;
  }

  /** Says whether to try another step after this failure. */
  async #shouldRetry(failure: FileFailure, { key, kind }: Step): Promise<boolean> {
    if (failure.status !== 'too_large') {
      const { source, id } = this.#request.post;
      const about = { err: failure.cause, source, id, index: this.#request.index, reason: failure.status };
      this.#resolver.options.log[failure.status === 'disk' ? 'error' : 'info'](about, 'a file could not be had');
    }
    if (failure.status === 'expired' && !this.#isRefreshed) return this.#renew();
    // If a program fails to make a smaller file, the real reason is still that the whole file is too large.
    if (failure.status !== 'tool' || this.#reason !== 'too_large') this.#reason = noFileReason(failure, kind);
    switch (failure.status) {
      case 'too_large':
        this.#refused.add(key);
        // `bytes` is null when only the download itself showed that the file exceeds the limit.
        this.#resolver.sizes.set(key, failure.bytes ?? this.#request.maxBytes + 1);
        await this.#learnSizes();
        return true;
      // A file that cannot be fetched rules out all steps that use it. Any other failure rules out only this step.
      case 'expired':
      case 'unavailable':
      case 'tool':
        this.#broken.add(('of' in failure ? failure.of : undefined) ?? key);
        return true;
      // A smaller file would be as slow and the disk as full, so no other step is tried.
      case 'timeout':
      case 'disk':
        return false;
    }
  }

  /** Fetches the post again to replace expired addresses; false when the post cannot be fetched. */
  async #renew(): Promise<boolean> {
    const { refresh, log } = this.#resolver.options;
    const { source, id } = this.#request.post;
    this.#isRefreshed = true;
    try {
      const { items } = await refresh({ source, id }, this.#signal);
      // An item's index changes when more or fewer items can be read. Its key does not, so items are found by key.
      const newest = (old: MediaItem) => items.find(each => itemKey(each) === itemKey(old)) ?? old;
      this.#post = { items: this.#post.items.map(newest) };
      return true;
    } catch (error) {
      this.#signal.throwIfAborted();
      log.info({ err: error, source, id }, 'a post could not be asked for again');
      this.#reason = 'upstream_unavailable';
      return false;
    }
  }

  /** Looks up all unknown sizes at once, after the best file turned out to be too large. */
  async #learnSizes(): Promise<void> {
    const parts = new Map(this.#steps().flatMap(step => step.parts.map(part => [part.key, part])));
    const unknown = [...parts.values()].filter(
      ({ bytes, estimatedBytes, variant }) => bytes === null && estimatedBytes === null && !isPlaylist(variant),
    );
    // If only one size is unknown, it is found when that file is downloaded.
    if (unknown.length < 2) return;
    await Promise.all(
      unknown.map(async ({ key, variant }) => {
        const bytes = await this.#resolver.sizeOf(variant, this.#request.post.source, this.#signal);
        if (bytes !== undefined) this.#resolver.sizes.set(key, bytes);
      }),
    );
  }
}
