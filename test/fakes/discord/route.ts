import type { ReceivedFile } from './records.ts';

export interface Received {
  readonly body: unknown;
  readonly files: readonly ReceivedFile[];
  /** Of the whole request, framing included. */
  readonly requestBytes: number;
}

export interface Call extends Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly authorized: boolean;
}

/** Without `json` there is no body and no content type, as with every 204. */
export interface Answer {
  readonly status: number;
  readonly json?: unknown;
}

export interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Whose token is in the path already. */
  readonly open?: boolean;
  handle(call: Call, first: string, second: string, third: string): Answer;
}

export const ok = (json: unknown): Answer => ({ status: 200, json });
export const done: Answer = { status: 204 };
