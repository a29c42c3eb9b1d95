import { setTimeout as pause } from 'node:timers/promises';
import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import { reply, textBlock } from '../../../bot/contract/reply-parts.ts';
import { backoffMs } from '../../../bot/runtime/retry-gate.ts';
import { deleteMessage } from '../api/bot-api.ts';
import { BotApiError, failureSentence } from '../api/bot-api-error.ts';
import type { ChosenInlineResult } from '../api/updates.ts';
import type { ReplyContext, TelegramContext } from '../outgoing/context.ts';
import { createFileCandidates, type FileCandidates } from '../outgoing/file-candidates.ts';
import type { Sender } from '../outgoing/send.ts';
import { textFields } from '../outgoing/words.ts';
import { captionFields, reductionNote, renderCaption, withNote } from '../render/file-fields.ts';
import { styleOf } from '../render/formatted-text.ts';
import { renderKeyboard } from '../render/keyboard.ts';
import { renderText } from '../render/text-message.ts';
import { inlineFile } from './inline-results.ts';
import type { Asker, InlineLookUp } from './look-up.ts';

/** A placeholder that is to be replaced. */
interface Filling extends TelegramContext, Asker {
  readonly sender: Pick<Sender, 'sendFile'>;
  readonly lookUp: InlineLookUp;
  /** The id of the message with the placeholder. */
  readonly target: string;
  readonly userId: number;
  readonly signal: AbortSignal;
}

/** How many ways to send a file (by file id, by address) are tried for one inline message. */
const MAX_EDITS = 3;

/** How long the edit that tells of a failure may take, since it may be made while Medley stops. */
const LAST_MS = 1_500;

/** Replaces the placeholder that a person has chosen: by the file, or by a sentence that says why there is none. */
export async function fillPlaceholder(
  context: TelegramContext & Pick<Filling, 'sender' | 'lookUp'>,
  { result_id: resultId, inline_message_id: target, from, query }: ChosenInlineResult,
  signal: AbortSignal,
): Promise<void> {
  const { lookUp } = context;
  const index = Number(/^post:(\d{1,3})$/.exec(resultId)?.[1] ?? -1);
  if (target === undefined || index < 0) return;
  const asker = await lookUp.askerOf(from);
  const link = await lookUp.linkIn(query, asker);
  if (link === undefined) return;
  const filling = { ...context, ...asker, target, userId: from.id, signal };
  try {
    await fill(filling, link, index);
  } catch (error) {
    // The chosen result is not stored, so no later attempt would replace the placeholder; a sentence replaces it now.
    const { post, errors } = asker.t.messages;
    const original = { kind: 'link', label: post.openOriginal, url: link } as const;
    const failure = reply({ blocks: [textBlock([errors.internal])], actions: [original] });
    await editText({ ...filling, signal: AbortSignal.timeout(LAST_MS) }, failure);
    throw error;
  }
}

/** @param index the position of the file in the reply to the link */
async function fill(filling: Filling, link: string, index: number): Promise<void> {
  const reply = await filling.lookUp.replyTo(link, filling, filling.signal);
  const item = reply.gallery[index];
  if (item === undefined) return editText(filling, reply);
  const ways = createFileCandidates(item, false, filling);
  const failure = (await ways.isRemembered()) ? undefined : await uploadTo(filling, item);
  if (await editFile(filling, ways, reply)) return;
  const sentence = failure ?? filling.t.messages.errors.too_large;
  await editText(filling, { ...reply, blocks: [...reply.blocks, textBlock([sentence])] });
}

/**
 * Uploads a file so that its Telegram file id can be used: sends it to the person in private, and deletes that message.
 * Resolves with undefined on success, else with a sentence that says why not.
 */
async function uploadTo(filling: Filling, item: GalleryItem): Promise<string | undefined> {
  const { api, sender, log, t, userId, signal } = filling;
  try {
    const to = { chat: userId, isGroup: false, silent: true };
    const context: ReplyContext = { to, t, signal, key: '0', sentKeys: [], sendOnce: (_, call) => call('') };
    const message = await sender.sendFile(item, context);
    if (message !== undefined) await deleteMessage(api, { chat_id: userId, message_id: message }, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof BotApiError)) throw error;
    const isStranger = error.code === 403 || /chat not found/i.test(error.description);
    log[isStranger ? 'debug' : 'warn']({ err: error }, 'a file for an inline message could not be sent');
    return isStranger ? t.messages.telegram.startFirst : failureSentence(error, t);
  }
}

/** Puts a file into an inline message, by file id or by address: uploads are not allowed. False if both are refused. */
async function editFile(filling: Filling, ways: FileCandidates, reply: Reply): Promise<boolean> {
  const { api, limits, target, t, signal } = filling;
  const keyboard = renderKeyboard(linksOf(reply));
  const words = renderCaption(reply.blocks, styleOf(reply, t));
  try {
    for (let edits = 0; edits < MAX_EDITS; edits += 1) {
      const candidate = await ways.candidate(signal);
      const file = inlineFile(candidate);
      if (candidate.kind === 'link' || file === undefined) return false;
      const caption = captionFields(withNote(words, reductionNote([{ candidate }], t)));
      const change = { inline_message_id: target, media: { ...file, ...caption }, reply_markup: keyboard };
      try {
        await repeated(() => api.call('editMessageMedia', change, { signal, timeoutMs: limits.fileMs }), signal);
        return true;
      } catch (error) {
        if (!(error instanceof BotApiError) || error.code !== 400) throw error;
        await ways.refuse(error);
      }
    }
    return false;
  } finally {
    await ways.close();
  }
}

async function editText({ api, target, t, signal }: Filling, reply: Reply): Promise<void> {
  const words = renderText(reply.blocks, linksOf(reply), t);
  const change = { inline_message_id: target, ...textFields(words), reply_markup: words.keyboard };
  await repeated(() => api.call('editMessageText', change, { signal }), signal);
}

/** How often an edit is tried, and the longest pause between two tries. */
const MOST_TRIES = 5;
const LONGEST_PAUSE_MS = 60_000;

/** Makes an edit, and repeats it while Telegram cannot be reached or asks to wait: else the placeholder would stay. */
async function repeated(edit: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await edit();
      return;
    } catch (error) {
      if (!(error instanceof BotApiError)) throw error;
      const { code = 500, description, retryAfterMs } = error;
      // An earlier try may have changed the message although its answer was lost.
      if (tries > 1 && /not modified/i.test(description)) return;
      const waitMs = retryAfterMs ?? backoffMs(tries, Math.random);
      if (tries === MOST_TRIES || (code !== 429 && code < 500) || waitMs > LONGEST_PAUSE_MS) throw error;
      await pause(waitMs, undefined, { signal, ref: false });
    }
  }
}

function linksOf({ actions }: Reply) {
  return actions.filter(({ kind }) => kind === 'link');
}
