/** A reply, or a part of one, as JSON in which commands stand as they are written. */
export function spelled(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (Array.isArray(inner) ? joined(inner) : inner));
}

function joined(parts: readonly unknown[]): readonly unknown[] {
  const kept: unknown[] = [];
  let isOpen = false;
  for (const part of parts) {
    const name = commandIn(part);
    const before = kept.at(-1);
    const words = name === undefined ? part : `/${name}`;
    const isJoined = typeof words === 'string' && typeof before === 'string' && (isOpen || name !== undefined);
    if (isJoined) kept[kept.length - 1] = before + words;
    else kept.push(words);
    isOpen = name !== undefined;
  }
  return kept;
}

function commandIn(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null || !('kind' in part) || !('name' in part)) return undefined;
  return part.kind === 'command' ? String(part.name) : undefined;
}
