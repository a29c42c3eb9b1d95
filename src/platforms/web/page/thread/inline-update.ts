import type { History, Turn } from '../history.ts';
import type { WebReply } from '../protocol.ts';
import type { MessageView } from './message-view.ts';
import type { Thread } from './thread.ts';

export interface InlineUpdateOptions {
  readonly history: History;
  readonly thread: Thread;
  readonly viewOf: (turnId: string) => MessageView | undefined;
}

/** Answers to pressed buttons that take the place of what the button stands under, as a page turns. */
export interface InlineUpdate {
  /** Whether the answer may come in the button's own place; then that place shows that it waits. */
  begin(turn: Turn, pressed: HTMLElement | undefined): boolean;
  /** Puts the answer there. False when it is not of the kind, or its place is gone: then it is shown as any other. */
  take(turn: Turn, reply: WebReply): boolean;
  /** Nothing more comes. */
  end(turn: Turn): void;
}

export function createInlineUpdate({ history, thread, viewOf }: InlineUpdateOptions): InlineUpdate {
  /** What was pressed, and the card it stands under, for the turns that wait. */
  const waiting = new Map<string, { readonly pressed: HTMLElement | undefined; readonly card: HTMLElement }>();

  function placeOf({ input }: Turn) {
    if (input.kind !== 'action' || !input.under) return undefined;
    const { turn: turnId, index } = input.under;
    const turn = history.find(turnId);
    const view = viewOf(turnId);
    const card = view?.cardAt(index);
    const reply = turn?.replies[index];
    return turn && view && card && reply && isPage(reply) ? { turn, view, card, index } : undefined;
  }

  return {
    begin(turn, pressed) {
      const place = placeOf(turn);
      if (!place) return false;
      waiting.set(turn.id, { pressed, card: place.card });
      place.card.setAttribute('aria-busy', 'true');
      pressed?.classList.add('pressed');
      return true;
    },

    take(turn, reply) {
      const place = placeOf(turn);
      const begun = waiting.get(turn.id);
      if (!begun || !place || !isPage(reply)) return false;
      const { pressed } = begun;
      const before = pressed?.getBoundingClientRect().top;
      const hadFocus = place.card.contains(document.activeElement);
      place.turn.replies[place.index] = reply;
      const card = place.view.replace(place.index, reply);
      card.classList.add('exchanged');
      const same = pressed && sameControl(card, pressed);
      thread.steady(card, same && before !== undefined ? same.getBoundingClientRect().top - before : 0);
      if (hadFocus) focusOn(same ?? card);
      return true;
    },

    end(turn) {
      const begun = waiting.get(turn.id);
      begun?.pressed?.classList.remove('pressed');
      begun?.card.removeAttribute('aria-busy');
      waiting.delete(turn.id);
    },
  };
}

/** Words, cards and pictures; files stay where they were brought, and failures do not take the place of what still works. */
function isPage({ gallery, tone }: WebReply): boolean {
  return gallery.length === 0 && tone !== 'error' && tone !== 'notice';
}

function sameControl(card: HTMLElement, { dataset }: HTMLElement): HTMLElement | undefined {
  const controls = card.querySelectorAll<HTMLElement>('.actions [data-label]');
  return [...controls].find(control => control.dataset.label === dataset.label);
}

function focusOn(element: HTMLElement): void {
  if (element.matches('article')) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
