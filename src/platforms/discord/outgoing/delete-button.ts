/** The button under a reply that deletes it: for the person who asked, and for moderators. Only Medley can make ids of its buttons. */
const PREFIX = 'delete:';

export function deleteButtonId(requesterId: string): string {
  return `${PREFIX}${requesterId}`;
}

/** Whose reply it is; undefined for other buttons. */
export function matchDeleteButton(customId: string): { readonly requesterId: string } | undefined {
  return customId.startsWith(PREFIX) ? { requesterId: customId.slice(PREFIX.length) } : undefined;
}
