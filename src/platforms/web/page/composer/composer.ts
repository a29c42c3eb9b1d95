import { isLoneLink } from '../base/address.ts';
import { byId, h } from '../base/dom.ts';
import { conversation } from '../base/history.ts';
import { icon } from '../base/icons.ts';
import type { WebCommand, WebSuggestion } from '../base/protocol.ts';
import { text } from '../base/texts.ts';

export interface ComposerOptions {
  readonly onSubmit: (line: string) => void;
  readonly onCancel: () => void;
  /** Asks the server for suggestions; its answer is passed to `suggest`. */
  readonly onAsk: (id: string, line: string) => void;
}

const ASK_DELAY_MS = 90;
/** Suggestions for an earlier text are removed if no new ones come within this time. */
const OUTDATED_MS = 2_000;

/** The message box: the input, its button, and the suggestions above it. */
export class Composer {
  readonly #options: ComposerOptions;
  readonly #input = byId('input', HTMLTextAreaElement);
  readonly #send = byId('send', HTMLButtonElement);
  readonly #paste = byId('paste', HTMLButtonElement);
  readonly #hint = byId('hint', HTMLParagraphElement);
  readonly #list = createSuggestionList(this.#input, item => this.fill(item.text));
  readonly #narrow = matchMedia('(max-width: 28rem)');
  #commands: readonly WebCommand[] = [];
  #maxLength = 10_000;
  #isWorking = false;
  #asked = 0;
  /** The number of the sent line that the input shows, counted from the newest; 0 for a line that was typed. */
  #recalled = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ComposerOptions) {
    this.#options = options;
    byId('composer', HTMLFormElement).addEventListener('submit', event => {
      event.preventDefault();
      this.#submit();
    });
    this.#input.addEventListener('input', () => this.#onInput());
    this.#input.addEventListener('paste', event => {
      const line = event.clipboardData?.getData('text/plain').trim() ?? '';
      if (this.#input.value !== '' || !isLoneLink(line)) return;
      event.preventDefault();
      this.receive(line);
    });
    this.#paste.addEventListener('click', () => {
      // Without permission to read the clipboard, the reader has to paste by hand.
      navigator.clipboard.readText().then(
        line => this.receive(line.trim()),
        () => this.focus(),
      );
    });
    this.#input.addEventListener('keydown', event => this.#onKey(event));
    this.#input.addEventListener('blur', () => this.#list.hide());
    this.#input.addEventListener('focus', () => {
      if (this.#input.value.startsWith('/')) this.#onInput();
    });
    this.#narrow.addEventListener('change', () => this.refresh());
    this.refresh();
  }

  /** Writes a line into the input, which the reader can complete or send. */
  fill(line: string): void {
    this.#input.value = line;
    this.#input.focus();
    this.#input.setSelectionRange(line.length, line.length);
    this.#onInput();
  }

  /** Sends a text that is only a link at once; other text can be edited first. */
  receive(line: string): void {
    if (isLoneLink(line) && line.length <= this.#maxLength) this.#options.onSubmit(line);
    else this.fill(line);
  }

  focus(): void {
    this.#input.focus();
  }

  /** Makes the button cancel the running message, as long as the input is empty. */
  setWorking(isWorking: boolean): void {
    this.#isWorking = isWorking;
    this.refresh();
  }

  setCommands(commands: readonly WebCommand[], maxLength: number): void {
    this.#commands = commands;
    this.#maxLength = maxLength;
    if (document.activeElement === this.#input && this.#input.value.startsWith('/')) this.#onInput();
    else this.refresh();
  }

  suggest(id: string, items: readonly WebSuggestion[]): void {
    if (id === `s${this.#asked}` && document.activeElement === this.#input) this.#list.show(items);
  }

  refresh(): void {
    const { value, style } = this.#input;
    const isEmpty = value.trim() === '';
    const cancels = isEmpty && this.#isWorking;
    const label = text(cancels ? 'cancel' : 'send');
    this.#send.replaceChildren(icon(cancels ? 'stop' : 'send'));
    this.#send.setAttribute('aria-label', label);
    this.#send.title = label;
    this.#send.classList.toggle('cancels', cancels);
    this.#send.disabled = isEmpty && !cancels;
    this.#paste.hidden = value !== '' || navigator.clipboard?.readText === undefined;
    this.#paste.replaceChildren(icon('paste'), h('span', {}, text('paste')));
    this.#input.placeholder = text(this.#narrow.matches ? 'placeholderShort' : 'placeholder');
    this.#hint.textContent = value.length > this.#maxLength ? text('tooLong', { n: this.#maxLength }) : '';
    // The style sheet gives the input the height of its text where it can, because measuring it costs a layout.
    if (CSS.supports('field-sizing', 'content')) return;
    style.height = 'auto';
    style.height = `${this.#input.scrollHeight}px`;
  }

  #onInput(): void {
    this.refresh();
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#recalled = 0;
    const line = this.#input.value;
    // No suggestions are asked for a line that is too long, because the server would end the connection.
    if (!/^\/[^\n]*$/.test(line) || line.length > this.#maxLength) this.#list.hide();
    else if (line.includes(' ')) this.#askAbout(line);
    else this.#list.show(this.#namesLike(line.slice(1).toLowerCase()));
  }

  #askAbout(line: string): void {
    const id = `s${this.#asked}`;
    this.#list.outdate();
    this.#timer = setTimeout(() => {
      this.#options.onAsk(id, line);
      this.#timer = setTimeout(() => this.#list.isOutdated && this.#list.hide(), OUTDATED_MS);
    }, ASK_DELAY_MS);
  }

  #namesLike(start: string): WebSuggestion[] {
    return this.#commands
      .filter(({ name }) => name.startsWith(start))
      .map(({ name, usage, description }) => ({ label: usage, detail: description, text: `/${name} ` }));
  }

  #submit(): void {
    const line = this.#input.value.trim();
    if (line === '') {
      if (this.#isWorking) this.#options.onCancel();
      return;
    }
    if (line.length > this.#maxLength) return;
    this.#input.value = '';
    this.#onInput();
    this.#options.onSubmit(line);
    this.#input.focus();
  }

  #onKey(event: KeyboardEvent): void {
    // While an input method (such as for Japanese) is active, Enter confirms a word and does not send the line.
    if (event.isComposing || event.keyCode === 229) return;
    const isSend = event.key === 'Enter' && !event.shiftKey && !event.altKey;
    const isListKey = this.#recall(event.key) || (this.#list.isOpen && this.#onListKey(event));
    if (isListKey || isSend) event.preventDefault();
    // A pasted link is sent at once, which empties the input: only the button cancels, not an Enter out of habit.
    if (isSend && !isListKey && this.#input.value.trim() !== '') this.#submit();
  }

  /** Shows lines that were sent earlier, by the arrow keys, if the input is empty or shows such a line. */
  #recall(key: string): boolean {
    const step = { ArrowUp: 1, ArrowDown: -1 }[key];
    if (step === undefined || (this.#input.value !== '' && this.#recalled === 0)) return false;
    const sent = conversation.turns.flatMap(({ input }) => (input.kind === 'text' ? [input.text] : []));
    const back = Math.min(sent.length, this.#recalled + step);
    if (back < 0) return false;
    this.#input.value = sent[sent.length - back] ?? '';
    this.#onInput();
    this.#list.hide();
    this.#recalled = back;
    return true;
  }

  #onListKey(event: KeyboardEvent): boolean {
    if (event.key === 'Escape') {
      this.#list.hide();
      return true;
    }
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (this.#list.isOutdated) return isArrow || (event.key === 'Tab' && !event.shiftKey);
    if (isArrow) {
      this.#list.move(event.key === 'ArrowDown' ? 1 : -1);
      return true;
    }
    const line = this.#input.value;
    const item = event.shiftKey ? undefined : this.#list.takenBy(event.key, !line.includes(' '));
    // If the line is equal to the option already, there is nothing to insert, and Enter sends the line.
    if (!item || item.text.trim() === line.trim()) return false;
    this.fill(item.text);
    return true;
  }
}

/**
 * Makes the list of suggestions above the input. The focus stays in the input, which refers to the active option. The
 * input does not have the role `combobox`, which is for inputs of one line.
 */
function createSuggestionList(input: HTMLTextAreaElement, onTake: (item: WebSuggestion) => void) {
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

  /** Shows options; none is active until the reader moves to one. */
  function show(shown: readonly WebSuggestion[]): void {
    items = shown;
    isOutdated = false;
    list.replaceChildren(...items.map((item, index) => optionOf(item, index, onTake)));
    list.hidden = items.length === 0;
    activate(-1);
  }

  return {
    show,
    hide: () => show([]),
    get isOpen() {
      return !list.hidden;
    },
    /** True when the line has changed since the suggestions were made; then none can be chosen until new ones come. */
    get isOutdated() {
      return isOutdated;
    },
    /** To be called when the line has changed and its suggestions are not known yet. */
    outdate(): void {
      isOutdated = true;
      activate(-1);
    },
    /** The option that a key inserts: the active one, else the first for Tab, or a lone command for Enter, or none. */
    takenBy(key: string, isName: boolean): WebSuggestion | undefined {
      const isTaken = key === 'Tab' || (key === 'Enter' && isName && items.length === 1);
      const chosen = key === 'Tab' || key === 'Enter' ? items[active] : undefined;
      return chosen ?? (isTaken ? items[0] : undefined);
    },
    move(step: 1 | -1): void {
      const from = active === -1 && step === -1 ? 0 : active;
      if (items.length > 0) activate((from + step + items.length) % items.length);
    },
  };
}

function optionOf(item: WebSuggestion, index: number, onTake: (item: WebSuggestion) => void): HTMLDivElement {
  const line = item.text.trimEnd();
  // The part of the label behind the command's name gets an element of its own, for another style.
  const name = item.label.startsWith(line) ? line : item.label;
  const option = h(
    'div',
    { id: `suggestion-${index}`, role: 'option', 'aria-selected': 'false', class: 'suggestion' },
    h('span', { class: 'suggestion-label' }, name, h('span', {}, item.label.slice(name.length))),
    h('span', { class: 'suggestion-detail' }, item.detail),
  );
  // A press on an option must not take the focus from the input.
  option.addEventListener('pointerdown', event => event.preventDefault());
  option.addEventListener('click', () => onTake(item));
  return option;
}
