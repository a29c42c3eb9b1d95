import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { Caller } from '../../../bot/contract/caller.ts';
import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import { callerOf } from '../../../bot/contract/request.ts';
import { errorNotice } from '../../../bot/views/notice.ts';
import { AppError, toAppError } from '../../../errors.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import type { Logger } from '../../../infra/log.ts';
import { itemCount } from '../../../media/post.ts';
import type { BotApi } from '../api/bot-api.ts';
import { BotApiError } from '../api/bot-api-error.ts';
import { privateSpeaker } from '../api/envelope.ts';
import { MESSAGE_LIMITS, type TelegramLimits } from '../api/limits.ts';
import type { InlineResult } from '../api/methods.ts';
import { failureSentence } from '../api/refusals.ts';
import type { ChosenInlineResult, InlineQuery, User } from '../api/updates.ts';
import { deleteMessage } from '../outgoing/delete-message.ts';
import type { FileCandidates } from '../outgoing/file-candidates.ts';
import type { Sender } from '../outgoing/send.ts';
import type { Occasion } from '../outgoing/sending.ts';
import { captioned, type FileCandidate, markup } from '../render/file-fields.ts';
import { renderKeyboard } from '../render/keyboard.ts';
import { reductionNote, withNote } from '../render/reduction-note.ts';
import { renderCaption, renderText } from '../render/render.ts';
import { cached, described, found, inlineFile, placeholder, remark, titleOf } from './inline-results.ts';

export interface InlineOptions {
  readonly api: BotApi;
  readonly dispatcher: Pick<Dispatcher, 'answer' | 'linksOf' | 'browse'>;
  readonly sender: Sender;
  readonly candidatesFor: (item: GalleryItem) => FileCandidates;
  readonly translator: Dispatcher['translator'];
  readonly limits: TelegramLimits;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
}

/**
 * `@bot link` in any chat. A file Telegram holds is offered at once; else a placeholder, which becomes the file when it was chosen
 * and brought. What a link of osu! leads to is described in words. Words find beatmaps as they are typed. Neither method ever rejects.
 */
export interface Inline {
  answer(query: InlineQuery, signal: AbortSignal): Promise<void>;
  bring(chosen: ChosenInlineResult, signal: AbortSignal): Promise<void>;
}

/** A post that was asked for is remembered so long, since choosing it asks again. */
const KEPT_MS = 5 * 60_000;
const MAX_KEPT = 1_000;
/** What is found by words stays so long with Telegram, in seconds: the catalogue changes little, but it may grow. */
const FOUND_CACHED_S = 300;
const NOTHING_CACHED_S = 10;
/** Ways to change an inline message until it is given up. */
const MAX_EDITS = 3;

