import type { TelegramRequest } from './call.ts';

export interface Fault {
  readonly method: string | RegExp;
  /** Only for requests of which this is true. */
  readonly when?: (request: TelegramRequest) => boolean;
  /** The error to answer with; without it the request is only delayed, hung or dropped. */
  readonly errorCode?: number;
  readonly description?: string;
  /** `retry_after` (seconds), `migrate_to_chat_id`. */
  readonly parameters?: Readonly<Record<string, number>>;
  readonly delayMs?: number;
  /** Goes on when this resolves. */
  readonly until?: Promise<void>;
  /** Never answers. */
  readonly hang?: boolean;
  /** Cuts the connection instead of answering. */
  readonly drop?: boolean;
  /** Does what was asked first, then fails. */
  readonly afterSend?: boolean;
  /** How many requests it meets. Default 1. */
  readonly times?: number;
}

export interface Faults {
  add(fault: Fault): void;
  /** The first fault that meets the request, which is then used up by one. */
  take(request: TelegramRequest): Fault | undefined;
}

export function createFaults(): Faults {
  const planned: { readonly fault: Fault; left: number }[] = [];
  return {
    add: fault => {
      planned.push({ fault, left: fault.times ?? 1 });
    },
    take: request => {
      const found = planned.find(({ fault, left }) => left > 0 && meets(fault, request));
      if (found === undefined) return undefined;
      found.left--;
      return found.fault;
    },
  };
}

function meets({ method, when }: Fault, request: TelegramRequest): boolean {
  const named = typeof method === 'string' ? method === request.method : method.test(request.method);
  return named && (when === undefined || when(request));
}
