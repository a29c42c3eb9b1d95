import { headingOf } from '../card/card.ts';
import type { History, Place, Turn } from '../history.ts';
import type { WebReply } from '../protocol.ts';
import type { MessageView } from './message-view.ts';
import type { Thread } from './thread.ts';

export interface InlineUpdateOptions {
  readonly history: History;
  readonly thread: Thread;
  readonly viewOf: (turnId: string) => MessageView | undefined;
  /** Something else was opened there; what was shown before is kept. */
  readonly onOpened: (place: Place, top: number) => void;
}

/** Answers to pressed buttons that take the place of what the button stands under: a turned page, or what was opened from it. */
export interface InlineUpdate {
  /** Whether the answer may come in the button's own place; then that place shows that it waits. */
  begin(turn: Turn, pressed: HTMLElement | undefined): boolean;
  /** Puts the answer there. False when it is not of the kind, or its place is gone: then it is shown as any other. */
  take(turn: Turn, reply: WebReply): boolean;
  /** Puts the rest of a reply of that turn in its place, wherever it is shown or is gone back to; nowhere when that is over. */
  mend(turn: Turn, index: number, before: WebReply, better: WebReply): void;
  /** Nothing more comes. */
  end(turn: Turn): void;
  /** Shows again what was opened from, `top` pixels down. False when there is nothing to go back to. */
  goBack(place: Place, top: number | undefined): boolean;
}

/** Steps back that a place keeps. */
const MAX_KEPT = 12;

export function createInlineUpdate({ history, thread, viewOf, onOpened }: InlineUpdateOptions): InlineUpdate {
  /** What was pressed, and the card it stands under, for the turns that wait. */
  const waiting = new Map<string, { readonly pressed: HTMLElement | undefined; readonly card: HTMLElement }>();

  function find({ turn: turnId, index }: Place) {
    const turn = history.find(turnId);
    const view = viewOf(turnId);
    const card = view?.cardAt(index);
    const reply = turn?.replies[index];
    return turn && view && card && reply ? { turn, view, card, reply, index } : undefined;
  }

  function placeOf({ input }: Turn) {
    const place = input.kind === 'action' && input.under ? find(input.under) : undefined;
    return place && isPage(place.reply) ? place : undefined;
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
      if (!isTurned(pressed, place.reply, reply)) {
        const below = place.turn.below?.[place.index] ?? [];
        place.turn.below = { ...place.turn.below, [place.index]: [...below, place.reply].slice(-MAX_KEPT) };
        onOpened({ turn: place.turn.id, index: place.index }, thread.top());
      }
      place.turn.replies[place.index] = reply;
      const card = place.view.replace(place.index, reply);
      card.classList.add('exchanged');
      const same = pressed && sameControl(card, pressed);
      thread.steady(card, same && before !== undefined ? same.getBoundingClientRect().top - before : 0);
      if (hadFocus) focusOn(same ?? card);
      return true;
    },

    mend(turn, index, before, better) {
      const { input } = turn;
      const isElsewhere = index === 0 && turn.moved === true && input.kind === 'action';
      const where = isElsewhere ? input.under : { turn: turn.id, index };
      const place = where && find(where);
      if (!place) return;
      const { below } = place.turn;
      const kept = below?.[place.index]?.map(reply => (reply === before ? better : reply));
      if (kept) place.turn.below = { ...below, [place.index]: kept };
      if (place.reply !== before) return;
      place.turn.replies[place.index] = better;
      const { activeElement } = document;
      const card = place.view.replace(place.index, better);
      if (activeElement instanceof HTMLElement && place.card.contains(activeElement)) {
        focusOn(sameControl(card, activeElement) ?? card);
      }
    },

    end(turn) {
      const begun = waiting.get(turn.id);
      begun?.pressed?.classList.remove('pressed');
      begun?.card.removeAttribute('aria-busy');
      waiting.delete(turn.id);
    },

    goBack(where, top) {
      const place = find(where);
      const below = place?.turn.below?.[where.index] ?? [];
      const reply = below.at(-1);
      if (!place || !reply) return false;
      const hadFocus = place.card.contains(document.activeElement);
      place.turn.below = { ...place.turn.below, [where.index]: below.slice(0, -1) };
      place.turn.replies[where.index] = reply;
      const card = place.view.replace(where.index, reply);
      card.classList.add('exchanged');
      history.save();
      if (top === undefined) thread.steady(card, 0);
      else thread.restore(top);
      if (hadFocus) focusOn(card);
      return true;
    },
  };
}

/** Whether it is another page of the same: a button below said so, and it is called the same. */
function isTurned(pressed: HTMLElement | undefined, before: WebReply, reply: WebReply): boolean {
  return (pressed === undefined || pressed.matches('.actions > *')) && headingOf(reply) === headingOf(before);
}

/** Words, cards and images; files stay where they were brought, and failures do not take the place of what still works. */
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
