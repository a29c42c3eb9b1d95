const SHORT = 40;
const STEP = 8;

/**
 * Short forms of links for sentences about them: without what is the same in all, cut where they are long, and never two alike for two
 * links. They are words, not addresses: show them as code.
 */
export function linkLabels(links: readonly string[]): readonly string[] {
  const whole = links.map(link => link.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, ''));
  const longest = Math.max(0, ...whole.map(({ length }) => length));
  const distinct = new Set(whole).size;
  let length = SHORT;
  let labels = whole.map(label => shortened(label, length));
  while (length < longest && new Set(labels).size < distinct) {
    length += STEP;
    labels = whole.map(label => shortened(label, length));
  }
  return labels;
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
