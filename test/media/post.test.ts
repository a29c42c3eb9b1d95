import { describe, expect, it } from 'vitest';
import { parseStoredPost } from '../../src/media/post.ts';
import { makePhoto, makePost } from '../fakes/post.ts';

const kept = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('parseStoredPost', () => {
  it('gives back the post that was kept, whole', () => {
    const post = makePost();
    const silent = makePost({ title: null, caption: null, expiresAt: null, items: [makePhoto()] });
    expect(parseStoredPost(kept(post))).toEqual(post);
    expect(parseStoredPost(kept(silent))).toEqual(silent);
  });

  it('knows no post in anything else', () => {
    const post = makePost();
    const { items, ...without } = post;
    const [item] = items;
    const variant = { ...item?.variants[0], url: 'http://127.0.0.1/' };
    const others = [
      null,
      'post',
      {},
      without,
      { ...post, source: 'elsewhere' },
      { ...post, items: [{ ...item, variants: [] }] },
      { ...post, items: [{ ...item, variants: [variant] }] },
    ];
    for (const value of others) expect(parseStoredPost(kept(value))).toBeUndefined();
  });
});
