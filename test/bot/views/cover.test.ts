import { describe, expect, it } from 'vitest';
import { renderCover } from '../../../src/bot/views/post.ts';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { samplePost } from '../sample.ts';

const coverUrl = 'https://scontent.cdninstagram.com/v/cover.jpg';
const reason = new AppError('upstream_rate_limited', 'limited', { retryAfterMs: 120_000 });

describe('renderCover', () => {
  it.each([
    ['en', 'Only the cover of this post could be fetched, not its files.', /slow down/],
    ['id', 'Hanya sampul kiriman ini yang bisa diambil, bukan berkasnya.', /batas|pelan|lambat/],
  ])('shows the cover, says in %s that there is no more, and why', (language, sentence, why) => {
    const post = samplePost({ items: [], missingItems: 1, coverUrl });
    const { blocks, gallery, actions, tone } = renderCover(
      post,
      { name: 'Instagram' },
      reason,
      createTranslator([language]),
    );
    expect(blocks[0]).toMatchObject({ kind: 'image', url: coverUrl });
    const words = JSON.stringify(blocks.at(-1));
    expect(words).toContain(sentence);
    expect(words).toMatch(why);
    expect(JSON.stringify(blocks)).toContain('Evening light over the harbour');
    expect([gallery, tone]).toEqual([[], 'notice']);
    expect(actions).toMatchObject([{ kind: 'link', url: post.url }]);
  });

  it('does not speak of a cover that there is not', () => {
    const post = samplePost({ items: [], missingItems: 1, coverUrl: null, caption: null });
    const { blocks } = renderCover(post, { name: 'Instagram' }, reason, createTranslator(['en']));
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'text']);
    expect(JSON.stringify(blocks)).not.toContain('cover');
  });
});
