import { byId, h } from '../base/dom.ts';
import type { WebSuggestion } from '../base/protocol.ts';

/**
 * The list above the input: focus stays in the input, which names the active option. Of several lines, the input is a text box that
 * completes from a list; the role of a combobox is for inputs of one line.
 */
export interface SuggestionList {
  readonly isOpen: boolean;
  /** True when it belongs to an earlier line: nothing can be moved to or taken until it is shown anew. */
  readonly isOutdated: boolean;
  /** None is active until someone moves to it. */
  show(items: readonly WebSuggestion[]): void;
  hide(): void;
  move(step: 1 | -1): void;
  /** Call when the line has changed and its suggestions are not known yet. */
  outdate(): void;
  /** The option that someone has moved to. */
  readonly active: WebSuggestion | undefined;
  readonly first: WebSuggestion | undefined;
}

export function createSuggestionList(
  input: HTMLTextAreaElement,
  onTake: (item: WebSuggestion) => void,
): SuggestionList {
  const list = byId('suggestions', HTMLDivElement);
  let items: readonly WebSuggestion[] = [];
  let active = -1;
  let isOutdated = false;

  function activate(index: number): void {
    active = index;
    for (const [place, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(place === index));
      if (place === index) option.scrollIntoView({ block: 'nearest' });
    }
    if (index >= 0) input.setAttribute('aria-activedescendant', `suggestion-${index}`);
    else input.removeAttribute('aria-activedescendant');
  }

  function show(next: readonly WebSuggestion[]): void {
    items = next;
    isOutdated = false;
    list.replaceChildren(...next.map(optionOf));
    list.hidden = next.length === 0;
    activate(-1);
  }

  function optionOf(item: WebSuggestion, index: number): HTMLDivElement {
    const option = h(
      'div',
      { id: `suggestion-${index}`, role: 'option', 'aria-selected': 'false', class: 'suggestion' },
      h('span', { class: 'suggestion-label' }, item.label),
      h('span', { class: 'suggestion-detail' }, item.detail),
    );
    // Before the input loses its focus.
    option.addEventListener('pointerdown', event => event.preventDefault());
    option.addEventListener('click', () => onTake(item));
    return option;
  }

  return {
    get isOpen() {
      return !list.hidden;
    },
    get isOutdated() {
      return isOutdated;
    },
    show,
    hide: () => show([]),
    move(step) {
      const from = active === -1 && step === -1 ? 0 : active;
      if (items.length > 0) activate((from + step + items.length) % items.length);
    },
    outdate() {
      isOutdated = true;
      activate(-1);
    },
    get active() {
      return items[active];
    },
    get first() {
      return items[0];
    },
  };
}
