import { conversation, type Kept, type ReplyPlace, type Turn } from '../base/history.ts';
import type { WebReply } from '../base/protocol.ts';
import { headingOf } from '../card/card.ts';
import type { MessageView } from './message-view.ts';
import { thread } from './thread.ts';
import { createWayBack } from './way-back.ts';

/** A reply that is visible now. */
interface Shown {
  readonly turn: Turn;
  readonly view: MessageView;
  readonly card: HTMLElement;
  readonly reply: WebReply;
  readonly index: number;
}

/** The most replies that are kept for going back from one reply, and the most for going forward. */
const MAX_KEPT = 12;

/** Shows an answer to a pressed button in the card with the button: its next page, or something opened from it. */
export class InlineUpdate {
  readonly #viewOf: (turnId: string) => MessageView | undefined;
  /** The browser's Back and Forward, and the cards' own Back. */
  readonly wayBack = createWayBack(
    (place, top) => this.#goBack(place, top),
    place => this.#goForward(place),
  );
  /** For each pressed button (by the id of its turn) that waits for its answer: the control and its card. */
  readonly #waiting = new Map<string, { readonly pressed: HTMLElement | undefined; readonly card: HTMLElement }>();

  constructor(viewOf: (turnId: string) => MessageView | undefined) {
    this.#viewOf = viewOf;
  }

  /** Marks the reply with the pressed button as waiting. True when the answer may replace that reply. */
  begin(turn: Turn, pressed: HTMLElement | undefined): boolean {
    const place = this.#placeOf(turn);
    if (place) this.#wait(turn.id, place.card, pressed);
    return place !== undefined;
  }

  /** Shows the answer in place of the reply with the pressed button. False if it may not, or that reply is gone. */
  take(turn: Turn, reply: WebReply): boolean {
    const place = this.#placeOf(turn);
    const begun = this.#waiting.get(turn.id);
    if (!begun || !place || !isPage(reply)) return false;
    const { pressed } = begun;
    const before = pressed?.isConnected ? pressed.getBoundingClientRect().top : undefined;
    const hadFocus = place.card.contains(document.activeElement);
    if (!pressed?.matches('[data-up]') && !isTurned(pressed, place.reply, reply)) {
      place.turn.below = withLast(place.turn.below, place.index, place.reply);
      place.turn.above = { ...place.turn.above, [place.index]: [] };
      this.wayBack.opened({ turn: place.turn.id, index: place.index, top: thread.top() });
    }
    place.turn.replies[place.index] = reply;
    place.turn.exchanged = true;
    const card = place.view.replace(place.index, reply);
    card.classList.add('exchanged');
    const same = pressed && sameControl(card, pressed);
    thread.steady(card, same && before !== undefined ? same.getBoundingClientRect().top - before : 0);
    if (hadFocus) focusOn(same ?? card);
    return true;
  }

  /** Replaces a reply by its better version, whether it is shown or kept for Back or Forward; else does nothing. */
  improve(turn: Turn, index: number, before: WebReply, better: WebReply): void {
    const { input } = turn;
    const isElsewhere = index === 0 && turn.moved === true && input.kind === 'action';
    const where = isElsewhere ? input.under : { turn: turn.id, index };
    const place = where && this.#find(where);
    if (!place) return;
    place.turn.below = exchanged(place.turn.below, place.index, before, better);
    place.turn.above = exchanged(place.turn.above, place.index, before, better);
    if (place.reply !== before) return;
    place.turn.replies[place.index] = better;
    const { activeElement } = document;
    const card = place.view.replace(place.index, better);
    for (const [id, begun] of this.#waiting) {
      if (begun.card === place.card) this.#wait(id, card, sameControl(card, begun.pressed) ?? begun.pressed);
    }
    if (activeElement instanceof HTMLElement && place.card.contains(activeElement))
      focusOn(sameControl(card, activeElement) ?? card);
  }

