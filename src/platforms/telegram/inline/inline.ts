import type { Logger } from '../../../infra/log.ts';
import { BotApiError } from '../api/bot-api-error.ts';
import type { ChosenInlineResult, InlineQuery } from '../api/updates.ts';
import { type AnswerQueryOptions, createAnswerQuery } from './answer-query.ts';
import { type FillPlaceholderOptions, fillPlaceholder } from './fill-placeholder.ts';
import { createInlineLookUp, type InlineLookUpOptions } from './look-up.ts';

type Parts = AnswerQueryOptions & FillPlaceholderOptions & InlineLookUpOptions;
export type InlineModeOptions = Omit<Parts, 'lookUp'> & { readonly log: Pick<Logger, 'info' | 'error'> };

/**
 * Inline mode: `@bot link` in any chat. A file that Telegram has is offered at once. Any other is a placeholder, which
 * becomes the file when the person has chosen it and it is uploaded. An osu! link is described; other words search
 * beatmaps. Neither method ever rejects.
 */
export interface InlineMode {
  answer(query: InlineQuery, signal: AbortSignal): Promise<void>;
  fill(chosen: ChosenInlineResult, signal: AbortSignal): Promise<void>;
}

export function createInlineMode(options: InlineModeOptions): InlineMode {
  const parts = { ...options, lookUp: createInlineLookUp(options) };
  const answerQuery = createAnswerQuery(parts);

  async function logged(work: Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (signal.aborted) return;
      const isLate = error instanceof BotApiError && error.code === 400;
      options.log[isLate ? 'info' : 'error']({ err: error }, 'an inline query was not answered');
    }
  }

  return {
    answer: (query, signal) => logged(answerQuery(query, signal), signal),
    fill: (chosen, signal) => logged(fillPlaceholder(parts, chosen, signal), signal),
  };
}
