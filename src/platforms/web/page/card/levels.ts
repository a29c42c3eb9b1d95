import { h } from '../base/dom.ts';
import type { WebInline, WebText } from '../base/protocol.ts';
import { inlines, type OnAction, pill, SEPARATOR, swatch, wordsOf } from './inline.ts';

/**
 * Shows a list of difficulties, whose lines each begin with a colour, as a table of stars, name and values. A last line
 * without a colour is put below the table. Undefined for other text.
 */
export function levelTable(text: WebText, onAction: OnAction): Node[] | undefined {
  const lines = split(text, '\n');
  const rows = lines.filter(([first]) => isSwatch(first));
  const others = lines.filter(([first]) => !isSwatch(first));
  if (rows.length === 0 || rows.length + 1 < lines.length || isSwatch(lines.at(-1)?.[0]) === others.length > 0) {
    return undefined;
  }
  return [
    h('ul', { class: 'levels' }, ...rows.map(line => rowOf(line, onAction))),
    ...others.map(line => h('p', { class: 'card-text remark' }, ...inlines(line, onAction))),
  ];
}

function isSwatch(inline: WebInline | undefined): inline is Extract<WebInline, { kind: 'swatch' }> {
  return typeof inline === 'object' && inline.kind === 'swatch';
}

function rowOf([first, ...line]: WebText, onAction: OnAction): HTMLElement {
  const parts = partsOf(line);
  const [name = [], ...values] = parts;
  const stars = values.find(part => /^\D{0,24}[\d.,]+★$/.test(wordsOf(part)));
  const colour = isSwatch(first) ? first.colour : '#aaaaaa';
  return h(
    'li',
    { class: 'level' },
    stars ? pill(wordsOf(stars), colour) : swatch(colour),
    h(
      'div',
      { class: 'level-words' },
      h('div', { class: 'level-name' }, ...inlines(name, onAction)),
      h(
        'div',
        { class: 'level-values' },
        ...values.filter(part => part !== stars).map(part => h('span', {}, ...inlines(part, onAction))),
      ),
    ),
  );
}

/** The values of a line, which ` · ` separates. */
export function partsOf(line: WebText): WebText[] {
  return split(line, SEPARATOR).map(part => part.filter(inline => typeof inline !== 'string' || inline.trim() !== ''));
}

/** Splits the text at `mark`, but not inside links and other nested text. */
function split(text: WebText, mark: string): WebText[] {
  const cut: WebInline[][] = [[]];
  for (const inline of text) {
    const [head, ...tail] = typeof inline === 'string' ? inline.split(mark) : [inline];
    if (head !== undefined && head !== '') cut.at(-1)?.push(head);
    for (const each of tail) cut.push(each === '' ? [] : [each]);
  }
  return cut;
}
