import type { Client } from 'discord.js';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { Logger } from '../../../infra/log.ts';
import type { CommandIdRecord } from '../api/command-ids.ts';
import type { DiscordApi } from '../api/discord-api.ts';
import type { AnswerParts } from '../outgoing/answer-parts.ts';
import type { EmbedSuppression } from '../outgoing/embeds.ts';
import type { ViewHistory } from '../outgoing/view-history.ts';

/** What it takes to understand what is heard. */
export interface ListenContext {
  readonly dispatcher: Pick<Dispatcher, 'read' | 'translator' | 'suggestOption' | 'commandSpecs'>;
  readonly api: Pick<DiscordApi, 'respond' | 'deleteOriginal' | 'deleteMessage'>;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  /** Aborts when nothing is answered any more. */
  readonly signal: AbortSignal;
  /** Undefined while there is no connection. */
  client(): Client<true> | undefined;
  /** Whether messages of servers come with what is written in them. */
  readsMessages(): boolean;
  readonly commandIds: Pick<CommandIdRecord, 'current'>;
  readonly parts: Pick<AnswerParts, 'of'>;
  readonly history: Pick<ViewHistory, 'before'>;
  readonly suppression: Pick<EmbedSuppression, 'onUpdate' | 'restore'>;
}
