import { isGameAddress, isWebAddress } from '../base/address.ts';
import { h } from '../base/dom.ts';
import type { WebInline, WebText } from '../base/protocol.ts';
import { formats } from '../base/texts.ts';

/** Called when the reader opens a link with a token; it does the same as a button with that token. */
export type OnAction = (token: string, label: string, pressed: HTMLElement) => void;

/**
 * A text as nodes; nothing in it is ever read as markup. Links with a token call `onAction`.
 * @param mayLine true if values between ` · ` may be kept unbroken; false inside a link, whose underline would be
 * interrupted
 */
export function inlines(text: WebText, onAction?: OnAction, mayLine = true): Node[] {
  const content = joined(text);
  const isLine = mayLine && content.some(inline => typeof inline === 'string' && inline.includes(SEPARATOR));
  return content.flatMap((inline, index) => {
    const own = wordBeside(inline, content[index + 1]);
    if (typeof inline === 'object' && inline.kind === 'swatch' && own !== '') {
      return own.endsWith('★')
        ? [pill(own.trim(), inline.colour)]
        : [h('span', { class: 'swatched' }, swatch(inline.colour), own)];
    }
    const taken = wordBeside(content[index - 1], inline);
    if (typeof inline !== 'string') return [inlineOf(inline, onAction, mayLine)];
    let rest = inline.slice(taken.length);
    // Beside a pill (a coloured label) the separator becomes a space, since the pill is set apart by its shape.
    if (taken.endsWith('★')) rest = rest.replace(/^ · /, ' ');
    if (wordBeside(content[index + 1], content[index + 2]).endsWith('★')) rest = rest.replace(/ · $/, ' ');
    if (!mayLine) return [document.createTextNode(rest)];
    return isLine ? values(rest) : commands(rest);
  });
}

/** The text with adjacent strings joined. */
function joined(text: WebText): WebText {
  const parts: WebInline[] = [];
  for (const inline of text) {
    const last = parts.at(-1);
    if (typeof inline === 'string' && typeof last === 'string') parts[parts.length - 1] = last + inline;
    else parts.push(inline);
  }
  return parts;
}

/** The beginning of `after` that gets the colour of a swatch `before` it: up to the stars, or else the first word. */
function wordBeside(before: WebInline | undefined, after: WebInline | undefined): string {
  if (typeof before !== 'object' || before.kind !== 'swatch' || typeof after !== 'string') return '';
  return /^ (?:[^\n·–★]{0,24}★|\S+)/.exec(after)?.[0] ?? '';
}

/** The words of a text, without colours. */
export function wordsOf(content: WebText): string {
  return content
    .map(inline => {
      if (typeof inline === 'string') return inline;
      return 'children' in inline ? wordsOf(inline.children) : (inlineOf(inline, undefined, false).textContent ?? '');
    })
    .join('');
}

export const SEPARATOR = ' · ';
/** The most characters of a value that is kept on one line; a longer value may be broken like any sentence. */
const LONGEST_VALUE = 28;

/** The nodes of a text with values between ` · `, which is only broken between values. */
function values(text: string): Node[] {
  const isList = text.includes(SEPARATOR);
  return text.split(/( · |^ | $)/).flatMap(part => {
    if (part === SEPARATOR) return separator();
    const isValue = isList ? part.trim() !== '' : /\S[ \u2e80-\uffff]/.test(part);
    const isShort = part.length <= LONGEST_VALUE && !part.includes('\n');
    return isValue && isShort ? h('span', { class: 'whole' }, part) : commands(part);
  });
}

/** The nodes of a text in which the name of a command, such as `/osu link`, is not broken. */
function commands(text: string): Node[] {
  return text
    .split(/((?<![\w/:.])\/[a-z]+ [a-z]+[,.]?)/)
    .map((part, at) => (at % 2 === 0 ? document.createTextNode(part) : h('span', { class: 'whole' }, part)));
}

/**
 * A space that shows a dot as its background. Browsers give a space at the end of a line no width, so no line ends with
 * a dot. The hidden dot is for screen readers and the clipboard.
 */
function separator(): HTMLElement {
  return h('span', { class: 'separator' }, ' ', h('span', { class: 'unseen' }, '· '));
}

function inlineOf(inline: Exclude<WebInline, string>, onAction: OnAction | undefined, mayLine: boolean): Node {
  switch (inline.kind) {
    case 'strong':
      return h('strong', {}, ...inlines(inline.children, onAction, mayLine));
    case 'emphasis':
      return h('em', {}, ...inlines(inline.children, onAction, mayLine));
    case 'code': {
      const code = h('code', {}, ...inlines(inline.children, onAction, mayLine));
      const [text] = inline.children;
      return typeof text === 'string' && isGameAddress(text) ? h('a', { href: text }, code) : code;
    }
    case 'link':
      return link(inline, onAction);
    case 'time':
      return moment(inline.at, inline.style);
    case 'swatch':
      return swatch(inline.colour);
  }
}

function link(
  { url, children, token }: Extract<WebInline, { kind: 'link' }>,
  onAction: OnAction | undefined,
): HTMLElement {
  if (!isWebAddress(url)) return h('span', {}, ...inlines(children));
  const attributes = { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' };
  const anchor = h('a', attributes, ...inlines(children, undefined, false));
  if (token !== undefined && onAction) {
    anchor.classList.add('opens');
    anchor.addEventListener('click', event => {
      // A held modifier key means that the reader wants the link in another tab or window.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      onAction(token, wordsOf(children), anchor);
    });
  }
  return anchor;
}

function moment(at: number, style: 'relative' | 'date'): Node {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return document.createTextNode('');
  const whole = dates({ dateStyle: 'long', timeStyle: 'short' }).format(date);
  const shown = style === 'date' ? dates({ dateStyle: 'medium' }).format(date) : relative(at);
  return h('time', { datetime: date.toISOString(), title: whole }, shown);
}

const dates = formats((locale, style: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, style));
const distances = formats(
  (locale, style: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, style),
);

const UNITS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function relative(at: number): string {
  const distance = at - Date.now();
  const [unit, length] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1000];
  return distances({ numeric: 'auto' }).format(Math.round(distance / length), unit);
}

/** A spot of a colour, such as a difficulty's. */
export function swatch(colour: string): HTMLElement {
  return h('span', { class: 'swatch', 'aria-hidden': 'true', '--colour': colour });
}

/** A coloured label, such as a difficulty's stars as osu! shows them. */
export function pill(words: string, colour: string): HTMLElement {
  return h('span', { class: 'pill', '--colour': colour, '--on-colour': inkOn(colour) }, words);
}

/** Dark text is pure black: on violets of middle brightness neither white nor any lighter ink has a contrast of 4.5. */
const DARK_INK = '#000000';
const LIGHT_INK = '#ffffff';
const GOLD_INK = '#ffe08a';

/** The text colour that is most readable on `colour`; on the darkest colours gold, as in osu!. */
function inkOn(colour: string): string {
  const light = luminance(colour);
  if (light < 0.05) return GOLD_INK;
  return contrast(light, luminance(DARK_INK)) >= contrast(light, 1) ? DARK_INK : LIGHT_INK;
}

/** The contrast of two relative luminances, by WCAG 2.2. */
function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** The relative luminance of `#rrggbb`, from 0 to 1. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
