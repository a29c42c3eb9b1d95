import { button, byId, h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { ServerMessage, WebExample } from '../base/protocol.ts';
import { readerLocale, text } from '../base/texts.ts';

/** The examples and site names that the server sends for an empty conversation. */
export type Offer = Pick<Extract<ServerMessage, { type: 'welcome' }>, 'examples' | 'sites'>;

const STEPS = [
  ['link', 'stepCopy'],
  ['paste', 'stepPaste'],
  ['play', 'stepSave'],
] as const;

/** The view of an empty conversation. Its logo is in the static markup, so that it is visible at once. */
export function createWelcome(onExample: (line: string) => void) {
  const section = byId('welcome', HTMLElement);
  const sites = byId('sites', HTMLParagraphElement);
  const tries = byId('tries', HTMLDivElement);
  const foot = byId('welcome-foot', HTMLDivElement);

  // The `data-text` attribute makes a text change with the language.
  byId('steps', HTMLOListElement).append(
    ...STEPS.map(([name, key]) => h('li', {}, icon(name), h('span', { 'data-text': key }, text(key)))),
  );

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

  function group(title: string, examples: readonly WebExample[]): HTMLElement {
    return h(
      'section',
      { class: 'try', 'aria-label': title },
      h('h3', { class: 'try-title' }, title),
      h('ul', { class: 'chips' }, ...examples.map(chip)),
    );
  }

  return {
    /** Shows the view. While the offer has not come yet (undefined), its examples and all below them are not shown. */
    show(offer: Offer | undefined): void {
      section.hidden = false;
      if (offer === undefined) return;
      const { examples } = offer;
      // In Chinese text, spaces are written between Chinese and Latin letters, which `Intl.ListFormat` does not do.
      const list = new Intl.ListFormat(readerLocale()).format(offer.sites);
      const named = list.replace(/(?<=\w)([\u4e00-\u9fff])(?=\w)/g, ' $1 ');
      sites.textContent = offer.sites.length === 0 ? '' : text('sitesTaken', { sites: named });
      const posts = examples.filter(({ about }) => about === undefined);
      const beatmaps = examples.filter(({ about }) => about === 'beatmaps');
      tries.replaceChildren();
      if (posts.length > 0) tries.append(group(text('emptyPosts'), posts));
      if (beatmaps.length > 0) tries.append(group(text('emptyBeatmaps'), beatmaps));
      foot.replaceChildren(
        button({ class: 'quiet' }, () => onExample('/help'), text('exampleHelp')),
        h('span', {}, text('privacy')),
      );
    },
    hide(): void {
      section.hidden = true;
    },
  };
}
