import type { Client } from 'discord.js';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Delivery } from '../../../media/delivery/delivery.ts';
import type { CommandIdRecord } from '../api/command-ids.ts';
import type { DiscordApi } from '../api/discord-api.ts';
import type { AnswerParts } from './answer-parts.ts';
import type { EmbedSuppression } from './embeds.ts';
import type { ViewHistory } from './view-history.ts';

/** The parts of the platform that events are understood with and replies are sent with. */
export interface DiscordContext {
  readonly api: DiscordApi;
  readonly dispatcher: Pick<Dispatcher, 'read' | 'translator' | 'suggestOption' | 'commandSpecs'>;
  readonly delivery: Pick<Delivery, 'deliver'>;
  readonly commandIds: Pick<CommandIdRecord, 'current'>;
  readonly parts: AnswerParts;
  readonly history: ViewHistory;
  readonly embeds: EmbedSuppression;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  /** Aborts when nothing is answered any more. */
  readonly signal: AbortSignal;
  /** The client is undefined while there is no connection. */
  client(): Client<true> | undefined;
  applicationId(): string;
  /** Says whether messages of servers come with the text that is written in them. */
  readsMessages(): boolean;
}
