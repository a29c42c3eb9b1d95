export interface ActionPayload {
  /** The command to run when the button is pressed. */
  readonly command: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** `${platform}:${userId}` when only that person may press it. */
  readonly owner?: string | undefined;
}

/**
 * Button tokens: at most 64 bytes, valid after a restart. Arguments ride inside when they fit, else under a key in the store for a
 * week. Tokens carry an HMAC; one bound to an owner is refused from anyone else.
 */
export interface ActionTokens {
  encode(payload: ActionPayload): string;
  /** @throws AppError `invalid_request` when forged or expired, `forbidden` when pressed by another than its owner. */
  decode(token: string, presser: string): ActionPayload;
}
