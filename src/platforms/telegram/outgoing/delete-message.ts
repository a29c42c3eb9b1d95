import type { BotApi } from '../api/bot-api.ts';
import { BotApiError } from '../api/bot-api-error.ts';

export interface MessageAddress {
  readonly chat_id: number;
  readonly message_id: number;
}

/** Does nothing where it is deleted already. @throws BotApiError */
export async function deleteMessage(
  api: Pick<BotApi, 'call'>,
  { chat_id, message_id }: MessageAddress,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await api.call('deleteMessage', { chat_id, message_id }, { ...(signal && { signal }) });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof BotApiError && error.code === 400 && GONE.test(error.description);
}

const GONE = /message to delete not found|message_id_invalid/i;
