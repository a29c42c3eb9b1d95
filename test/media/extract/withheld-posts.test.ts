import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import { createExtractor } from '../../../src/media/extract/extractor.ts';
import type { MediaSource } from '../../../src/media/extract/source.ts';
import type { Post } from '../../../src/media/post.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { makePhoto, makePost, makeQuoted } from '../../fakes/post.ts';

const POST = makePost({ items: [makePhoto()] });
const REF = { source: POST.source, id: POST.id, form: 'p', url: POST.url, itemIndex: null, parts: {} };
const SIGNAL = new AbortController().signal;

interface Withheld {
  readonly hasLink?: boolean;
  readonly hasPost?: (post: Pick<Post, 'id'>) => boolean;
}

function withholding({ hasLink = false, hasPost = () => false }: Withheld, post: Post = POST) {
  const asked: string[] = [];
  const source: MediaSource = {
    id: POST.source,
    match: () => ({ kind: 'post', ref: REF }),
    refOf: () => REF,
    resolveShort: async url => url,
    async fetch({ id }) {
      asked.push(id);
      return post;
    },
    strategies: [],
    examples: [],
    canFetchStories: false,
    mediaHosts: [],
  };
  const extractor = createExtractor({
    sources: [source],
    cache: createMemoryCache<Post>({ maxEntries: 10 }),
    shortLinks: createMemoryCache<string>({ maxEntries: 10 }),
    withheld: { hasLink: async () => hasLink, hasPost: async asked => hasPost(asked) },
    log: createRecordingLog(),
  });
  return { asked, extractor };
}

describe('withheld posts', () => {
  it('are refused by their link before anything is asked, refreshed or not', async () => {
    const { asked, extractor } = withholding({ hasLink: true });
    await expect(extractor.extract(POST.url)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(extractor.refresh(POST, SIGNAL)).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toEqual([]);
  });

  it('are refused by their author, fetched, cached or refreshed', async () => {
    const { asked, extractor } = withholding({ hasPost: () => true });
    for (let time = 0; time < 2; time += 1)
      await expect(extractor.extract(POST.url)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(extractor.refresh(POST, SIGNAL)).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toEqual([POST.id, POST.id]);
  });

  it('are left out where another post quotes them', async () => {
    const quoting = { ...POST, quoted: makeQuoted() };
    const { extractor } = withholding({ hasPost: ({ id }) => id === quoting.quoted.id }, quoting);
    expect((await extractor.extract(POST.url)).post).toEqual({ ...quoting, quoted: null });
  });

  it('are the only ones that are refused', async () => {
    const { extractor } = withholding({});
    expect((await extractor.extract(POST.url)).post).toBe(POST);
    expect(await extractor.refresh(POST, SIGNAL)).toBe(POST);
  });
});
