import { chatKey } from '../../../bot/contract/caller.ts';
import type { SettingsStore } from '../../../bot/contract/settings.ts';
import type { Logger } from '../../../infra/log.ts';

/** Keeps what is stored of a chat with the chat. A failure to do so is logged and keeps nothing from being answered. */
export interface ChatRecords {
  /** A group has become a supergroup. */
  moved(from: number, to: number): Promise<void>;
  /** Medley was removed. */
  left(chat: number): Promise<void>;
  /** Medley is there, perhaps again. */
  joined(chat: number): Promise<void>;
}

export interface ChatRecordsOptions {
  readonly settings: Pick<SettingsStore, 'moveChat' | 'markChatLeft'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

export function createChatRecords({ settings, log, now }: ChatRecordsOptions): ChatRecords {
  const logged = (write: Promise<void>) =>
    write.catch((error: unknown) => log.warn({ err: error }, 'the settings of a chat could not be kept'));

  return {
    moved: (from, to) => logged(settings.moveChat(keyOf(from), keyOf(to))),
    left: chat => logged(settings.markChatLeft(keyOf(chat), now())),
    joined: chat => logged(settings.markChatLeft(keyOf(chat), null)),
  };
}

function keyOf(chat: number): string {
  return chatKey({ platform: 'telegram', chatId: `${chat}` });
}
