import type { MediaSource } from '../extract/source.ts';
import { createFacebookSource, type FacebookSourceOptions } from './facebook/source.ts';
import { createInstagramSource, type InstagramSourceOptions } from './instagram/source.ts';

export interface MediaSourcesOptions {
  readonly instagram: InstagramSourceOptions;
  readonly facebook: FacebookSourceOptions;
}

/** Every source of posts, in the order in which a link is shown to them. */
export function createMediaSources(options: MediaSourcesOptions): readonly MediaSource[] {
  return [createInstagramSource(options.instagram), createFacebookSource(options.facebook)];
}
