import { describe, expect, it } from 'vitest';
import { createDeleteButtons } from '../../../../src/platforms/telegram/render/keyboard.ts';

const to = { chatId: -1_001_234_567_890, userId: '987654321012', messageId: 123_456_789, others: [] };
const ALBUMS = [...Array.from({ length: 10 }, (_, n) => 123_456_790 + n), 123_456_805, 123_456_806];

const dataOf = (button: object | undefined) =>
  button !== undefined && 'callback_data' in button ? String(button.callback_data) : '';

describe('delete button', () => {
  it('says who asked, also after a restart, in 64 bytes', () => {
    const shown = createDeleteButtons('secret').render(to, 'Delete');
    const data = dataOf(shown);
    expect(shown?.text).toBe('Delete');
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
    const { userId, messageId } = to;
    expect(createDeleteButtons('secret').read(data, to.chatId)).toEqual({ userId, messageId, others: [] });
  });

  it('names all messages of albums, in any order, or is none', () => {
    const button = createDeleteButtons('secret');
    const asked = { ...to, userId: '987654321', others: ALBUMS.toReversed() };
    const data = dataOf(button.render(asked, 'Delete'));
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
    expect(button.read(data, to.chatId)?.others).toEqual(ALBUMS);
    expect(button.read(data.replace('-a,', '-b,'), to.chatId)).toBeUndefined();
    const scattered = Array.from({ length: 20 }, (_, n) => 1_000 * n);
    expect(button.render({ ...to, others: scattered }, 'Delete')).toBeUndefined();
  });

  it('takes none that somebody made up, or carried over from another chat', () => {
    const button = createDeleteButtons('secret');
    const data = dataOf(button.render(to, 'Delete'));
    expect(button.read(data, -5)).toBeUndefined();
    expect(button.read(data.replace(to.userId, '5'), to.chatId)).toBeUndefined();
    expect(createDeleteButtons('another').read(data, to.chatId)).toBeUndefined();
    for (const other of ['', 'delete:', 'delete:1:2:3', 'x'.repeat(64)])
      expect(button.read(other, to.chatId)).toBeUndefined();
  });
});
