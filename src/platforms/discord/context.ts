import type { Client } from 'discord.js';
import type { Dispatcher } from '../../bot/dispatch/dispatcher.ts';
import type { Jobs } from '../../bot/runtime/jobs.ts';
import type { SettingsStore } from '../../bot/settings/settings.ts';
import type { Logger } from '../../infra/log.ts';
import type { Delivery } from '../../media/delivery/delivery.ts';
import type { Sender } from './outgoing/send.ts';
import type { EmbedSuppression } from './outgoing/suppress.ts';

/** What everything that answers needs. */
export interface DiscordContext {
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'linksOf' | 'translator' | 'suggestOption'>;
  readonly delivery: Pick<Delivery, 'deliver'>;
  readonly settings: Pick<SettingsStore, 'chat'>;
  readonly jobs: Jobs;
  readonly sender: Sender;
  readonly suppression: EmbedSuppression;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  /** Ends what runs when Medley stops. */
  readonly signal: AbortSignal;
  /** Undefined while there is no connection. */
  client(): Client | undefined;
  /** Whether messages of servers come with what is written in them. */
  readsMessages(): boolean;
}
