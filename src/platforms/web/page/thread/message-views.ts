import { conversation, type Turn } from '../base/history.ts';
import { type MessageContext, MessageView } from './message-view.ts';
import { thread } from './thread.ts';

/** The views of the conversation's turns, by turn id. */
export class MessageViews {
  readonly #context: MessageContext;
  readonly #views = new Map<string, MessageView>();

  constructor(context: MessageContext) {
    this.#context = context;
  }

  make(turn: Turn): MessageView {
    const view = new MessageView(turn, this.#context);
    this.#views.set(turn.id, view);
    return view;
  }

  /** The view with all its replies, even if the stored conversation is still being restored. */
  get(id: string): MessageView | undefined {
    thread.restoreUntil(() => this.#views.get(id)?.isWhole === true);
    return this.#views.get(id);
  }

  remove(id: string): void {
    this.#views.get(id)?.element.remove();
    this.#views.delete(id);
  }

  clear(): void {
    this.#views.clear();
    thread.clear();
  }

  /** Shows the stored conversation, from its end. */
  restore(): void {
    thread.restore(this.#restored());
  }

  *#restored(): Generator<HTMLElement, void> {
    for (const turn of [...conversation.turns].reverse()) {
      const view = this.make(turn);
      do yield view.element;
      while (view.showEarlier());
    }
  }
}
