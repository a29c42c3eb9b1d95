import type { History, Kept, Place, Turn } from '../base/history.ts';
import type { WebReply } from '../base/protocol.ts';
import { headingOf } from '../card/card.ts';
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
  /** Shows again what `goBack` closed; how far the conversation was scrolled before, or undefined when there is nothing to show. */
  goForward(place: Place): number | undefined;
}

/** What stands at a place. */
interface Shown {
  readonly turn: Turn;
  readonly view: MessageView;
  readonly card: HTMLElement;
  readonly reply: WebReply;
  readonly index: number;
}

/** Steps back, and forward, that a place keeps. */
const MAX_KEPT = 12;

export function createInlineUpdate({ history, thread, viewOf, onOpened }: InlineUpdateOptions): InlineUpdate {
  /** What was pressed, and the card it stands under, for the turns that wait. */
  const waiting = new Map<string, { readonly pressed: HTMLElement | undefined; readonly card: HTMLElement }>();

  function find({ turn: turnId, index }: Place): Shown | undefined {
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

  function wait(id: string, card: HTMLElement, pressed: HTMLElement | undefined): void {
    waiting.set(id, { pressed, card });
    card.setAttribute('aria-busy', 'true');
    pressed?.classList.add('pressed');
  }

  function showAgain({ turn, view, card, index }: Shown, reply: WebReply): HTMLElement {
    const hadFocus = card.contains(document.activeElement);
    turn.replies[index] = reply;
    const shown = view.replace(index, reply);
    shown.classList.add('exchanged');
    history.save();
    if (hadFocus) focusOn(shown);
    return shown;
  }

  return {
    begin(turn, pressed) {
      const place = placeOf(turn);
      if (!place) return false;
      wait(turn.id, place.card, pressed);
      return true;
    },

    take(turn, reply) {
      const place = placeOf(turn);
      const begun = waiting.get(turn.id);
      if (!begun || !place || !isPage(reply)) return false;
      const { pressed } = begun;
      const before = pressed?.isConnected ? pressed.getBoundingClientRect().top : undefined;
      const hadFocus = place.card.contains(document.activeElement);
      if (!isTurned(pressed, place.reply, reply)) {
        place.turn.below = withLast(place.turn.below, place.index, place.reply);
        place.turn.above = { ...place.turn.above, [place.index]: [] };
        onOpened({ turn: place.turn.id, index: place.index }, thread.top());
      }
      place.turn.replies[place.index] = reply;
      place.turn.exchanged = true;
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
      place.turn.below = exchanged(place.turn.below, place.index, before, better);
      place.turn.above = exchanged(place.turn.above, place.index, before, better);
      if (place.reply !== before) return;
      place.turn.replies[place.index] = better;
      const { activeElement } = document;
      const card = place.view.replace(place.index, better);
      for (const [id, begun] of waiting) {
        if (begun.card === place.card) wait(id, card, sameControl(card, begun.pressed) ?? begun.pressed);
      }
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
      const [reply, below] = withoutLast(place?.turn.below, where.index);
      if (!place || !reply) return false;
      place.turn.below = below;
      place.turn.above = withLast(place.turn.above, where.index, place.reply);
      const card = showAgain(place, reply);
      if (top === undefined) thread.steady(card, 0);
      else thread.restore(top);
      return true;
    },

    goForward(where) {
      const place = find(where);
      const [reply, above] = withoutLast(place?.turn.above, where.index);
      if (!place || !reply) return undefined;
      const top = thread.top();
      place.turn.above = above;
      place.turn.below = withLast(place.turn.below, where.index, place.reply);
      thread.steady(showAgain(place, reply), 0);
      return top;
    },
  };
}

function withLast(kept: Kept | undefined, index: number, reply: WebReply): Kept {
  return { ...kept, [index]: [...(kept?.[index] ?? []), reply].slice(-MAX_KEPT) };
}

function withoutLast(kept: Kept | undefined, index: number): [last: WebReply | undefined, rest: Kept] {
  const replies = kept?.[index] ?? [];
  return [replies.at(-1), { ...kept, [index]: replies.slice(0, -1) }];
}

function exchanged(kept: Kept | undefined, index: number, before: WebReply, better: WebReply): Kept {
  return { ...kept, [index]: (kept?.[index] ?? []).map(reply => (reply === before ? better : reply)) };
}

/** Whether it is another page of the same: a button below said so, and it is called the same. */
function isTurned(pressed: HTMLElement | undefined, before: WebReply, reply: WebReply): boolean {
  return (pressed === undefined || pressed.matches('.actions > *')) && headingOf(reply) === headingOf(before);
}

/** Words, cards and images; files stay where they were brought, and failures do not take the place of what still works. */
function isPage({ gallery, tone }: WebReply): boolean {
  return gallery.length === 0 && tone !== 'error' && tone !== 'notice';
}

function sameControl(card: HTMLElement, before: HTMLElement | undefined): HTMLElement | undefined {
  const controls = card.querySelectorAll<HTMLElement>('.actions [data-label]');
  return [...controls].find(control => control.dataset.label === before?.dataset.label);
}

function focusOn(element: HTMLElement): void {
  if (element.matches('article')) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
