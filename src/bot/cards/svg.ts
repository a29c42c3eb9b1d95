/** Markup that is whole and safe: what was put into it has been escaped on the way. */
export interface Markup {
  readonly markup: string;
}

type Attributes = Readonly<Record<string, string | number>>;

/** An element; strings among its children are text. */
export function element(name: string, attributes: Attributes, children: readonly (Markup | string)[] = []): Markup {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`);
  const inside = children.map(child => (typeof child === 'string' ? escapeText(child) : child.markup));
  return { markup: `<${name}${written.join('')}>${inside.join('')}</${name}>` };
}

/** A whole number of hundredths is finer than any screen shows, and keeps the markup small. */
function attribute(value: string | number): string {
  return typeof value === 'number' ? `${Math.round(value * 100) / 100}` : escapeText(value);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** Characters that XML cannot hold, and halves of characters, are dropped. */
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r -\uFFFD\u{10000}-\u{10FFFF}]|\p{Surrogate}/gu, '')
    .replace(/[&<>"]/g, character => ENTITIES.get(character) ?? '');
}
