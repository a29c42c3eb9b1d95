import { BotApiError } from '../api/bot-api-error.ts';
import type { ChosenInlineResult, InlineQuery } from '../api/updates.ts';
import type { TelegramContext } from '../outgoing/context.ts';
import type { Sender } from '../outgoing/send.ts';
import { createAnswerQuery } from './answer-query.ts';
import { fillPlaceholder } from './fill-placeholder.ts';
import { createInlineLookUp } from './look-up.ts';

export type InlineMode = ReturnType<typeof createInlineMode>;

/**
 * Inline mode: `@bot link` in any chat. A file that Telegram has is offered at once. Any other is a placeholder, which
 * becomes the file when the person has chosen it and it is uploaded. An osu! link is described; other words search
 * beatmaps. Neither method ever rejects.
 */
export function createInlineMode(telegram: TelegramContext, sender: Pick<Sender, 'sendFile'>) {
  const lookUp = createInlineLookUp(telegram);
  const answerQuery = createAnswerQuery(telegram, lookUp);

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
