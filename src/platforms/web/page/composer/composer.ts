import { byId } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebCommand, WebSuggestion } from '../base/protocol.ts';
import { text } from '../base/texts.ts';
import { createSuggestionList } from './suggestions.ts';

export interface ComposerOptions {
  readonly onSubmit: (line: string) => void;
  readonly onCancel: () => void;
  /** Asks the server what may follow; the answer comes to `suggest`. */
  readonly onAsk: (id: string, line: string) => void;
}

export interface Composer {
  /** Puts a line into the input, ready to be sent or finished. */
  fill(line: string): void;
  focus(): void;
  /** Whether the button offers to cancel while the input is empty. */
  setWorking(working: boolean): void;
  setCommands(commands: readonly WebCommand[], maxLength: number): void;
  suggest(id: string, items: readonly WebSuggestion[]): void;
  refresh(): void;
}

const ASK_DELAY_MS = 90;
/** Suggestions for what was typed before go when no others come in this time. */
const OUTDATED_MS = 2_000;

export function createComposer({ onSubmit, onCancel, onAsk }: ComposerOptions): Composer {
  const form = byId('composer', HTMLFormElement);
  const input = byId('input', HTMLTextAreaElement);
  const send = byId('send', HTMLButtonElement);
  const hint = byId('hint', HTMLParagraphElement);
  const list = createSuggestionList(input, take);
  const narrow = matchMedia('(max-width: 28rem)');
  let commands: readonly WebCommand[] = [];
  let maxLength = 10_000;
  let working = false;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function refresh(): void {
    const isEmpty = input.value.trim() === '';
    const cancels = isEmpty && working;
    send.replaceChildren(icon(cancels ? 'stop' : 'send'));
    send.setAttribute('aria-label', text(cancels ? 'cancel' : 'send'));
    send.title = text(cancels ? 'cancel' : 'send');
    send.classList.toggle('cancels', cancels);
    send.disabled = isEmpty && !cancels;
    input.placeholder = text(narrow.matches ? 'placeholderShort' : 'placeholder');
    hint.textContent = input.value.length > maxLength ? text('tooLong', { n: maxLength }) : '';
    input.style.height = 'auto';
    input.style.height = `${input.scrollHeight}px`;
  }

  function take(item: WebSuggestion): void {
    input.value = item.text;
    input.setSelectionRange(item.text.length, item.text.length);
    input.focus();
    onInput();
  }

  function onInput(): void {
    refresh();
    clearTimeout(timer);
    asked += 1;
    const line = input.value;
    if (!/^\/[^\n]*$/.test(line)) {
      list.hide();
      return;
    }
    if (!line.includes(' ')) {
      list.show(namesLike(line.slice(1).toLowerCase()));
      return;
    }
    list.outdate();
    const id = `s${asked}`;
    timer = setTimeout(() => {
      onAsk(id, line);
      timer = setTimeout(() => list.isOutdated && list.hide(), OUTDATED_MS);
    }, ASK_DELAY_MS);
  }

  function namesLike(start: string): WebSuggestion[] {
    return commands
      .filter(command => command.name.startsWith(start))
      .map(command => ({ label: command.usage, detail: command.description, text: `/${command.name} ` }));
  }

  function submit(): void {
    const line = input.value.trim();
    if (line === '') {
      if (working) onCancel();
      return;
    }
    if (line.length > maxLength) return;
    input.value = '';
    onInput();
    onSubmit(line);
    input.focus();
  }

  function onKey(event: KeyboardEvent): void {
    // Enter that ends an input method's composition is not ours.
    if (event.isComposing || event.keyCode === 229) return;
    if (list.isOpen && onListKey(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      submit();
    }
  }

  function onListKey(event: KeyboardEvent): boolean {
    if (event.key === 'Escape') {
      list.hide();
      return true;
    }
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (list.isOutdated) return isArrow || (event.key === 'Tab' && !event.shiftKey);
    if (isArrow) {
      list.move(event.key === 'ArrowDown' ? 1 : -1);
      return true;
    }
    const item = event.shiftKey ? undefined : takenBy(event.key);
    // A line that already says what the option would is finished.
    if (!item || item.text.trim() === input.value.trim()) return false;
    take(item);
    return true;
  }

  /** Enter sends what was typed, unless someone has moved to a suggestion. */
  function takenBy(key: string): WebSuggestion | undefined {
    if (key === 'Enter') return list.active;
    return key === 'Tab' ? (list.active ?? list.first) : undefined;
  }

  form.addEventListener('submit', event => {
    event.preventDefault();
    submit();
  });
  input.addEventListener('input', onInput);
  input.addEventListener('keydown', onKey);
  input.addEventListener('blur', () => list.hide());
  input.addEventListener('focus', () => {
    if (input.value.startsWith('/')) onInput();
  });
  narrow.addEventListener('change', refresh);
  refresh();

  return {
    fill(line) {
      input.value = line;
      input.focus();
      input.setSelectionRange(line.length, line.length);
      onInput();
    },
    focus: () => input.focus(),
    setWorking(next) {
      working = next;
      refresh();
    },
    setCommands(next, length) {
      commands = next;
      maxLength = length;
      if (document.activeElement === input && input.value.startsWith('/')) onInput();
      else refresh();
    },
    suggest(id, items) {
      if (id === `s${asked}` && document.activeElement === input) list.show(items);
    },
    refresh,
  };
}
