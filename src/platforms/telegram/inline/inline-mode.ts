import { setTimeout as pause } from 'node:timers/promises';
import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import { BotApiError } from '../api/bot-api-error.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { InlineResult } from '../api/methods.ts';
import type { ChosenInlineResult, InlineQuery } from '../api/updates.ts';
import type { TelegramContext } from '../outgoing/context.ts';
import { createFileCandidates } from '../outgoing/file-candidates.ts';
import type { Sender } from '../outgoing/send.ts';
import type { FileCandidate } from '../render/file-fields.ts';
import { fillPlaceholder } from './fill-placeholder.ts';
import { found, placeholder, resultsOf } from './inline-results.ts';
import { type Asker, createInlineLookUp } from './look-up.ts';

export type InlineMode = ReturnType<typeof createInlineMode>;

/**
 * Inline mode: `@bot link` in any chat. A file that Telegram has is offered at once. For any other file a placeholder
 * is offered; when the person has chosen it, the file is uploaded and replaces the placeholder. An osu! link is
 * described; other words search beatmaps. The returned methods, `answer` and `fill`, never reject.
 */
export function createInlineMode(telegram: TelegramContext, sender: Pick<Sender, 'sendFile'>) {
  const lookUp = createInlineLookUp(telegram);
  /** The id of each person's latest query. If it has changed, the person has typed on. */
  const typed = createLru<number, string>({ max: MAX_TYPING });

  /** Answers an inline query with the files of a link, or with beatmaps that match its text. */
  async function answerQuery(query: InlineQuery, signal: AbortSignal): Promise<void> {
    const asker = await lookUp.askerOf(query.from);
    const link = await lookUp.linkIn(query.query, asker);
    if (link !== undefined) return answerLink(query.id, link, asker, signal);
    typed.set(query.from.id, query.id);
    await search(telegram, query, asker, () => typed.get(query.from.id) === query.id, signal);
  }

  async function answerLink(id: string, link: string, asker: Asker, signal: AbortSignal): Promise<void> {
    const { api, limits } = telegram;
    const { t } = asker;
    const answer = (results: readonly InlineResult[]) =>
      api.call('answerInlineQuery', personal(id, results), { signal });
    const coming = lookUp.replyTo(link, asker, signal);
    const late = pause(limits.inlineMs, undefined, { signal, ref: false });
    const reply = await Promise.race([coming, late]);
    if (reply === undefined) await answer([placeholder('post:0', link, undefined, t)]);
    else {
      try {
        await answer(await resultsOf(reply, link, t, item => rememberedFile(telegram, item)));
      } catch (error) {
        const isRefusal = error instanceof BotApiError && error.code === 400;
        if (!isRefusal || /too old|query/i.test(error.description)) throw error;
        await answer(await resultsOf(reply, link, t, async () => undefined));
      }
    }
    await coming;
  }

  async function logged(work: Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (signal.aborted) return;
      const isLate = error instanceof BotApiError && error.code === 400;
      telegram.log[isLate ? 'info' : 'error']({ err: error }, 'an inline query was not answered');
    }
  }

  return {
    answer: (query: InlineQuery, signal: AbortSignal) => logged(answerQuery(query, signal), signal),
    fill: (chosen: ChosenInlineResult, signal: AbortSignal) =>
      logged(fillPlaceholder({ ...telegram, sender, lookUp }, chosen, signal), signal),
  };
}

const MAX_TYPING = 1_000;
/** For how many seconds Telegram caches the results of a search; the catalogue seldom changes. */
const FOUND_CACHED_S = 300;
const NOTHING_CACHED_S = 10;

async function rememberedFile(telegram: TelegramContext, item: GalleryItem): Promise<FileCandidate | undefined> {
  const ways = createFileCandidates(item, false, telegram);
  if (!(await ways.isRemembered())) return undefined;
  const candidate = await ways.candidate(new AbortController().signal);
  return candidate.kind === 'candidate' ? candidate : undefined;
}

/** Searches beatmaps during typing; a query is not answered if the person types on. */
async function search(
  { api, dispatcher, limits }: TelegramContext,
  { id, query, offset }: InlineQuery,
  { caller, t }: Asker,
  isCurrent: () => boolean,
  signal: AbortSignal,
): Promise<void> {
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
  const needsHint = (query === '' || cards.length === 0) && offset === '';
  const button = { text: t.messages.telegram.paste, start_parameter: 'inline' };
  const results = cards.slice(0, MESSAGE_LIMITS.inlineResults).map(card => found(card, t));
  const answer = {
    ...personal(id, results),
    cache_time: cacheSeconds(cards.length, inTime.signal.aborted),
    next_offset: next !== undefined && next.length <= MESSAGE_LIMITS.inlineOffset ? next : '',
    ...(needsHint ? { button } : {}),
  };
  await api.call('answerInlineQuery', answer, { signal });
}

/** For how many seconds Telegram may cache a search's results. An empty list of an unfinished search is not cached. */
function cacheSeconds(count: number, isLate: boolean): number {
  if (count > 0) return FOUND_CACHED_S;
  return isLate ? 0 : NOTHING_CACHED_S;
}

/** An answer that depends on this person's language and settings, so Telegram must not show it to others. */
function personal(id: string, results: readonly InlineResult[]) {
  return { inline_query_id: id, results, cache_time: 0, is_personal: true };
}
