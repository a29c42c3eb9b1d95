/** One face of the bot. Several run beside each other in one process, over the same dispatcher. */
export interface Platform {
  readonly id: 'web' | 'discord' | 'telegram';
  /** Begins to listen; resolved when people can be answered. */
  start(): Promise<void>;
  /** Takes nothing new, lets running work finish for a short while, then lets go of everything. Safe to call twice. */
  stop(): Promise<void>;
}

/** Something `npm run doctor` has found. `wrong` keeps Medley from its work, `note` only from some of it. */
export interface Finding {
  readonly state: 'ok' | 'note' | 'wrong';
  /** One line of plain text without secrets. */
  readonly what: string;
  /** What to do, when there is something. */
  readonly remedy?: string;
}
