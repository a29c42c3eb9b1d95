import { describe, expect, it } from 'vitest';
import type { PostRef } from '../../../../src/media/extract/source.ts';
import { EMPTY_DRAFT, type PostDraft, toPost, UNKNOWN_AUTHOR } from '../../../../src/media/sources/kit/draft.ts';
import { makePhoto, makeVariant } from '../../../fakes/post.ts';

const REF: PostRef = { source: 'toy', id: '1', form: 'p', url: 'https://toy.example/1', itemIndex: null, parts: {} };
const CONTEXT = { ref: REF, strategy: 'page/crawler', now: 5 };
const draft = (change: Partial<PostDraft>): PostDraft => ({ ...EMPTY_DRAFT, ...change });
const expiring = (expiresAt: number) => makePhoto({ variants: [makeVariant({ expiresAt })] });

describe('a draft', () => {
  it('without items is a post only where the answer says that it has none', () => {
    expect(() => toPost(draft({}), CONTEXT)).toThrow(expect.objectContaining({ code: 'upstream_changed' }));
    const post = toPost(draft({ caption: 'Words', isWordsOnly: true }), CONTEXT);
    expect(post).toMatchObject({ caption: 'Words', items: [], missingItems: 0, quoted: null, sensitive: false });
    expect(post).not.toHaveProperty('isWordsOnly');
  });

  it('gives the post that it quotes as that of its own author, one level deep', () => {
    const author = { ...UNKNOWN_AUTHOR, username: 'pier.lights' };
    const inner = { ref: { ...REF, id: '3' }, draft: draft({ caption: 'Inner', isWordsOnly: true }) };
    const quoted = { ref: { ...REF, id: '2' }, draft: draft({ author, items: [expiring(70)], quoted: inner }) };
    const post = toPost(draft({ items: [expiring(90), null], quoted }), CONTEXT);
    expect(post).toMatchObject({ id: '1', missingItems: 1, items: { length: 1 }, expiresAt: 70 });
    expect(post.quoted).toMatchObject({ id: '2', author, items: { length: 1 }, quoted: null, expiresAt: 70 });
    expect(JSON.stringify(post)).not.toContain('Inner');
  });

  it('is sensitive where it or the post that it quotes is', () => {
    const words = draft({ isWordsOnly: true });
    const quoted = { ref: REF, draft: { ...words, sensitive: true } };
    expect(toPost({ ...words, sensitive: true }, CONTEXT).sensitive).toBe(true);
    expect(toPost({ ...words, quoted }, CONTEXT).sensitive).toBe(true);
    expect(toPost({ ...words, quoted: { ref: REF, draft: words } }, CONTEXT).sensitive).toBe(false);
  });
});
