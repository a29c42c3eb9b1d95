/** A file as it came over the wire; its bytes are counted and hashed, never kept. */
export interface ReceivedFile {
  /** The form's field, `files[0]`. */
  readonly field: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ReceivedRequest {
  readonly method: string;
  /** Without `/api/vN` and query, decoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** `payload_json` of a form, else the JSON body; undefined when there was none. */
  readonly body: unknown;
  readonly files: readonly ReceivedFile[];
  /** By the fake's clock, unix milliseconds. */
  readonly at: number;
  /** Whether the bot's token came with it. */
  readonly authorized: boolean;
  /** What was answered; undefined while nothing was (a hang, a cut connection). */
  readonly status: number | undefined;
}

/** A message as it stands in the chat now, whoever wrote it. */
export interface ChatMessage {
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | undefined;
  readonly authorId: string;
  /** Written by the bot itself: posted, or by way of an interaction. */
  readonly own: boolean;
  /** What was posted, with every later edit laid over it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The files it holds now. */
  readonly files: readonly ReceivedFile[];
  readonly deleted: boolean;
  readonly nonce?: string;
  /** The bodies of its edits, in order. */
  readonly edits: readonly unknown[];
  readonly flags: number;
}

/** What Discord would refuse, as it refuses it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const invalidForm = (detail: string) => new Refusal(400, 50035, `Invalid Form Body: ${detail}`);

/** Where the fake writes down what a well-behaved bot would not have done. */
export type Complain = (problem: string) => void;
