import { button, byId, h } from '../dom.ts';
import type { WebExample } from '../protocol.ts';
import { text } from '../texts.ts';

/** What stands where nothing has been said yet. */
export function createWelcome(onExample: (line: string) => void): {
  show(examples: readonly WebExample[]): void;
  hide(): void;
} {
  const section = byId('welcome', HTMLElement);

  return {
    show(examples) {
      const chips = [...examples, { label: text('exampleHelp'), text: '/help' }];
      section.replaceChildren(
        h('img', { class: 'welcome-mark', src: '/assets/static/mark.svg', alt: '', width: 88, height: 88 }),
        h('h2', { class: 'welcome-title' }, text('tagline')),
        h('p', { class: 'welcome-text' }, text('emptyText')),
        h(
          'ul',
          { class: 'chips', 'aria-label': text('emptyExamples') },
          ...chips.map(chip =>
            h(
              'li',
              {},
              button({ class: 'chip' }, () => onExample(chip.text), chip.label),
            ),
          ),
        ),
        h('p', { class: 'welcome-foot' }, text('privacy')),
      );
      section.hidden = false;
    },
    hide() {
      section.hidden = true;
    },
  };
}
