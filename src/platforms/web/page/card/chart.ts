import { h } from '../base/dom.ts';
import { drawing } from '../base/icons.ts';
import type { WebChart } from '../base/protocol.ts';
import { listed } from '../base/texts.ts';

/** A curve that shows the value at the pointer. An invisible slider does the same for keyboards and screen readers. */
export function chart({ label, points }: WebChart): HTMLElement {
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
