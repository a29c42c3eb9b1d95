import { button, h } from '../base/dom.ts';
import type { ReplyPlace, Turn } from '../base/history.ts';
import { icon } from '../base/icons.ts';
import type { WebReply } from '../base/protocol.ts';
import { text } from '../base/texts.ts';
import { type CardContext, card } from '../card/card.ts';

export interface Press {
  readonly token: string;
  readonly label: string;
  readonly under: ReplyPlace;
  readonly pressed: HTMLElement;
}

export interface MessageContext {
  readonly onPress: (press: Press) => void;
  readonly onCancel: (turn: Turn) => void;
  /** Shows again the reply that this one was opened from. */
  readonly onBack: (place: ReplyPlace) => void;
  /** Asks the same again, as a new turn. */
  readonly onRepeat: (turn: Turn) => void;
}

/** One question and its answers on the page. */
export interface MessageView {
  readonly element: HTMLElement;
  /** Shows what is being waited for: `progress`, or that the line is down. */
  waiting(words: string): void;
  add(reply: WebReply): HTMLElement;
  cardAt(index: number): HTMLElement | undefined;
  /** Shows `reply` in the place of that card. */
  replace(index: number, reply: WebReply): HTMLElement;
  /** The turn's state has become final. */
  settle(): void;
}

const ADDRESS = /^(https?:\/\/(?:www\.)?)(\S+)$/;

/** The beginning that all addresses share is not shown. */
function saidBubble(words: string): HTMLElement {
  const [, start, rest] = ADDRESS.exec(words) ?? [];
  const you = `${text('you')}: `;
  if (start === undefined || rest === undefined)
    // With a direction of its own it does not decide that of the words.
    return h('p', { class: 'said', dir: 'auto' }, h('span', { class: 'unseen', dir: 'ltr' }, you), words);
  return h('p', { class: 'said address', title: words }, h('span', { class: 'unseen' }, `${you}${start}`), rest);
}

export function createMessageView(turn: Turn, context: MessageContext): MessageView {
  const words = turn.input.kind === 'text' ? turn.input.text : turn.input.label;
  const answers = h('div', { class: 'answers' });
  const element = h('div', { class: 'turn' }, saidBubble(words), answers);
  const stage = h('span', { class: 'stage' }, text('working'));
  const pending = h(
    'div',
    { class: 'pending' },
    h('span', { class: 'pulse', 'aria-hidden': 'true' }, h('i'), h('i')),
    stage,
    button({ class: 'quiet' }, () => context.onCancel(turn), text('cancel')),
  );
  const cards: HTMLElement[] = [];

  /** For the reply at that place among the turn's own. */
  function contextAt(index: number): CardContext {
    return {
      onAction: (token, label, pressed) => context.onPress({ token, label, under: { turn: turn.id, index }, pressed }),
      bringAgain: () => context.onRepeat(turn),
      goBack: turn.below?.[index]?.length ? () => context.onBack({ turn: turn.id, index }) : undefined,
    };
  }

  function show(reply: WebReply, index: number): HTMLElement {
    const shown = card(reply, contextAt(index));
    cards[index] = shown;
    if (pending.parentElement) pending.before(shown);
    else answers.append(shown);
    return shown;
  }

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

  for (const [index, reply] of turn.replies.entries()) if (index > 0 || !turn.moved) show(reply, index);
  if (turn.state === 'waiting') answers.append(pending);
  else settle();

  return {
    element,
    waiting(sentence) {
      stage.textContent = sentence;
    },
    add(reply) {
      const shown = show(reply, turn.replies.length - 1);
      shown.classList.add('arriving');
      return shown;
    },
    cardAt: index => cards[index],
    replace(index, reply) {
      const shown = card(reply, contextAt(index));
      cards[index]?.replaceWith(shown);
      cards[index] = shown;
      return shown;
    },
    settle,
  };
}
