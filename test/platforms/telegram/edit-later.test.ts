import { describe, expect, it } from 'vitest';
import type { EditReply } from '../../../src/bot/contract/chat-platform.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { CHAT_DEFAULTS } from '../../../src/bot/contract/settings.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import type { TelegramReplyTo } from '../../../src/platforms/telegram/api/reply-to.ts';
import { EDITED } from '../../../src/platforms/telegram/outgoing/press-answers.ts';
import { createEditedReply, type SendReply } from '../../../src/platforms/telegram/outgoing/send-reply.ts';
import type { OwnMessage } from '../../../src/platforms/telegram/outgoing/words.ts';

const words = (text: string) => reply({ blocks: [{ kind: 'text', text: [text] }] });

/** Edits of the message whose button was pressed have a key of their own. */
function placeOf(index: number, { press }: Partial<TelegramReplyTo>): string {
  return press === undefined ? `0${index}` : `0${EDITED}`;
}

/** @param results of the calls that put messages */
async function send(given: Reply, results: readonly unknown[], to: Partial<TelegramReplyTo> = {}) {
  const edited: OwnMessage[] = [];
  const edits: EditReply[] = [];
  const sendReply: SendReply = async (_, { sendOnce }) => {
    for (const [index, result] of results.entries()) await sendOnce(placeOf(index, to), async () => result);
    return true;
  };
  const sendEdited = createEditedReply(sendReply, async (_, message) => {
    edited.push(message);
    return 'done';
  });
  await sendEdited(given, {
    request: {
      ...{ id: 'telegram:1', platform: 'telegram', at: 0, replyTo: null, kind: 'talk', what: null },
      chat: { id: '5', kind: 'private' },
      user: { id: '7', rateKey: '7', locales: [] },
    },
    to: { chat: 5, isGroup: false, ...to },
    t: createTranslator(['en']),
    signal: new AbortController().signal,
    ...{ isFirst: true, isLast: true, expected: 1, sentKeys: [], key: '0', settings: CHAT_DEFAULTS },
    deleteLater: () => undefined,
    sendOnce: async (_key, call) => call('tag'),
    editLater: (_later, edit) => void edits.push(edit),
  });
  for (const edit of edits) await edit(words('all of it'), new AbortController().signal);
  return { edited, edits };
}

const LATER = { ...words('soon'), later: Promise.resolve(words('all of it')) };

describe('what comes late', () => {
  it('is edited into the one message of the reply', async () => {
    expect((await send(LATER, [{ message_id: 12 }])).edited).toEqual([{ chat_id: 5, message_id: 12, kind: 'text' }]);
    const photo = await send(LATER, [{ message_id: 13, photo: [{}] }]);
    expect(photo.edited).toEqual([{ chat_id: 5, message_id: 13, kind: 'photo' }]);
  });

  it('is edited into the message whose button was pressed', async () => {
    const { edited } = await send(LATER, [undefined], { press: { query: 'q', message: 9, stands: 'text' } });
    expect(edited).toEqual([{ chat_id: 5, message_id: 9, kind: 'text' }]);
  });

  it('never takes the place of a message whose button was answered by a remark', async () => {
    const press = { query: 'q', message: 9, stands: 'text' } as const;
    expect((await send(LATER, [], { press })).edits).toEqual([]);
  });

  it('is left out where there is nothing to edit, and where nothing is late', async () => {
    expect((await send(LATER, [{ message_id: 1 }, { message_id: 2 }])).edits).toEqual([]);
    expect((await send(LATER, [undefined])).edits).toEqual([]);
    expect((await send(words('all of it'), [{ message_id: 12 }])).edits).toEqual([]);
  });
});
