import { describe, expect, it } from 'vitest';
import { createDeleteButton } from '../../../../src/platforms/telegram/outgoing/delete-button.ts';

const to = { chatId: -1_001_234_567_890, userId: '987654321012', messageId: 123_456_789 };

const dataOf = (button: object) => ('callback_data' in button ? String(button.callback_data) : '');

describe('delete button', () => {
  it('says who asked, also after a restart, in 64 bytes', () => {
    const shown = createDeleteButton('secret').render(to, 'Delete');
    const data = dataOf(shown);
    expect(shown.text).toBe('Delete');
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
    expect(createDeleteButton('secret').read(data, to.chatId)).toEqual({ userId: to.userId, messageId: to.messageId });
  });

  it('takes none that somebody made up, or carried over from another chat', () => {
    const button = createDeleteButton('secret');
    const data = dataOf(button.render(to, 'Delete'));
    expect(button.read(data, -5)).toBeUndefined();
    expect(button.read(data.replace(to.userId, '5'), to.chatId)).toBeUndefined();
    expect(createDeleteButton('another').read(data, to.chatId)).toBeUndefined();
    for (const other of ['', 'delete:', 'delete:1:2:3', 'x'.repeat(64)])
      expect(button.read(other, to.chatId)).toBeUndefined();
  });
});
