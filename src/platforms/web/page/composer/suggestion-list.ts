import { byId, h } from '../base/dom.ts';
import type { WebSuggestion } from '../base/protocol.ts';

/**
 * The list of suggestions above the input. The focus stays in the input, which refers to the active option. Its role is
 * not `combobox`, which is for inputs of one line.
 */
export class SuggestionList {
  readonly #input: HTMLTextAreaElement;
  readonly #onTake: (item: WebSuggestion) => void;
  readonly #list = byId('suggestions', HTMLDivElement);
  #items: readonly WebSuggestion[] = [];
  #active = -1;
  #isOutdated = false;

  constructor(input: HTMLTextAreaElement, onTake: (item: WebSuggestion) => void) {
    this.#input = input;
    this.#onTake = onTake;
  }

  get isOpen(): boolean {
    return !this.#list.hidden;
  }

  /** True when the line has changed since the suggestions were made; then none can be chosen until new ones come. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /** The option that a key inserts: the active one, else the first for Tab, and the only matching command for Enter. */
  takenBy(key: string, isName: boolean): WebSuggestion | undefined {
    const isTaken = key === 'Tab' || (key === 'Enter' && isName && this.#items.length === 1);
    const active = key === 'Tab' || key === 'Enter' ? this.#items[this.#active] : undefined;
    return active ?? (isTaken ? this.#items[0] : undefined);
  }

  /** Shows options; none is active until the reader moves to one. */
  show(items: readonly WebSuggestion[]): void {
    this.#items = items;
    this.#isOutdated = false;
    this.#list.replaceChildren(...items.map((item, index) => this.#optionOf(item, index)));
    this.#list.hidden = items.length === 0;
    this.#activate(-1);
  }

  hide(): void {
    this.show([]);
  }

  move(step: 1 | -1): void {
    const from = this.#active === -1 && step === -1 ? 0 : this.#active;
    const count = this.#items.length;
    if (count > 0) this.#activate((from + step + count) % count);
  }

  /** To be called when the line has changed and its suggestions are not known yet. */
  outdate(): void {
    this.#isOutdated = true;
    this.#activate(-1);
  }

  #activate(index: number): void {
    this.#active = index;
    for (const [place, option] of [...this.#list.children].entries()) {
      option.setAttribute('aria-selected', String(place === index));
      if (place === index) option.scrollIntoView({ block: 'nearest' });
    }
    if (index >= 0) this.#input.setAttribute('aria-activedescendant', `suggestion-${index}`);
    else this.#input.removeAttribute('aria-activedescendant');
  }

  #optionOf(item: WebSuggestion, index: number): HTMLDivElement {
    const line = item.text.trimEnd();
    // The part of the label behind the command's name gets an element of its own, for another style.
    const name = item.label.startsWith(line) ? line : item.label;
    const option = h(
      'div',
      { id: `suggestion-${index}`, role: 'option', 'aria-selected': 'false', class: 'suggestion' },
      h('span', { class: 'suggestion-label' }, name, h('span', {}, item.label.slice(name.length))),
      h('span', { class: 'suggestion-detail' }, item.detail),
    );
    // Prevents that a press on an option takes the focus from the input.
    option.addEventListener('pointerdown', event => event.preventDefault());
    option.addEventListener('click', () => this.#onTake(item));
    return option;
  }
}
