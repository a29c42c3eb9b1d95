import { h, isWebAddress } from '../dom.ts';
import type { WebInline, WebText } from '../protocol.ts';
import { language } from '../texts.ts';

/** A text as nodes; nothing in it is ever read as markup. */
export function inlines(content: WebText): Node[] {
  return content.map((inline, index) => {
    const own = wordBeside(inline, content[index + 1]);
    if (own !== '') return h('span', { class: 'swatched' }, inlineOf(inline), own);
    const taken = wordBeside(content[index - 1], inline);
    return inlineOf(typeof inline === 'string' ? inline.slice(taken.length) : inline);
  });
}

/** What a colour stands for, which shares its line: the first word of the text behind it. */
function wordBeside(before: WebInline | undefined, after: WebInline | undefined): string {
  if (typeof before !== 'object' || before.kind !== 'swatch' || typeof after !== 'string') return '';
  return /^ \S+/.exec(after)?.[0] ?? '';
}

/** What a text says, without moments and colours. */
export function plain(content: WebText): string {
  return content
    .map(inline => (typeof inline === 'string' ? inline : 'children' in inline ? plain(inline.children) : ''))
    .join('');
}

function inlineOf(inline: WebInline): Node {
  if (typeof inline === 'string') return document.createTextNode(inline);
  switch (inline.kind) {
    case 'strong':
      return h('strong', {}, ...inlines(inline.children));
    case 'emphasis':
      return h('em', {}, ...inlines(inline.children));
    case 'code':
      return h('code', {}, ...inlines(inline.children));
    case 'link':
      return isWebAddress(inline.url)
        ? h(
            'a',
            { href: inline.url, target: '_blank', rel: 'noopener noreferrer nofollow' },
            ...inlines(inline.children),
          )
        : h('span', {}, ...inlines(inline.children));
    case 'time':
      return moment(inline.at, inline.style);
    case 'swatch': {
      const swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
      swatch.style.setProperty('--colour', inline.colour);
      return swatch;
    }
  }
}

function moment(at: number, style: 'relative' | 'date'): Node {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return document.createTextNode('');
  const whole = new Intl.DateTimeFormat(language(), { dateStyle: 'long', timeStyle: 'short' }).format(date);
  const day = new Intl.DateTimeFormat(language(), { dateStyle: 'medium' }).format(date);
  return h('time', { datetime: date.toISOString(), title: whole }, style === 'date' ? day : relative(at));
}

const UNITS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function relative(at: number): string {
  const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' });
  const distance = at - Date.now();
  const [unit, length] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1000];
  return format.format(Math.round(distance / length), unit);
}
