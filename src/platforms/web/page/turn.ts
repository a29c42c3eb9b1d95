import { type CardContext, card } from './card.ts';
import { button, h } from './dom.ts';
import type { Turn } from './history.ts';
import { icon } from './icons.ts';
import type { WebReply } from './protocol.ts';
import { text } from './texts.ts';

export interface TurnContext {
  readonly onAction: (token: string, label: string) => void;
  readonly onCancel: (turn: Turn) => void;
  /** Asks the same again, as a new turn. */
  readonly onRepeat: (turn: Turn) => void;
}

/** One question and its answers on the page. */
export interface TurnView {
  readonly element: HTMLElement;
  /** Shows what is being waited for: `progress`, or that the line is down. */
  waiting(words: string): void;
  add(reply: WebReply): void;
  /** The turn's state has become final. */
  settle(): void;
}

export function createTurnView(turn: Turn, context: TurnContext): TurnView {
  const words = turn.input.kind === 'text' ? turn.input.text : turn.input.label;
  const answers = h('div', { class: 'answers' });
  const element = h(
    'div',
    { class: 'turn' },
    h('p', { class: 'said', dir: 'auto' }, h('span', { class: 'unseen' }, `${text('you')}: `), words),
    answers,
  );
  const stage = h('span', { class: 'stage' }, text('working'));
  const pending = h(
    'div',
    { class: 'pending' },
    h('span', { class: 'pulse', 'aria-hidden': 'true' }, h('i'), h('i')),
    stage,
    button({ class: 'quiet' }, () => context.onCancel(turn), text('cancel')),
  );
  const cards: CardContext = { onAction: context.onAction, bringAgain: () => context.onRepeat(turn) };

  function settle(): void {
    pending.remove();
    if (turn.state === 'cancelled') answers.append(note(text('cancelled')));
    else if (turn.replies.length === 0) answers.append(note(text('failed')));
  }

  function note(sentence: string): HTMLElement {
    return h(
      'p',
      { class: 'note' },
      h('span', {}, sentence),
      button({ class: 'quiet' }, () => context.onRepeat(turn), icon('again'), text('retry')),
    );
  }

  for (const reply of turn.replies) answers.append(card(reply, cards));
  if (turn.state === 'waiting') answers.append(pending);
  else settle();

  return {
    element,
    waiting(sentence) {
      stage.textContent = sentence;
    },
    add(reply) {
      const shown = card(reply, cards);
      shown.classList.add('arriving');
      if (pending.parentElement) pending.before(shown);
      else answers.append(shown);
    },
    settle,
  };
}
