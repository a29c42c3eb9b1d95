import type { TelegramRequest } from './call.ts';
import type { Stage } from './stage.ts';

export interface Violation {
  /** For `problems`. */
  readonly what: string;
  /** What the Bot API answers, when it refuses the request for it. */
  readonly refusal?: string;
}

export type Check = (call: TelegramRequest, stage: Stage) => readonly Violation[];

export interface CheckOptions {
  readonly photoBytes: number;
  readonly specsDir: string | undefined;
}

export async function loadCheck(_options: CheckOptions): Promise<Check> {
  return () => [];
}
