type Attribute = string | number | boolean | null | undefined;
type Child = Node | string | null | undefined | false;

/**
 * Creates an element. `true` sets an empty attribute; false, null and undefined set none. A `--name` sets a custom
 * property of the element's style, since the page's policy allows no style attributes.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('--')) element.style.setProperty(name, String(value));
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** A button that acts on the page and never submits a form. */
export function button(
  attributes: Readonly<Record<string, Attribute>>,
  onClick: (event: MouseEvent) => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const element = h('button', { type: 'button', ...attributes }, ...children);
  element.addEventListener('click', onClick);
  return element;
}

/** The element of the static page with this id. @throws Error when the page has none of this type */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no #${id}`);
  return element;
}

/**
 * True on a device with a touch screen, such as a phone. Such a device has little space, and usually a share sheet, the
 * system's own menu for passing a link or file on to another app.
 */
export function isTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}

export function isMotionReduced(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** A random UUID that also works when the page is not a secure context (a phone on the local network). */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Stores a value. Storage may be full or forbidden: then the page works, but forgets the value. */
export function remember(storage: 'localStorage' | 'sessionStorage', key: string, value: string): boolean {
  try {
    window[storage].setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

export function forget(storage: 'localStorage' | 'sessionStorage', key: string): void {
  try {
    window[storage].removeItem(key);
  } catch {
    // If storage is forbidden, nothing was stored in it that could be deleted.
  }
}

/** A stored value of JSON; null when there is none that can be read. */
export function recallJson(storage: 'localStorage' | 'sessionStorage', key: string): unknown {
  try {
    return JSON.parse(recall(storage, key) ?? 'null');
  } catch {
    return null;
  }
}

export function recall(storage: 'localStorage' | 'sessionStorage', key: string): string | null {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}