  /** To be called when all replies to the turn's question have come. */
  end(turn: Turn): void {
    const begun = this.#waiting.get(turn.id);
    begun?.pressed?.classList.remove('pressed');
    begun?.card.removeAttribute('aria-busy');
    this.#waiting.delete(turn.id);
  }

  /** Shows the reply from which the one at `where` was opened, scrolled to `top`. False when there is none. */
  #goBack(where: ReplyPlace, top: number | undefined): boolean {
    const place = this.#find(where);
    const [reply, below] = withoutLast(place?.turn.below, where.index);
    if (!place || !reply) return false;
    place.turn.below = below;
    place.turn.above = withLast(place.turn.above, where.index, place.reply);
    const card = this.#showAgain(place, reply);
    if (top === undefined) thread.steady(card, 0);
    else thread.scrollTo(top);
    return true;
  }

  /** Shows the reply that `#goBack` closed. Returns the scroll position from before, or undefined if none was closed. */
  #goForward(where: ReplyPlace): number | undefined {
    const place = this.#find(where);
    const [reply, above] = withoutLast(place?.turn.above, where.index);
    if (!place || !reply) return undefined;
    const top = thread.top();
    place.turn.above = above;
    place.turn.below = withLast(place.turn.below, where.index, place.reply);
    thread.steady(this.#showAgain(place, reply), 0);
    return top;
  }

  #find({ turn: turnId, index }: ReplyPlace): Shown | undefined {
    const turn = conversation.find(turnId);
    const view = this.#viewOf(turnId);
    const card = view?.cardAt(index);
    const reply = turn?.replies[index];
    return turn && view && card && reply ? { turn, view, card, reply, index } : undefined;
  }

  #placeOf({ input }: Turn): Shown | undefined {
    const place = input.kind === 'action' && input.under ? this.#find(input.under) : undefined;
    return place && isPage(place.reply) ? place : undefined;
  }

  #wait(id: string, card: HTMLElement, pressed: HTMLElement | undefined): void {
    this.#waiting.set(id, { pressed, card });
    card.setAttribute('aria-busy', 'true');
    pressed?.classList.add('pressed');
  }

  #showAgain({ turn, view, card, index }: Shown, reply: WebReply): HTMLElement {
    const hadFocus = card.contains(document.activeElement);
    turn.replies[index] = reply;
    const shown = view.replace(index, reply);
    shown.classList.add('exchanged');
    conversation.save();
    if (hadFocus) focusOn(shown);
    return shown;
  }
}

function withLast(kept: Kept | undefined, index: number, reply: WebReply): Kept {
  return { ...kept, [index]: [...(kept?.[index] ?? []), reply].slice(-MAX_KEPT) };
}

function withoutLast(kept: Kept | undefined, index: number): [last: WebReply | undefined, others: Kept] {
  const replies = kept?.[index] ?? [];
  return [replies.at(-1), { ...kept, [index]: replies.slice(0, -1) }];
}

function exchanged(kept: Kept | undefined, index: number, before: WebReply, better: WebReply): Kept {
  return { ...kept, [index]: (kept?.[index] ?? []).map(reply => (reply === before ? better : reply)) };
}

/** True when the answer is another page of the same list: the button was below the list, and the heading is equal. */
function isTurned(pressed: HTMLElement | undefined, before: WebReply, reply: WebReply): boolean {
  return (pressed === undefined || pressed.matches('.actions > *')) && headingOf(reply) === headingOf(before);
}

/** True for a reply that may replace another or be replaced: it has text, cards and images, no files and no failure. */
function isPage({ gallery, tone }: WebReply): boolean {
  return gallery.length === 0 && tone !== 'error' && tone !== 'notice';
}

function sameControl(card: HTMLElement, before: HTMLElement | undefined): HTMLElement | undefined {
  const controls = card.querySelectorAll<HTMLElement>('.actions [data-name]');
  return [...controls].find(control => control.dataset.name === before?.dataset.name);
}

function focusOn(element: HTMLElement): void {
  if (element.matches('article')) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
