import type { MessageBody } from './message-body.ts';
import type { Complain, ReceivedFile, Refusal } from './records.ts';

export interface MessageUnderCheck {
  readonly body: MessageBody;
  readonly uploads: readonly ReceivedFile[];
  readonly held: readonly { readonly id: string; readonly name: string }[];
  readonly standing: { readonly body: Readonly<Record<string, unknown>>; readonly flags: number } | undefined;
}

export function checkMessage(_message: MessageUnderCheck, _complain: Complain): Refusal | undefined {
  return undefined;
}
