import type { Translator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import type { ChatPlatform } from '../contract/chat-platform.ts';
import type { ProgressStage } from '../contract/request.ts';
import type { Deletions } from './deletions.ts';

export type WorkStatus = ReturnType<typeof createWorkStatus>;

export interface WorkStatusOptions {
  readonly platform: Pick<ChatPlatform, 'id' | 'showStatus' | 'deleteMessage'>;
  readonly to: unknown;
  readonly chatId: string;
  readonly t: Translator;
  /** Plans to delete the status message, so that it is deleted even if this process ends before the answer comes. */
  readonly deletions: Pick<Deletions, 'deleteLater' | 'keep'>;
  readonly signal: AbortSignal;
  /** How long to wait for the answer before a status is shown, in milliseconds. */
  readonly firstMs: number;
  readonly log: Pick<Logger, 'debug'>;
}

/** The time between two edits of the status. */
const EVERY_MS = 15_000;
/** When to delete a status message if its process has died: after longer than any attempt takes. */
const LEFTOVER_MS = 20 * 60_000;

/** Shows a sentence about what is being done for a request whose answer takes long. */
export function createWorkStatus(options: WorkStatusOptions) {
  const { platform, to, chatId, t, deletions, signal, firstMs, log } = options;
  let [text, shown] = [t.messages.progress.resolving, ''];
  let messageId: string | undefined;
  let underway: Promise<void> = Promise.resolve();
  let isOver = false;
  let timer = setTimeout(show, firstMs).unref();

  function show(): void {
    if (isOver || signal.aborted) return;
    if (text !== shown) underway = send(text);
    timer = setTimeout(show, EVERY_MS).unref();
  }

  /** Sends the status or edits it. Never rejects, since the answer does not depend on it. */
  async function send(sentence: string): Promise<void> {
    shown = sentence;
    try {
      const sent = await platform.showStatus?.(to, sentence, messageId, signal);
      if (sent !== undefined && messageId === undefined)
        deletions.deleteLater(platform.id, chatId, [sent], LEFTOVER_MS);
      messageId ??= sent;
    } catch (error) {
      log.debug({ err: error }, 'it could not be shown what is being done');
      stop();
    }
  }

  function stop(): void {
    isOver = true;
    clearTimeout(timer);
  }

  async function remove(): Promise<void> {
    await underway;
    const id = messageId;
    messageId = undefined;
    if (id === undefined) return;
    await platform.deleteMessage?.(chatId, id);
    await deletions.keep(platform.id, chatId, id);
  }

  return {
    stage(stage: ProgressStage): void {
      text = t.messages.progress[stage];
    },
    /** To be called while a video is being encoded, with the time that is left. */
    encoding(leftMs: number): void {
      text = t.messages.progress.encoding({ left: t.duration(leftMs) });
    },
    /** Shows nothing any more. Resolves when no call is running, so that none arrives after the answer. */
    settle(): Promise<void> {
      stop();
      return underway;
    },
    /** Shows nothing any more, and deletes the status if it is a message of its own. */
    end(): void {
      stop();
      remove().catch((error: unknown) => log.debug({ err: error }, 'a word on what is being done was left over'));
    },
  };
}
