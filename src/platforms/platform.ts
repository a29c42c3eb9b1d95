/** One face of the bot. Several run beside each other in one process, over the same dispatcher. */
export interface Platform {
  readonly id: 'web' | 'discord' | 'telegram';
  /** Begins to listen; resolved when people can be answered. */
  start(): Promise<void>;
  /** Takes nothing new, lets running work finish for a short while, then lets go of everything. Safe to call twice. */
  stop(): Promise<void>;
}
