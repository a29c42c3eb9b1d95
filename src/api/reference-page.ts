export function renderReference(document: object, origin: string): string {
  return origin + JSON.stringify(document);
}
