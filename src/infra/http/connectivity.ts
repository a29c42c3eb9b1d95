import { AppError } from '../../errors.ts';

/** No name was found, or there is no way to where it leads. */
const UNREACHED: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH']);

/** While one host has answered within this time, that another is not found is that host's trouble alone. */
const RECENT_MS = 60_000;

/** Distinguishes a host that cannot be reached from a server that reaches none. */
export interface Connectivity {
  /** A host has answered, whatever it said. */
  answered(): void;
  /** The failure, with `params.what: 'offline'` when this server most likely has no connection at all. */
  judge(failure: AppError): AppError;
}

export function createConnectivity(now: () => number): Connectivity {
  let answeredAt = Number.NEGATIVE_INFINITY;
  return {
    answered() {
      answeredAt = now();
    },
    judge(failure) {
      const { code, cause, message } = failure;
      const isUnreached = cause instanceof Error && 'code' in cause && UNREACHED.has(cause.code);
      if (!isUnreached || now() - answeredAt < RECENT_MS) return failure;
      return new AppError(code, message, { params: { ...failure.params, what: 'offline' }, cause });
    },
  };
}
