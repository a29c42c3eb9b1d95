/** Accepted work that has not been delivered yet, durable: a process killed in the middle finishes it after its restart. */
export interface Job {
  readonly id: string;
  readonly platform: 'discord' | 'telegram';
  readonly userId: string;
  readonly chatId: string;
  /** Canonical links; never a message's text. */
  readonly links: readonly string[];
  /** What the platform needs to answer, as its own JSON: message id, topic, interaction token and its end. */
  readonly target: string;
  /** `sending`: it may have reached the chat; only a platform that recognises a repeat may try again. */
  readonly state: 'accepted' | 'sending';
  readonly acceptedAt: number;
}

export interface Jobs {
  /** False when a job with this id is known already, done or not: gateway replays and repeated updates end here. */
  accept(job: Omit<Job, 'state' | 'acceptedAt'>): boolean;
  sending(id: string): void;
  /** Delivered, given up or told about: kept as a bare id for a day so that a replay is recognised. */
  done(id: string): void;
  pending(platform: Job['platform']): readonly Job[];
  forgetUser(platform: Job['platform'], userId: string): void;
}
