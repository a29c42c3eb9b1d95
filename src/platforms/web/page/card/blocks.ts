import { isOwnPath } from '../base/address.ts';
import { button, h } from '../base/dom.ts';
import { drawing, icon } from '../base/icons.ts';
import type { WebBlock, WebCard, WebChart, WebText } from '../base/protocol.ts';
import { listed, text } from '../base/texts.ts';
import { pictureAddress } from '../base/theme.ts';
import { inlines, type OnAction, wordsOf } from './inline.ts';
import { itemList, soundRow } from './item.ts';
import { levelTable } from './levels.ts';

/** The blocks of a reply as nodes; consecutive cards become one list. */
export function blocksOf(blocks: readonly WebBlock[], onAction: OnAction): Node[] {
  const nodes: Node[] = [];
  let run: WebCard[] = [];
  const endRun = (): void => {
    if (run.length > 0) nodes.push(itemList(run, onAction));
    run = [];
  };
  for (const block of blocks) {
    if (block.kind === 'card') {
      run.push(block.card);
      continue;
    }
    endRun();
    nodes.push(...blockOf(block, onAction));
  }
  endRun();
  return nodes;
}

function blockOf(block: Exclude<WebBlock, { kind: 'card' }>, onAction: OnAction): readonly Node[] {
  switch (block.kind) {
    case 'heading':
      return [h('h3', { class: 'card-subheading' }, ...inlines(block.text, onAction))];
    case 'text':
      if (block.folded) return [foldedText(block.text)];
      return (
        levelTable(block.text, onAction) ?? [
          h('p', { class: 'card-text remark', dir: 'auto' }, ...inlines(block.text, onAction)),
        ]
      );
    case 'fields':
      return [fieldList(block.fields)];
    case 'image':
      return [image(block)];
    case 'picture':
      return [picture(block)];
    case 'charts':
      return [h('div', { class: 'charts' }, ...block.charts.map(chart))];
    case 'sound':
      return [soundRow(block.sound)];
    case 'divider':
      return [h('hr', { class: 'divider' })];
  }
}

/** An image whose space is reserved before it is loaded. If the image cannot be loaded, its space is removed. */
function image({ url, alt, ratio }: Extract<WebBlock, { kind: 'image' }>): Node {
  if (!isOwnPath(url)) return h('p', {}, alt);
  const shown = h('img', { class: 'card-image', src: url, alt, loading: 'lazy', decoding: 'async' });
  if (ratio !== null) shown.style.setProperty('aspect-ratio', String(ratio));
  shown.addEventListener('error', () => shown.remove(), { once: true });
  return shown;
}

/** An image card; if it cannot be drawn, or is no longer stored, its text replaces it. */
function picture({ url, alt, width, height }: Extract<WebBlock, { kind: 'picture' }>): Node {
  const words = h('p', { class: 'card-text remark', dir: 'auto' }, alt);
  if (!isOwnPath(url)) return words;
  const shown = h('img', { class: 'card-picture', src: pictureAddress(url), alt, width, height, decoding: 'async' });
  shown.addEventListener('error', () => shown.replaceWith(words), { once: true });
  return shown;
}

type Field = Extract<WebBlock, { kind: 'fields' }>['fields'][number];

/** Fields with a longer label than this stand one below the other. The limit suits the labels of every language. */
const LONGEST_LABEL = 32;
const LONGEST_FIGURE = 24;

/** How many letters a value has. A date stands on a line of its own below a figure. */
function lengthOf(value: WebText): number {
  return wordsOf(value.filter(inline => typeof inline === 'string' || inline.kind !== 'time')).length;
}

/** Places short values side by side, and sentences one below the other. */
function fieldList(fields: readonly Field[]): Node {
  const isFigures = fields.every(
    ({ label, value }) => label.length <= LONGEST_LABEL && lengthOf(value) <= LONGEST_FIGURE,
  );
  const rows = fields.map(({ label, value }) => h('div', {}, h('dt', {}, label), h('dd', {}, ...inlines(value))));
  return h('dl', { class: isFigures ? 'figures' : 'rows' }, ...rows);
}

/** Shows the button that unfolds a text only when a part of the text is hidden, which depends on its width. */
const folds = new ResizeObserver(entries => {
  for (const { target } of entries) {
    if (!target.classList.contains('folded')) continue;
    const toggle = target.nextElementSibling;
    if (toggle instanceof HTMLElement) toggle.hidden = target.scrollHeight <= target.clientHeight + 1;
  }
});

function foldedText(content: WebText): Node {
  const paragraph = h('p', { class: 'card-text folded', dir: 'auto' }, ...inlines(content));
  const label = h('span', {}, text('showMore'));
  const toggle = button({ class: 'fold', 'aria-expanded': 'false', hidden: true }, () => {
    const isFolded = paragraph.classList.toggle('folded');
    toggle.setAttribute('aria-expanded', String(!isFolded));
    label.textContent = text(isFolded ? 'showMore' : 'showLess');
  });
  toggle.append(label, icon('fold'));
  folds.observe(paragraph);
  return h('div', { class: 'foldable' }, paragraph, toggle);
}

/** A curve that shows the value at the pointer. An invisible slider does the same for keyboards and screen readers. */
function chart({ label, points }: WebChart): HTMLElement {
  const heights = points.map(({ height }) => height);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const last = points.length - 1;
  const xOf = (index: number): number => (100 * index) / Math.max(1, last);
  // A curve whose values are all equal is drawn in the middle.
  const yOf = (height: number): number => (high === low ? 50 : (100 * (high - height)) / (high - low));
  const line = heights.map((height, index) => `${xOf(index).toFixed(2)} ${yOf(height).toFixed(2)}`).join('L');
  const name = h('span', { class: 'chart-name' });
  const value = h('strong');
  const spot = h('span', { class: 'chart-spot' });
  const slider = h('input', { type: 'range', min: 0, max: last, value: last, 'aria-label': label });

  function show(index: number): void {
    const point = points[index];
    if (point === undefined) return;
    name.textContent = point.name;
    value.textContent = point.text;
    spot.style.setProperty('left', `${xOf(index)}%`);
    spot.style.setProperty('top', `${yOf(point.height)}%`);
    slider.setAttribute('aria-valuetext', listed([point.text, point.name]));
  }

  slider.addEventListener('input', () => show(Number(slider.value)));
  slider.addEventListener('pointermove', ({ offsetX }) => {
    slider.value = String(Math.round((offsetX / slider.clientWidth) * last));
    show(Number(slider.value));
  });
  show(last);
  return h(
    'figure',
    { class: 'chart' },
    h(
      'figcaption',
      { 'aria-hidden': 'true' },
      h('span', {}, label),
      h('span', { class: 'chart-said' }, name, ' ', value),
    ),
    h(
      'div',
      { class: 'chart-plot' },
      drawing('curve', '0 0 100 100', [`M${line}L100 100L0 100Z`, `M${line}`]),
      spot,
      slider,
    ),
  );
}
