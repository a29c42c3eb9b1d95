import { AppError, type ErrorCode } from '../../../src/errors.ts';
import type { PostRef, Strategy } from '../../../src/media/extract/source.ts';
import { createStrategyChain, type StrategyChainOptions } from '../../../src/media/extract/strategy-chain.ts';
import type { Post } from '../../../src/media/post.ts';
import { silentLog } from '../../fakes/instagram-upstream.ts';
import { makePhoto, makePost } from '../../fakes/post.ts';

const REF: PostRef = {
  source: 'facebook',
  id: '1',
  form: 'reel',
  url: 'https://www.facebook.com/reel/1',
  itemIndex: null,
  parts: {},
};
export const POST: Post = makePost({ source: 'facebook', id: '1', url: REF.url, items: [makePhoto()] });

export type Run = (signal: AbortSignal) => Promise<Post>;

export function strategy(name: string, run: Run | AppError, more: Partial<Strategy> = {}): Strategy {
  return {
    name,
    isAvailable: () => true,
    run: async (_, signal) => {
      if (run instanceof AppError) throw run;
      return { ...(await run(signal)), strategy: name };
    },
    ...more,
  };
}

export const ok: Run = async () => POST;
export const hang: Run = () => new Promise(() => {});
export const fail = (code: ErrorCode, options = {}) => new AppError(code, `it is ${code}`, options);
export const weak = fail('not_found', { params: { weak: 1 } });

/** `COUNT` of `of` items could be read. */
export function partial(count: number, of: number): Run {
  const items = Array.from({ length: count }, (_, position) => makePhoto({ position }));
  return async () => ({ ...POST, items, missingItems: of - count, coverUrl: null });
}

/** Resolves after `ms` unless the signal comes first, which it obeys. */
export function delayed(ms: number, run: Run): Run {
  return async signal => {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
    return run(signal);
  };
}

/** A chain of these, and who was asked, in order. */
export function chain(strategies: readonly Strategy[], options: Partial<StrategyChainOptions> = {}) {
  const asked: string[] = [];
  const watched = strategies.map(one => ({
    ...one,
    run: (ref: PostRef, signal: AbortSignal) => {
      asked.push(one.name);
      return one.run(ref, signal);
    },
  }));
  const fetch = createStrategyChain({ source: 'facebook', strategies: watched, log: silentLog, ...options });
  const run = (signal = new AbortController().signal) => fetch(REF, { signal });
  return {
    asked,
    run,
    figures: fetch.figures,
    /** Who is asked for one more post, whatever comes of it. */
    async round(): Promise<readonly string[]> {
      asked.length = 0;
      await run().catch(() => undefined);
      return [...asked];
    },
  };
}