export function createInline(options: InlineOptions): Inline {
  const { api, dispatcher, sender, candidatesFor, translator, limits, log, now } = options;
  const kept = createLru<string, Promise<Reply>>({ max: MAX_KEPT, ttl: KEPT_MS, perf: { now } });
  /** The last query of a person. */
  const typed = createLru<number, string>({ max: MAX_KEPT });

  async function linkIn(query: string, caller: Caller): Promise<string | undefined> {
    const [link] = await dispatcher.linksOf({ caller, text: query, direct: true });
    return link?.url;
  }

  /** What the dispatcher says to the link; the same person's next question for it gets the same. */
  function lookUp(link: string, caller: Caller, t: Translator, signal: AbortSignal): Promise<Reply> {
    const key = `${caller.userId} ${t.locale} ${link}`;
    const known = kept.get(key);
    if (known) return known;
    const asked = ask(link, caller, t, signal);
    kept.set(key, asked);
    const forget = () => void (kept.peek(key) === asked && kept.delete(key));
    asked.then(reply => {
      if (reply.gallery.length === 0) forget();
    }, forget);
    return asked;
  }

  async function ask(link: string, caller: Caller, t: Translator, signal: AbortSignal): Promise<Reply> {
    // A placeholder must never stay one.
    const orNotice = (error: unknown) => errorNotice(toAppError(error), t, { visibility: 'caller' });
    const nothing = new AppError('internal', 'nothing was said to a link');
    try {
      const { replies, remaining } = await dispatcher.answer(
        { kind: 'links', what: [{ url: link, spoiler: false }] },
        { caller, signal, progress: () => undefined, from: 0, paid: 0 },
      );
      return (await replies[0]?.reply) ?? orNotice(remaining?.refusal ?? nothing);
    } catch (error) {
      return orNotice(error);
    }
  }

  /** What is found by words, as they are typed. Those that were typed on are left without an answer. */
  async function browse(asked: InlineQuery, signal: AbortSignal): Promise<void> {
    const { id, from, query, offset } = asked;
    const caller = privateCaller(from);
    const t = await translator(caller);
    typed.set(from.id, id);
    const isCurrent = () => typed.get(from.id) === id;
    const inTime = joinSignals([signal], limits.inlineSearchMs);
    const { cards, next } = await dispatcher
      .browse({
        caller,
        signal: inTime.signal,
        text: query.trim(),
        next: offset === '' ? undefined : offset,
        async mayAsk() {
          await pause(limits.typingMs, undefined, { signal, ref: false });
          return isCurrent();
        },
      })
      .finally(inTime.release);
    if (cards.length === 0 && !isCurrent()) return;
    const isWithoutWay = (query === '' || cards.length === 0) && offset === '';
    const button = { text: t.messages.telegram.paste, start_parameter: 'inline' };
    const results = cards.slice(0, MESSAGE_LIMITS.inlineResults).map(card => found(card, t));
    await api.call(
      'answerInlineQuery',
      {
        ...personal(id, results),
        cache_time: cacheSeconds(cards.length, inTime.signal.aborted),
        next_offset: next !== undefined && next.length <= MESSAGE_LIMITS.inlineOffset ? next : '',
        ...(isWithoutWay ? { button } : {}),
      },
      { signal },
    );
  }

  async function answer(asked: InlineQuery, signal: AbortSignal): Promise<void> {
    const { id, from, query } = asked;
    const caller = privateCaller(from);
    const t = await translator(caller);
    const link = await linkIn(query, caller);
    if (link === undefined) return browse(asked, signal);
    const brought = lookUp(link, caller, t, signal);
    const late = pause(limits.inlineMs, undefined, { signal, ref: false });
    const reply = await Promise.race([brought, late]);
    const results = reply ? await resultsOf(reply, link, t, true) : [placeholder('post:0', link, undefined, t)];
    try {
      await api.call('answerInlineQuery', personal(id, results), { signal });
    } catch (error) {
      const isRefusedFile =
        error instanceof BotApiError && error.code === 400 && !/too old|query/i.test(error.description);
      if (!reply || !isRefusedFile) throw error;
      await api.call('answerInlineQuery', personal(id, await resultsOf(reply, link, t, false)), { signal });
    }
    await brought;
  }

  /** One for every file; what Telegram holds can be sent at once. */
  async function resultsOf(
    reply: Reply,
    link: string,
    t: Translator,
    useHeld: boolean,
  ): Promise<readonly InlineResult[]> {
    const hasFailed = reply.tone === 'notice' || reply.tone === 'error';
    if (reply.gallery.length === 0) return [hasFailed ? remark(reply, link, t) : described(reply, t)];
    const items = reply.gallery.slice(0, MESSAGE_LIMITS.inlineResults);
    const results: InlineResult[] = [];
    for (const [index, item] of items.entries()) {
      const file = useHeld ? await heldFile(item) : undefined;
      const place = item.post.items[item.index]?.position ?? index;
      const title = titleOf(reply, items.length > 1 ? itemCount(item.post) : 1, place, t);
      results.push(
        (file && cached(`file:${index}`, file, title, reply, t)) ??
          placeholder(
            `post:${index}`,
            link,
            { title, thumbnail: item.post.items[item.index]?.thumbnailUrl ?? null },
            t,
          ),
      );
    }
    return results;
  }

  async function heldFile(item: GalleryItem): Promise<FileCandidate | undefined> {
    const ways = candidatesFor(item);
    if (!(await ways.isHeld())) return undefined;
    const candidate = await ways.candidate(new AbortController().signal);
    return candidate.kind === 'candidate' ? candidate : undefined;
  }

  async function bring(chosen: ChosenInlineResult, signal: AbortSignal): Promise<void> {
    const { result_id: resultId, inline_message_id: target, from, query } = chosen;
    const index = Number(/^post:(\d{1,3})$/.exec(resultId)?.[1] ?? -1);
    if (target === undefined || index < 0) return;
    const caller = privateCaller(from);
    const t = await translator(caller);
    const link = await linkIn(query, caller);
    if (link === undefined) return;
    const reply = await lookUp(link, caller, t, signal);
    const item = reply.gallery[index];
    if (item === undefined) return say(reply, target, t, signal);
    const ways = candidatesFor(item);
    const failure = (await ways.isHeld()) ? undefined : await upload(item, from.id, t, signal);
    if (await edit(ways, reply, target, t, signal)) return;
    const sentence = failure ?? t.messages.errors.too_large;
    await say({ ...reply, blocks: [...reply.blocks, { kind: 'text', text: [sentence] }] }, target, t, signal);
  }

  /** Sends the file to the person themselves and takes it away again: Telegram holds it then. Otherwise says why it does not. */
  async function upload(
    item: GalleryItem,
    userId: number,
    t: Translator,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      const place = { chat: userId, isGroup: false, silent: true };
      const occasion: Occasion = { t, signal, key: '0', sentKeys: [], sendOnce: (_, call) => call('') };
      const message = await sender.sendFile(item, place, occasion);
      if (message !== undefined) await deleteMessage(api, { chat_id: userId, message_id: message }, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof BotApiError)) throw error;
      const isStranger = error.code === 403 || /chat not found/i.test(error.description);
      log[isStranger ? 'debug' : 'warn']({ err: error }, 'a file for an inline message could not be sent');
      return isStranger ? t.messages.telegram.startFirst : failureSentence(error, t);
    }
  }

  /** Nothing can be uploaded into an inline message: it takes what Telegram holds, or an address. */
  async function edit(
    ways: FileCandidates,
    reply: Reply,
    target: string,
    t: Translator,
    signal: AbortSignal,
  ): Promise<boolean> {
    const keyboard = markup(renderKeyboard(reply.actions.filter(({ kind }) => kind === 'link')));
    try {
      for (let made = 0; made < MAX_EDITS; made += 1) {
        const candidate = await ways.candidate(signal);
        const file = inlineFile(candidate);
        if (candidate.kind === 'link' || file === undefined) return false;
        const caption = captioned(withNote(renderCaption(reply, t), reductionNote([{ candidate }], t)));
        const change = { inline_message_id: target, media: { ...file, ...caption }, ...keyboard };
        try {
          return await api.call('editMessageMedia', change, { signal, timeoutMs: limits.fileMs });
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

  async function say(reply: Reply, target: string, t: Translator, signal: AbortSignal): Promise<void> {
    const links = reply.actions.filter(({ kind }) => kind === 'link');
    const { content, preview, keyboard } = renderText(reply.blocks, links, t);
    const said = { text: content.text, entities: content.entities, link_preview_options: preview };
    await api.call('editMessageText', { inline_message_id: target, ...said, ...markup(keyboard) }, { signal });
  }

  async function calmly(work: Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (signal.aborted) return;
      const isLate = error instanceof BotApiError && error.code === 400;
      log[isLate ? 'info' : 'error']({ err: error }, 'an inline query was not answered');
    }
  }

  return {
    answer: (query, signal) => calmly(answer(query, signal), signal),
    bring: (chosen, signal) => calmly(bring(chosen, signal), signal),
  };
}

/** What an upstream was too slow to tell is asked again. */
function cacheSeconds(found: number, isLate: boolean): number {
  if (found > 0) return FOUND_CACHED_S;
  return isLate ? 0 : NOTHING_CACHED_S;
}

function privateCaller(user: User): Caller {
  return callerOf({ platform: 'telegram', ...privateSpeaker(user) });
}

/** What a person is offered is their own: their language, their settings. */
function personal(id: string, results: readonly InlineResult[]) {
  return { inline_query_id: id, results, cache_time: 0, is_personal: true };
}
