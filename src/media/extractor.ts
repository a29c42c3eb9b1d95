import type { Post } from './post.ts';

export interface Extraction {
  readonly post: Post;
  /** Zero-based item the link pointed at, when it did and that item exists. */
  readonly itemIndex: number | null;
  readonly from: 'cache' | 'load' | 'stale';
}

export interface ExtractOptions {
  readonly signal?: AbortSignal;
  /** Refuse links of any other source with `unsupported_link`. */
  readonly only?: Post['source'];
}

/** url -> source -> cache -> Post: the one entry for bot and api. */
export interface Extractor {
  /**
   * @throws AppError `invalid_request` (not an address at all), `unsupported_link` (params: `what`), `login_required` for stories without
   * cookies, or any upstream code.
   */
  extract(link: string, options?: ExtractOptions): Promise<Extraction>;
  /** Asks the upstream again, past the cache: for addresses that expired early. At most one real fetch a minute for a post. */
  refresh(post: Pick<Post, 'source' | 'id'>, signal?: AbortSignal): Promise<Post>;
  /** Canonical links of supported posts in running text, in order, without repeats; `<link>` and code are skipped. Pure. */
  findLinks(text: string): readonly string[];
  /** Hosts that media of any source may live on. */
  readonly mediaHosts: readonly string[];
}
