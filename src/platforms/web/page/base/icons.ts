/** Icons on a 24 x 24 grid with a stroke of 1.75. They are decorative, so screen readers skip them. */
const PATHS = {
  send: 'M12 19V5M5.5 11.5 12 5l6.5 6.5',
  stop: 'M8 8h8v8H8z',
  menu: 'M4 8h8M16 8h4M16 8a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM4 16h4M12 16h8M12 16a2 2 0 1 1-4 0 2 2 0 0 1 4 0z',
  close: 'm6 6 12 12M18 6 6 18',
  previous: 'm14.5 6-6 6 6 6',
  next: 'm9.5 6 6 6-6 6',
  clip: 'M6 8.5a2.5 2.5 0 1 0 0-.1M6 15.5a2.5 2.5 0 1 1 0 .1M8 9.5l11.5 8M8 14.5l11.5-8',
  down: 'M12 5v14M5.5 12.5 12 19l6.5-6.5',
  fold: 'm6 9.5 6 6 6-6',
  paste:
    'M9 5H7.5A1.5 1.5 0 0 0 6 6.5v12A1.5 1.5 0 0 0 7.5 20h9a1.5 1.5 0 0 0 1.5-1.5v-12A1.5 1.5 0 0 0 16.5 5H15M9 3.5h6v3H9z',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 19.5h14',
  open: 'M13.5 5H19v5.5M19 5l-8.5 8.5M10 6H6.5A1.5 1.5 0 0 0 5 7.5v10A1.5 1.5 0 0 0 6.5 19h10a1.5 1.5 0 0 0 1.5-1.5V14',
  again: 'M19 12a7 7 0 1 1-2.2-5.1M19.2 3.8V7.6h-3.8',
  alert: 'M12 8v5M12 16.2v.1M12 3.8a8.2 8.2 0 1 0 0 16.4 8.2 8.2 0 0 0 0-16.4z',
  done: 'm5.5 12.5 4.5 4.5 8.5-10',
  hidden:
    'M4 4l16 16M9.9 5.6A9 9 0 0 1 12 5.4c5 0 8 4.6 8.8 6.6a13 13 0 0 1-2.6 3.7M6.5 7.3A13 13 0 0 0 3.2 12c.8 2 3.8 6.6 8.8 6.6a9 9 0 0 0 4.3-1.1',
  link: 'M10 14a4 4 0 0 0 6 .4l2.6-2.6a4 4 0 0 0-5.7-5.7L11.6 7.4M14 10a4 4 0 0 0-6-.4l-2.6 2.6a4 4 0 0 0 5.7 5.7l1.3-1.3',
  share: 'M12 14V4M8 7.5 12 3.8l4 3.7M8 11H6.5v8.5h11V11H16',
  words: 'M5 6.5h14M5 11.5h14M5 16.5h8',
  all: 'M12 3.5v8.5M7.5 7.8l4.5 4.5 4.5-4.5M5 16h14M8 20h8',
  play: 'M9 6.5v11l8.5-5.5z',
  pause: 'M9.25 7v10M14.75 7v10',
  sound: 'M9 17.5V6l10-2v11.5M9 17.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM19 15.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z',
} as const;

export type IconName = keyof typeof PATHS;

const SVG = 'http://www.w3.org/2000/svg';

export function icon(name: IconName): SVGSVGElement {
  return drawing('icon', '0 0 24 24', [PATHS[name]]);
}

/** A decorative drawing of paths, styled by the style sheet. */
export function drawing(name: 'icon' | 'curve', viewBox: string, paths: readonly string[]): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', viewBox);
  svg.setAttribute('class', name);
  svg.setAttribute('aria-hidden', 'true');
  if (name === 'curve') svg.setAttribute('preserveAspectRatio', 'none');
  for (const d of paths) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}
