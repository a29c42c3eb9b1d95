import { isLoneLink } from '../base/address.ts';
import { button, h } from '../base/dom.ts';
import type { ReplyPlace, Turn } from '../base/history.ts';
import { icon } from '../base/icons.ts';
import type { WebReply } from '../base/protocol.ts';
import { nameAndValue, text } from '../base/texts.ts';
import { type CardContext, replyCard } from '../card/card.ts';
import { layOutOnce } from './first-layout.ts';

export interface PressedAction {
  readonly token: string;
  readonly label: string;
  readonly under: ReplyPlace;
  readonly pressed: HTMLElement;
}

export interface MessageContext {
  readonly onPress: (pressed: PressedAction) => void;
  readonly onCancel: (turn: Turn) => void;
  /** Shows the reply from which this one was opened. */
  readonly onBack: (place: ReplyPlace) => void;
  /** Sends the person's message again; with `link`, only that link. */
  readonly onRepeat: (turn: Turn, link?: string) => void;
}

/** The view of one turn: the person's question and the replies to it. */
export class MessageView {
  readonly element: HTMLElement;
  readonly #turn: Turn;
  readonly #context: MessageContext;
  readonly #answers = h('div', { class: 'answers' });
  readonly #stage = h('span', { class: 'stage' }, text('working'));
  readonly #pending: HTMLElement;
  readonly #cards: HTMLElement[] = [];
  /** How many replies at the beginning of a restored turn are not shown yet. */
  #unshown: number;

  constructor(turn: Turn, context: MessageContext) {
    this.#turn = turn;
    this.#context = context;
    const words = turn.input.kind === 'text' ? turn.input.text : turn.input.label;
    this.#pending = h(
      'div',
      { class: 'pending' },
      h(
        'div',
        { class: `skeleton${isLoneLink(words) ? ' of-media' : ''}`, 'aria-hidden': 'true' },
        h('i'),
        h('i'),
        h('i'),
      ),
      h(
        'div',
        { class: 'pending-line' },
        h('span', { class: 'pulse', 'aria-hidden': 'true' }, h('i'), h('i')),
        this.#stage,
        button({ class: 'quiet' }, () => context.onCancel(turn), text('cancel')),
      ),
    );
    this.element = h('div', { class: 'turn' }, saidBubble(words), this.#answers);
    this.#unshown = turn.replies.length;
    this.showEarlier();
    if (turn.state === 'waiting') this.#answers.append(this.#pending);
    else this.settle();
  }

  /** True when no reply of a restored turn is missing on the page. */
  get isWhole(): boolean {
    return this.#unshown <= (this.#turn.moved ? 1 : 0);
  }

  /**
   * Shows one more reply of a restored turn, above those that are shown. The constructor shows the last one only, since
   * many would stop a slow phone. Returns false when there are no more.
   */
  showEarlier(): boolean {
    const index = this.#unshown - 1;
    const reply = this.#turn.replies[index];
    if (this.isWhole || !reply) return false;
    this.#unshown = index;
    this.#show(reply, index);
    return true;
  }

  /** Shows how the answer is getting on, or that there is no connection. */
  waiting(words: string): void {
    this.#stage.textContent = words;
  }

  /** Shows the turn's newest reply below the others. */
  add(reply: WebReply): HTMLElement {
    const shown = this.#show(reply, this.#turn.replies.length - 1);
    shown.classList.add('arriving');
    return shown;
  }

  cardAt(index: number): HTMLElement | undefined {
    return this.#cards[index];
  }

  /** Replaces the card at that index by `reply`. */
  replace(index: number, reply: WebReply): HTMLElement {
    const shown = replyCard(reply, this.#contextAt(index));
    layOutOnce(shown);
    this.#cards[index]?.replaceWith(shown);
    this.#cards[index] = shown;
    return shown;
  }

  /** Updates the view when all replies have come, or when the person cancelled. */
  settle(): void {
    this.#pending.remove();
    const sentence = noteOf(this.#turn);
    if (sentence !== '') this.#note(sentence);
  }

  #show(reply: WebReply, index: number): HTMLElement {
    const shown = replyCard(reply, this.#contextAt(index));
    layOutOnce(shown);
    this.#cards[index] = shown;
    const next = this.#cards[index + 1];
    if (next) next.before(shown);
    else if (this.#pending.parentElement) this.#pending.before(shown);
    else this.#answers.append(shown);
    return shown;
  }

  /** The functions that the card of the turn's reply at that index calls. */
  #contextAt(index: number): CardContext {
    const { onPress, onRepeat, onBack } = this.#context;
    const turn = this.#turn;
    const under = { turn: turn.id, index };
    return {
      onAction: (token, label, pressed) => onPress({ token, label, under, pressed }),
      bringAgain: () => onRepeat(turn),
      renew: () => {
        const reply = turn.replies[index];
        // The pressed button is gone, so the focus goes to the one that loads the files again.
        if (reply) this.replace(index, reply).querySelector<HTMLElement>('.expired button')?.focus();
      },
      askAgain: link => onRepeat(turn, link),
      goBack: turn.below?.[index]?.length ? () => onBack(under) : undefined,
    };
  }

  #note(sentence: string): void {
    const repeat = button({ class: 'quiet' }, () => this.#context.onRepeat(this.#turn), icon('again'), text('retry'));
    this.#answers.append(h('p', { class: 'note' }, h('span', {}, sentence), repeat));
  }
}

/** What is said below a turn that was cancelled, or that ended without a reply; empty for any other. */
export function noteOf({ state, replies }: Turn): string {
  if (state === 'cancelled') return text('cancelled');
  return state === 'done' && replies.length === 0 ? text('failed') : '';
}

/** The person's message. The `https://www.` of its addresses is visually hidden. */
function saidBubble(words: string): HTMLElement {
  // A hidden part has a text direction of its own, so that it does not decide the direction of the person's text.
  const unseen = (hidden: string): HTMLElement => h('span', { class: 'unseen', dir: 'ltr' }, hidden);
  const parts = words.split(/(?<!\S)(https?:\/\/(?:www\.)?)(?=\S)/);
  const attributes = isLoneLink(words) ? { class: 'said address', title: words } : { class: 'said', dir: 'auto' };
  return h(
    'p',
    attributes,
    unseen(nameAndValue(text('you'), '')),
    ...parts.map((part, at) => (at % 2 === 0 ? part : unseen(part))),
  );
}
