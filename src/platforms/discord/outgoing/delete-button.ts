/** What the button under a reply deletes: for the person who asked, and for moderators. Only Medley can make ids of its buttons. */
export interface DeleteButton {
  readonly requesterId: string;
  /** The answer that the reply is a part of: the id of the message or interaction that asked. */
  readonly answerId?: string;
  /** Whether the embed of the message that asked is hidden in favour of the answer, and comes back with its end. */
  readonly hidesEmbed?: boolean;
}

const SHAPE = /^delete:(\d{0,20})(?::(\d{1,20})(:embed)?)?$/;

/** At most 56 of the 100 characters that an id may have. */
export function deleteButtonId({ requesterId, answerId, hidesEmbed = false }: DeleteButton): string {
  const answer =
    answerId !== undefined && /^\d{1,20}$/.test(answerId) ? `:${answerId}${hidesEmbed ? ':embed' : ''}` : '';
  return `delete:${requesterId}${answer}`;
}

/** Undefined for other buttons. */
export function matchDeleteButton(customId: string): DeleteButton | undefined {
  const [, requesterId, answerId, mark] = SHAPE.exec(customId) ?? [];
  if (requesterId === undefined) return undefined;
  return { requesterId, ...(answerId !== undefined && { answerId, hidesEmbed: mark !== undefined }) };
}

/** The one among the components of a message. */
export function findDeleteButton(components: unknown): string | undefined {
  return /"(delete:\d{0,20}(?::\d{1,20}(?::embed)?)?)"/.exec(JSON.stringify(components))?.[1];
}
