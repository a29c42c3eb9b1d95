import type { Content, DiscordApi, PostedMessage } from '../api/discord-api.ts';
import { SendFailure, UNKNOWN_MESSAGE } from '../api/send-failure.ts';

/**
 * Posts into a channel, in reply to a message where it is still there and its history may be read, else without a reference: the nonce
 * is the same. @throws SendFailure
 */
export async function postReply(
  api: Pick<DiscordApi, 'post'>,
  channelId: string,
  content: Content,
  options: Parameters<DiscordApi['post']>[2],
  signal: AbortSignal,
): Promise<PostedMessage> {
  try {
    return await api.post(channelId, content, options, signal);
  } catch (error) {
    if (options.replyTo === undefined || !isAboutReference(error)) throw error;
    return api.post(channelId, content, { ...options, replyTo: undefined }, signal);
  }
}

function isAboutReference(error: unknown): boolean {
  return error instanceof SendFailure && (error.problem === 'reference' || error.code === UNKNOWN_MESSAGE);
}
