import { describe, expect, it } from 'vitest';
import type { Extractor } from '../../../src/media/extract/extractor.ts';
import { type WithheldPosts, withholdPosts } from '../../../src/media/extract/withheld-posts.ts';
import { makePost } from '../../fakes/post.ts';

const POST = makePost();
const SIGNAL = new AbortController().signal;

function withholding(withheld: Partial<Record<keyof WithheldPosts, boolean>>) {
  const asked: string[] = [];
  const plain: Extractor = {
    async extract() {
      asked.push('extract');
      return { post: POST, itemIndex: null, from: 'load' };
    },
    async refresh() {
      asked.push('refresh');
      return POST;
    },
    findLinks: () => [],
    sourceOf: () => POST.source,
    postKey: () => `${POST.source}:${POST.id}`,
    mediaHosts: [],
  };
  const { hasLink = false, hasPost = false } = withheld;
  return { asked, extractor: withholdPosts(plain, { hasLink: async () => hasLink, hasPost: async () => hasPost }) };
}

describe('withheld posts', () => {
  it('are refused by their link before anything is asked, refreshed or not', async () => {
    const { asked, extractor } = withholding({ hasLink: true });
    await expect(extractor.extract(POST.url)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(extractor.refresh(POST, SIGNAL)).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toEqual([]);
  });

  it('are refused by what they turn out to be', async () => {
    const { asked, extractor } = withholding({ hasPost: true });
    await expect(extractor.extract(POST.url)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(extractor.refresh(POST, SIGNAL)).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toEqual(['extract', 'refresh']);
  });

  it('are the only ones that are refused', async () => {
    const { extractor } = withholding({});
    expect((await extractor.extract(POST.url)).post).toBe(POST);
    expect(await extractor.refresh(POST, SIGNAL)).toBe(POST);
  });
});
