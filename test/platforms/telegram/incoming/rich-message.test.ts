import { describe, expect, it } from 'vitest';
import { readWords } from '../../../../src/platforms/telegram/incoming/message-request.ts';
import { flattenRich } from '../../../../src/platforms/telegram/incoming/rich-words.ts';
import { answersIn, CAROUSEL, GROUP, openStage, PHOTO, REEL, SARI, sha256Of } from '../stage.ts';

const linked = (url: string, text: unknown = url) => ({ type: 'url', url, text });

describe('a rich message', () => {
  it('is read block by block, with the links in it as they are marked', () => {
    const rich = flattenRich([
      { type: 'heading', size: 1, text: ['Two ', { type: 'bold', text: 'posts' }] },
      { type: 'slideshow', blocks: [{ type: 'photo', photo: [{ file_id: 'a' }], caption: { text: 'a pier' } }] },
      { type: 'paragraph', text: ['🌊 see ', linked(REEL), ' and ', { type: 'spoiler', text: linked(PHOTO, 'that') }] },
      {
        type: 'list',
        items: [{ label: '1', blocks: [{ type: 'paragraph', text: { type: 'code', text: linked(REEL) } }] }],
      },
      { type: 'blockquote', blocks: [{ type: 'paragraph', text: linked(CAROUSEL, 'said') }] },
      { type: 'new_kind', content: 7 },
      null,
    ]);
    expect(rich.text).toBe(`Two posts\na pier\n🌊 see ${REEL} and that\n${REEL}\nsaid`);
    expect(readWords(rich.text, rich.entities).links).toEqual([
      { url: REEL, spoiler: false },
      { url: PHOTO, spoiler: true },
      { url: CAROUSEL, spoiler: false, quoted: true },
    ]);
  });

  it('has its links answered', async () => {
    const { fake } = await openStage();
    fake.message({
      from: SARI,
      extra: { rich_message: { blocks: [{ type: 'paragraph', text: ['see ', linked(REEL)] }] } },
    });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.file?.sha256).toBe(sha256Of('sea-720.mp4'));
  });

  it("of Medley's own is pointed at like any other", async () => {
    const { fake, calls, settled } = await openStage({
      telegram: { isRich: true },
      canFetch: true,
      limits: { richFrom: 2 },
    });
    fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    const first = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    fake.message({ chat: GROUP, from: SARI, text: '/download', replyTo: first.messageId });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[1]);
    await settled();
    expect(answersIn(fake, GROUP.id).map(({ rich }) => rich?.files.length)).toEqual([5, 5]);
    expect(calls('sendRichMessage')).toHaveLength(2);
  });
});
