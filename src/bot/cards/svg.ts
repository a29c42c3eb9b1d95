/** Complete and safe markup, in which all text and values are escaped. */
export interface Markup {
  readonly markup: string;
}

type Attributes = Readonly<Record<string, string | number>>;

/** An SVG element; strings among its children are text. */
export function element(name: string, attributes: Attributes, children: readonly (Markup | string)[] = []): Markup {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`);
  const inside = children.map(child => (typeof child === 'string' ? escapeText(child) : child.markup));
  return { markup: `<${name}${written.join('')}>${inside.join('')}</${name}>` };
}

/** Writes an attribute. Numbers are rounded to hundredths, which is finer than any screen shows, to save bytes. */
function attribute(value: string | number): string {
  return typeof value === 'number' ? `${Math.round(value * 100) / 100}` : escapeText(value);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** Escapes text; characters that XML cannot contain, and unpaired surrogates, are dropped. */
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r -\uFFFD\u{10000}-\u{10FFFF}]|\p{Surrogate}/gu, '')
    .replace(/[&<>"]/g, character => ENTITIES.get(character) ?? '');
}
