import { describe, expect, it } from 'vitest';
import type { FakeTelegram } from '../telegram.ts';
import { ALI, call, start } from './rehearsal.ts';

const chat_id = ALI.id;

function send(fake: FakeTelegram, blocks: readonly unknown[], others: object = {}): Promise<unknown> {
  return call(fake, 'sendRichMessage', { chat_id, rich_message: { blocks, skip_entity_detection: true, ...others } });
}

const words = (text: unknown) => ({ type: 'paragraph', text });

describe('rich messages', () => {
  it('are unknown to older servers', async () => {
    const fake = await start();
    expect(await send(fake, [words('a')])).toBe('Not Found');
    expect(fake.problems).toEqual([]);
  });

  it('hold words and files, which stand there in one message', async () => {
    const fake = await start({ isRich: true });
    const photo = fake.addFile({ kind: 'photo', bytes: 9 });
    const slide = { type: 'photo', photo: { type: 'photo', media: photo, has_spoiler: true } };
    const quote = { type: 'expandable_blockquote', text: ['a ', { type: 'bold', text: 'b' }] };
    const sent = await send(fake, [{ type: 'slideshow', blocks: [slide, slide] }, quote]);
    expect(sent).toMatchObject({
      message_id: 1,
      rich_message: {
        blocks: [{ type: 'slideshow', blocks: Array(2).fill({ type: 'photo', has_spoiler: true }) }, quote],
      },
    });
    expect(fake.messages.get(`${chat_id}:1`)?.rich).toMatchObject({ text: 'a b', files: [{ fileId: photo }, {}] });
    expect(fake.problems).toEqual([]);
  });

  it('are refused beyond their bounds', async () => {
    const fake = await start({ isRich: true, specsDir: '' });
    const video = { type: 'video', video: { type: 'video', media: fake.addFile({ kind: 'video', bytes: 9 }) } };
    for (const blocks of [[words('é'.repeat(32_768))], [{ type: 'slideshow', blocks: Array(50).fill(video) }]]) {
      expect(await send(fake, blocks)).toMatchObject({ rich_message: {} });
    }
    expect(fake.problems).toEqual([]);
    const deep = Array.from({ length: 17 }).reduce<unknown>(text => ({ type: 'italic', text }), 'a');
    const wrong: readonly (readonly unknown[])[] = [
      [],
      [words('a'.repeat(32_769))],
      [words(' ')],
      [words(deep)],
      [words({ type: 'url', text: 'a', url: 'nowhere' })],
      [words({ type: 'blinking', text: 'a' })],
      [{ type: 'slideshow', blocks: [] }],
      [{ type: 'slideshow', blocks: [words('a')] }],
      [{ type: 'slideshow', blocks: Array(51).fill(video) }],
      Array(501).fill(words('a')),
    ];
    for (const blocks of wrong) expect(await send(fake, blocks)).toMatch(/^Bad Request: (RICH_MESSAGE_|can't parse)/);
    expect(await send(fake, [words('a')], { html: 'a' })).toMatch(/^Bad Request/);
  });

  it('are refused with files that are not to be had, and for names that would call someone noted', async () => {
    const fake = await start({ isRich: true });
    const photo = (media: string) => ({ type: 'photo', photo: { type: 'photo', media } });
    expect(await send(fake, [photo('https://nowhere.example/a.jpg')])).toBe(
      'Bad Request: RICH_MESSAGE_PHOTO_NO_MEDIA_FOUND',
    );
    expect(await send(fake, [photo('forgotten')])).toContain('wrong file identifier');
    expect(fake.problems).toEqual([]);
    await send(fake, [words('hello @sari')], { skip_entity_detection: false });
    expect(fake.problems).toEqual([expect.stringContaining('may call a person')]);
  });
});
