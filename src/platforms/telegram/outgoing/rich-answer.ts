import { RichPart, type SentMessage, type SentRich } from '../api/methods.ts';

/** What Telegram made of the files of a rich message, in order, each as if it had been sent alone. */
export function filesIn({ message_id, rich_message: message }: SentRich): readonly SentMessage[] {
  return filesAmong(message?.blocks ?? []).map(file => ({ message_id, ...file }));
}

function filesAmong(blocks: readonly unknown[]): readonly Omit<SentMessage, 'message_id'>[] {
  return blocks.flatMap(block => {
    const part = RichPart.safeParse(block);
    if (!part.success) return [];
    const { blocks: inner, ...file } = part.data;
    return Object.values(file).some(each => each !== undefined) ? [file] : filesAmong(inner);
  });
}
