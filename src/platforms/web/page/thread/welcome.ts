import { button, byId, h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebExample } from '../base/protocol.ts';
import { text } from '../base/texts.ts';

/** The page shows it until something is said. Its mark is in the static markup, so that it is there at once. */
export function createWelcome(onExample: (line: string) => void): {
  /** Undefined while they are not known: nothing is shown that they would move. */
  show(examples: readonly WebExample[] | undefined): void;
  hide(): void;
} {
  const section = byId('welcome', HTMLElement);
  const tries = byId('tries', HTMLDivElement);
  const foot = byId('welcome-foot', HTMLDivElement);

  function chip({ label, text: line }: WebExample): HTMLElement {
    return h(
      'li',
      {},
      button(
        { class: 'chip' },
        () => onExample(line),
        h('span', { class: 'chip-label' }, label),
        h('span', { class: 'chip-line' }, line.replace(/^https:\/\/(www\.)?/, '')),
        icon('next'),
      ),
    );
  }

  function group(title: string, examples: readonly WebExample[]): HTMLElement | undefined {
    if (examples.length === 0) return undefined;
    return h(
      'section',
      { class: 'try', 'aria-label': title },
      h('h3', { class: 'try-title' }, title),
      h('ul', { class: 'chips' }, ...examples.map(chip)),
    );
  }

  return {
    show(examples) {
      section.hidden = false;
      if (examples === undefined) return;
      const groups = [
        group(
          text('emptyPosts'),
          examples.filter(({ about }) => about === undefined),
        ),
        group(
          text('emptyBeatmaps'),
          examples.filter(({ about }) => about === 'beatmaps'),
        ),
      ];
      tries.replaceChildren(...groups.filter(each => each !== undefined));
      foot.replaceChildren(
        button({ class: 'quiet' }, () => onExample('/help'), text('exampleHelp')),
        h('span', {}, text('privacy')),
      );
    },
    hide() {
      section.hidden = true;
    },
  };
}
