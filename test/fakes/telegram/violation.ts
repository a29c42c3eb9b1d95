import type { TelegramRequest } from './call.ts';
import type { Stage } from './stage.ts';

/** Something a correct bot never sends. */
export interface Violation {
  /** For `problems`. */
  readonly what: string;
  /** What the Bot API answers, when it refuses the request for it. */
  readonly refusal?: string;
}

export type Check = (call: TelegramRequest, stage: Stage) => readonly Violation[];
